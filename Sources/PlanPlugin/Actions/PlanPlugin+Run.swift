import AccountModel
import RPCShell

/// How an action runs once its intent is written down: working, reports, its end, the answer.
extension PlanPlugin {
  /// Shows that it works; what is returned runs the handler.
  func work(on number: Int) -> Route.Reply {
    let at = run(number)!
    runs[at].step = .working
    giveUpOther(than: runs[at])
    // What was told to stop meanwhile is not shown: its handler is not asked any more.
    if runs[at].stop.reason == nil { showWorking(at) }
    let run = runs[at]
    let handlerRun = HandlerRun(run.binding.handler, call(run), stop: run.stop, host: host)
    return .later { () async throws(RPCError) in
      let end = await handlerRun.run { report in self.assumeIsolated { $0.report(report, number) } }
      return try await self.finish(end, number).get()
    }
  }

  private func showWorking(_ at: Int) {
    runs[at].isShown = true
    let run = runs[at]
    endHold(of: run.action)
    if run.action == .upgrade { state.acceptedOffer = run.plan.upgrade.value }
    state[run.action] = .working
    publish(transition(run))
    let offer = run.action == .upgrade ? state.acceptedOffer?.title : nil
    run.context.progress.begin(title: offer ?? run.action.label)
  }

  private func call(_ run: ActionRun) -> ActionCall {
    var details = [RPCError.Member("plan", run.plan.jsonText)]
    if run.action == .manage, let group = run.plan.subscriptionGroupID.value {
      details.append(RPCError.Member("subscriptionGroupId", .string(group)))
    }
    return ActionCall(
      action: run.action.hostAction, idempotencyKey: run.intent.key, timeout: run.binding.timeout,
      locale: environment.locale, timeZone: environment.timeZone, details: details,
      progressToken: run.context.progress.token)
  }

  /// Shows a report; one that comes after the handler's end is dropped.
  private func report(_ report: ActionProgress, _ number: Int) {
    guard let at = run(number), runs[at].step == .working else { return }
    let run = runs[at]
    state[run.action].report(report)
    publish(transition(run))
    var shown = ActionPhase.working
    shown.report(report)
    run.context.progress.report(fraction: shown.progress, message: shown.message)
  }

  /// Writes down how it ended, shows that, and answers those who wait for it.
  private func finish(_ end: HandlerEnd, _ number: Int) async -> ActionRun.Answer {
    let at = run(number)!
    runs[at].step = .ending
    let run = runs[at]
    let outcome = outcome(run, end)
    await writeDown(outcome, end, of: run)
    show(outcome, of: run)
    if run.isShown { run.context.progress.end() }
    if outcome.phase.name == .done { startHold(of: run.action) }
    let answer = answer(outcome, run.action)
    remove(number, answering: answer)
    return answer
  }

  func show(_ outcome: ActionOutcome, of run: ActionRun) {
    let action = run.action
    endHold(of: action)
    if action == .upgrade {
      if let plan = outcome.plan { takeOwn(plan) }
      // What went wrong or has to wait is told under an offer, if need be under the one that it was about.
      let hasOffer = state.plan?.upgrade.value != nil
      if outcome.phase == .idle || hasOffer && outcome.phase != .done { state.acceptedOffer = nil }
    }
    state[action] = outcome.phase
    publish(transition(run, outcome))
    // Restoring has no plan in its own event: what came back belongs to the account.
    if action != .upgrade, let plan = outcome.plan {
      takeOwn(plan)
      publish(
        StateFeed.Transition(cause: action == .restore ? "account" : "manage", requestID: run.context.requestID))
    }
  }

  private func transition(_ run: ActionRun, _ outcome: ActionOutcome? = nil) -> StateFeed.Transition {
    StateFeed.Transition(
      cause: run.action.rawValue, requestID: run.context.requestID, feedback: outcome?.feedback,
      announcement: outcome?.announcement)
  }

  // MARK: Answers

  func answer(_ outcome: ActionOutcome, _ action: PlanAction) -> ActionRun.Answer {
    switch outcome.answer {
    case .error(let error): .failure(error)
    case .outcome(let name, let members): .success(result(name, members, of: action))
    }
  }

  func result(_ outcome: IntentOutcome.Name, _ members: [RPCError.Member], of action: PlanAction) -> JSONText {
    JSONText { writer in
      writer.object { result in
        result.member("outcome", outcome.rawValue)
        if action == .upgrade { result.member("revision", revision) }
        for member in members {
          result.key(member.name)
          result.text(member.value)
        }
      }
    }
  }

  // MARK: Results

  private func outcome(_ run: ActionRun, _ end: HandlerEnd) -> ActionOutcome {
    var end = end
    var plan: PlanUsage?
    if case .succeeded(let result) = end, result.outcome == .completed {
      do throws(SchemaViolation) { plan = try newPlan(result, run.action) } catch {
        host.log("\(run.action.hostAction.rawValue): \(error.text)")
        end = .failed(ActionFailure(message: nil))
      }
    }
    let (adapter, timeout) = (run.binding.handler.adapter, run.binding.timeout)
    return ActionOutcome(run.action, end, plan: plan, adapter: adapter, timeout: timeout)
  }

  /// The plan in a handler's result. Members that are unknown here are hosts' own: named on stderr and left out.
  private func newPlan(_ result: ActionResult, _ action: PlanAction) throws(SchemaViolation) -> PlanUsage? {
    guard let text = result.plan, let document = try? JSONDocument(parsing: text), !document.view.isNull else {
      return nil
    }
    do throws(SchemaViolation) { return try PlanUsage(checking: document.view, path: "plan") } catch {
      let plan = try PlanUsage(checking: document.view, path: "plan", unknown: .ignored)
      host.log("\(action.hostAction.rawValue): ignored \(error.text)")
      return plan
    }
  }
}
