import AccountModel
import FoundationEssentials
import RPCShell

/// How an action runs: guards, working, reports, its end, the answer.
extension PlanPlugin {
  /// Starts an action, or joins the run that has the same key. The guards and the working state come before the next
  /// message is looked at, so two calls in one write never both start.
  func begin(
    _ action: PlanAction, key: String? = nil, _ context: CallContext
  ) throws(RPCError) -> Route.ActionWork {
    refresh()
    if let key, let running = run(of: action), running.idempotencyKey.isExactly(key), running.stop.reason == nil {
      return { [number = running.number] () async throws(RPCError) in try await self.join(number, context).get() }
    }
    let (plan, binding) = try ready(action)
    lastNumber += 1
    let run = ActionRun(
      action, idempotencyKey: key ?? UUID().uuidString.lowercased(), number: lastNumber, stop: context.stop)
    let handlerRun = HandlerRun(binding.handler, call(run, binding, plan, context), stop: context.stop, host: host)
    start(run, plan, context)
    return { [number = run.number] () async throws(RPCError) in
      let end = await handlerRun.run { report in self.assumeIsolated { $0.report(report, number, context) } }
      return try await self.finish(end, number, binding, context).get()
    }
  }

  private func run(of action: PlanAction) -> ActionRun? { runs.first { $0.action == action } }
  private func run(_ number: Int) -> Int? { runs.firstIndex { $0.number == number } }

  // MARK: Guards

  /// What an action needs, if it can start now.
  private func ready(_ action: PlanAction) throws(RPCError) -> (plan: PlanUsage, binding: ActionBinding) {
    if let rival = action.rivals.first(where: { run(of: $0) != nil }) {
      throw RPCError(
        .busy, rival.busyText, data: action.errorData + [RPCError.Member("running", .string(rival.rawValue))])
    }
    guard let plan = state.plan else {
      throw RPCError(.notReady, "The plan is still loading", data: action.errorData)
    }
    if let reason = reasonAgainst(action, plan) { throw RPCError(.notAvailable, reason, data: action.errorData) }
    guard let binding = binding(of: action) else {
      let text = "No handler is bound to \(action.hostAction.rawValue)"
      throw RPCError(.notAvailable, text, data: action.errorData)
    }
    return (plan, binding)
  }

  /// Why there is nothing to do with this plan; nil where there is.
  private func reasonAgainst(_ action: PlanAction, _ plan: PlanUsage) -> String? {
    let name = plan.name.plainLine.shortened
    switch action {
    case .upgrade:
      guard plan.upgrade.value == nil else { return nil }
      let hint = ". To start over with the sample account, restart the session (--demo starts afresh)"
      return "There is nothing above the plan \(name)" + (settings.isSampleAccount ? hint : "")
    case .manage:
      return state.isManageVisible ? nil : "There is no subscription to manage: the plan \(name) does not renew"
    case .restore: return nil
    }
  }

  // MARK: Joining

  /// Waits for the answer of a run, or takes it if the run has just ended. Cancelling this call ends its wait and
  /// nothing else.
  private func join(_ number: Int, _ context: CallContext) async -> ActionRun.Answer {
    if let lastAnswer, run(number) == nil { return lastAnswer }
    lastNumber += 1
    let ticket = lastNumber
    return await withTaskCancellationHandler {
      await withCheckedContinuation { runs[run(number)!].join(ticket, $0) }
    } onCancel: {
      Task(executorPreference: executor) { await self.leave(ticket, number, context.stop.reason ?? .cancelled) }
    }
  }

  private func leave(_ ticket: Int, _ number: Int, _ reason: StopReason) {
    guard let at = run(number) else { return }
    let action = runs[at].action
    runs[at].leave(
      ticket, with: .failure(.stopped(reason, seconds: binding(of: action)?.timeout, data: action.errorData)))
  }

  // MARK: Steps

  private func start(_ run: ActionRun, _ plan: PlanUsage, _ context: CallContext) {
    endHold(of: run.action)
    runs.append(run)
    if run.action == .upgrade { state.acceptedOffer = plan.upgrade.value }
    state[run.action] = .working
    publish(transition(run.action, context))
    let offer = run.action == .upgrade ? state.acceptedOffer?.title : nil
    context.progress.begin(title: offer ?? run.action.label)
  }

  private func call(
    _ run: ActionRun, _ binding: ActionBinding, _ plan: PlanUsage, _ context: CallContext
  ) -> ActionCall {
    var details = [RPCError.Member("plan", plan.jsonText)]
    if run.action == .manage, let group = plan.subscriptionGroupID.value {
      details.append(RPCError.Member("subscriptionGroupId", .string(group)))
    }
    return ActionCall(
      action: run.action.hostAction, idempotencyKey: run.idempotencyKey, timeout: binding.timeout,
      locale: environment.locale, timeZone: environment.timeZone, details: details,
      progressToken: context.progress.token)
  }

  /// Shows a report; one that comes after the run's end is dropped.
  private func report(_ report: ActionProgress, _ number: Int, _ context: CallContext) {
    guard let at = run(number) else { return }
    let action = runs[at].action
    state[action].report(report)
    publish(transition(action, context))
    var shown = ActionPhase.working
    shown.report(report)
    context.progress.report(fraction: shown.progress, message: shown.message)
  }

  /// Shows how it ended, and answers those who wait for it.
  private func finish(
    _ end: HandlerEnd, _ number: Int, _ binding: ActionBinding, _ context: CallContext
  ) -> ActionRun.Answer {
    let run = runs.remove(at: self.run(number)!)
    let outcome = outcome(run.action, end, binding)
    show(outcome, of: run.action, context)
    context.progress.end()
    if outcome.phase.name == .done { startHold(of: run.action) }
    let answer = answer(outcome, run.action)
    if run.action == .upgrade { lastAnswer = answer }
    run.answer(answer)
    return answer
  }

  private func show(_ outcome: ActionOutcome, of action: PlanAction, _ context: CallContext) {
    if action == .upgrade {
      if let plan = outcome.plan { takeOwn(plan) }
      // What went wrong or has to wait is told under an offer, if need be under the one that it was about.
      let hasOffer = state.plan?.upgrade.value != nil
      if outcome.phase == .idle || hasOffer && outcome.phase != .done { state.acceptedOffer = nil }
    }
    state[action] = outcome.phase
    publish(transition(action, context, outcome))
    // Restoring has no plan in its own event: what came back belongs to the account.
    if action != .upgrade, let plan = outcome.plan {
      takeOwn(plan)
      publish(
        StateFeed.Transition(cause: action == .restore ? "account" : "manage", requestID: context.requestID))
    }
  }

  private func transition(
    _ action: PlanAction, _ context: CallContext, _ outcome: ActionOutcome? = nil
  ) -> StateFeed.Transition {
    StateFeed.Transition(
      cause: action.rawValue, requestID: context.requestID, feedback: outcome?.feedback,
      announcement: outcome?.announcement)
  }

  private func answer(_ outcome: ActionOutcome, _ action: PlanAction) -> ActionRun.Answer {
    switch outcome.answer {
    case .error(let error): return .failure(error)
    case .outcome(let name, let members):
      let text = JSONText { writer in
        writer.object { result in
          result.member("outcome", name)
          if action == .upgrade { result.member("revision", revision) }
          for member in members {
            result.key(member.name)
            result.text(member.value)
          }
        }
      }
      return .success(text)
    }
  }

  // MARK: Results

  private func outcome(_ action: PlanAction, _ end: HandlerEnd, _ binding: ActionBinding) -> ActionOutcome {
    var end = end
    var plan: PlanUsage?
    if case .succeeded(let result) = end, result.outcome == .completed {
      do throws(SchemaViolation) { plan = try newPlan(result, action) } catch {
        host.log("\(action.hostAction.rawValue): \(error.text)")
        end = .failed(ActionFailure(message: nil))
      }
    }
    return ActionOutcome(action, end, plan: plan, adapter: binding.handler.adapter, timeout: binding.timeout)
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
