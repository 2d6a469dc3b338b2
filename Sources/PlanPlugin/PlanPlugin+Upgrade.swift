import AccountModel
import FoundationEssentials
import RPCShell

extension PlanPlugin {
  /// Starts an upgrade, or joins the run that has the same key. The guards and the working state come before the next
  /// message is looked at, so two calls in one write never both start.
  func beginUpgrade(_ key: String?, _ context: CallContext) throws(RPCError) -> Route.ActionWork {
    refresh()
    if let running {
      guard key == running.idempotencyKey else { throw busy }
      return { [number = running.number] () async throws(RPCError) in try await self.join(number, context).get() }
    }
    let (plan, offer, handler) = try ready()
    lastNumber += 1
    let run = RunningUpgrade(idempotencyKey: key ?? UUID().uuidString.lowercased(), number: lastNumber)
    let handlerRun = HandlerRun(handler, call(plan, run), stop: context.stop, host: host)
    begin(run, offer, context)
    return { [number = run.number] () async throws(RPCError) in
      let end = await handlerRun.run { report in self.assumeIsolated { $0.report(report, number, context) } }
      return try await self.finish(end, handler, context).get()
    }
  }

  // MARK: Guards

  private var busy: RPCError {
    RPCError(
      .busy, "An upgrade is already running",
      data: UpgradeOutcome.errorData + [RPCError.Member("running", .string("upgrade"))])
  }

  /// What an upgrade needs, if it can start now.
  private func ready() throws(RPCError) -> (plan: PlanUsage, offer: Upgrade, handler: any ActionHandler) {
    let data = UpgradeOutcome.errorData
    guard let plan = state.plan else { throw RPCError(.notReady, "The plan is still loading", data: data) }
    guard let offer = plan.upgrade.value else {
      let hint = ". To start over with the sample account, restart the session (--demo starts afresh)"
      throw RPCError(
        .notAvailable, "There is nothing above the plan \(plan.name)" + (settings.isSampleAccount ? hint : ""),
        data: data)
    }
    guard let handler = settings.handlers[.onUpgrade] else {
      throw RPCError(.notAvailable, "No handler is bound to onUpgrade", data: data)
    }
    return (plan, offer, handler)
  }

  // MARK: Joining

  /// Waits for the answer of a run, or takes it if the run has just ended. Cancelling this call ends its wait and
  /// nothing else.
  private func join(_ number: Int, _ context: CallContext) async -> RunningUpgrade.Answer {
    if let lastAnswer, running?.number != number { return lastAnswer }
    lastNumber += 1
    let ticket = lastNumber
    return await withTaskCancellationHandler {
      await withCheckedContinuation { running!.join(ticket, $0) }
    } onCancel: {
      Task(executorPreference: executor) { await self.leave(ticket, context.stop.reason ?? .cancelled) }
    }
  }

  private func leave(_ ticket: Int, _ reason: StopReason) {
    running?.leave(
      ticket,
      with: .failure(.stopped(reason, seconds: settings.upgradeTimeout, data: UpgradeOutcome.errorData)))
  }

  // MARK: Steps

  private func begin(_ run: RunningUpgrade, _ offer: Upgrade, _ context: CallContext) {
    cancelHold()
    running = run
    state.acceptedOffer = offer
    state.upgrade = .working
    publish(StateFeed.Transition(cause: "upgrade", requestID: context.requestID))
    context.progress.begin(title: offer.title)
  }

  private func call(_ plan: PlanUsage, _ run: RunningUpgrade) -> ActionCall {
    ActionCall(
      action: .onUpgrade, idempotencyKey: run.idempotencyKey, timeout: settings.upgradeTimeout,
      locale: environment.locale, timeZone: environment.timeZone, details: [RPCError.Member("plan", plan.jsonText)])
  }

  /// Shows a report; one that comes after the run's end is dropped.
  private func report(_ report: ActionProgress, _ number: Int, _ context: CallContext) {
    guard running?.number == number else { return }
    state.upgrade.report(report)
    publish(StateFeed.Transition(cause: "upgrade", requestID: context.requestID))
    context.progress.report(fraction: state.upgrade.progress, message: report.message?.plainLine)
  }

  private func outcome(of end: HandlerEnd, _ handler: any ActionHandler) -> UpgradeOutcome {
    switch end {
    // What was only shown to the person is not bought yet.
    case .succeeded(let result) where result.outcome == .pending || result.outcome == .presented: return .pending
    case .succeeded(let result):
      do throws(SchemaViolation) { return .completed(try newPlan(result)) } catch {
        host.log("onUpgrade: \(error.text)")
        return .failed(ActionFailure(message: nil), adapter: handler.adapter)
      }
    case .backedOut: return .cancelled
    case .failed(let failure): return .failed(failure, adapter: handler.adapter)
    case .stopped(let reason): return .stopped(reason, seconds: settings.upgradeTimeout)
    }
  }

  /// The plan in a handler's result. Members that are unknown here are hosts' own: named on stderr and left out.
  private func newPlan(_ result: ActionResult) throws(SchemaViolation) -> PlanUsage? {
    guard let text = result.plan, let document = try? JSONDocument(parsing: text), !document.view.isNull else {
      return nil
    }
    do throws(SchemaViolation) { return try PlanUsage(checking: document.view, path: "plan") } catch {
      let plan = try PlanUsage(checking: document.view, path: "plan", unknown: .ignored)
      host.log("onUpgrade: ignored \(error.text)")
      return plan
    }
  }

  private func finish(
    _ end: HandlerEnd, _ handler: any ActionHandler, _ context: CallContext
  ) -> RunningUpgrade.Answer {
    let outcome = outcome(of: end, handler)
    let joined = running
    running = nil
    state.upgrade = outcome.phase
    if let plan = outcome.plan { state.plan = plan }
    if outcome.phase != .done { state.acceptedOffer = nil }
    let revision = publish(
      StateFeed.Transition(
        cause: "upgrade", requestID: context.requestID, feedback: outcome.feedback,
        announcement: outcome.announcement))
    context.progress.end()
    if outcome.phase == .done { startHold() }
    let answer = Self.answer(outcome.answer, revision)
    lastAnswer = answer
    joined?.answer(answer)
    return answer
  }

  private static func answer(_ answer: UpgradeOutcome.Answer, _ revision: Int) -> RunningUpgrade.Answer {
    switch answer {
    case .error(let error): .failure(error)
    case .outcome(let name):
      .success(
        JSONText { writer in
          writer.object { result in
            result.member("outcome", name)
            result.member("revision", revision)
          }
        })
    }
  }
}
