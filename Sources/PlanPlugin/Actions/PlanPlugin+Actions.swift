import AccountModel
import RPCShell

/// How an action begins: joining, guards, its intent in the journal.
extension PlanPlugin {
  /// Starts an action, or joins the run that has the same key. The guards come before the next message is looked at, so
  /// two calls in one write never both start.
  func begin(_ action: PlanAction, key: String? = nil, _ context: CallContext) throws(RPCError) -> Route.Reply {
    if let key, let running = run(of: action), running.intent.key.isExactly(key), running.stop.reason == nil {
      return .later { [number = running.number] () async throws(RPCError) in try await self.join(number, context).get()
      }
    }
    let plan: PlanUsage
    let binding: ActionBinding
    do throws(RPCError) { (plan, binding) = try ready(action) } catch {
      guard let key else { throw error }
      return try recorded(key, action, orElse: error)
    }
    lastNumber += 1
    let (intent, basis) = intent(of: action, key, plan)
    let run = ActionRun(
      action, intent, on: basis, number: lastNumber, plan: plan, binding: binding, context: context)
    runs.append(run)
    return try begin(run)
  }

  /// Has a run written down, then goes on with what the journal says of it.
  private func begin(_ run: ActionRun) throws(RPCError) -> Route.Reply {
    try goOn(with: writeDown(run)) { [number = run.number] (plugin, start) throws(RPCError) in
      try plugin.begun(start, number)
    }
  }

  func run(of action: PlanAction) -> ActionRun? { runs.first { $0.action == action } }
  func run(_ number: Int) -> Int? { runs.firstIndex { $0.number == number } }

  // MARK: Guards

  /// What an action needs, if it can start now.
  func ready(_ action: PlanAction) throws(RPCError) -> (plan: PlanUsage, binding: ActionBinding) {
    if let rival = action.rivals.first(where: { run(of: $0) != nil }) { throw action.busy(with: rival) }
    if let storeFailure { throw storeFailure.error(action) }
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
      return "There is nothing above the plan \(name)" + (settings.startOverHint.map { ". \($0)" } ?? "")
    case .manage:
      return state.isManageVisible ? nil : "There is no subscription to manage: the plan \(name) does not renew"
    case .restore: return nil
    }
  }

  // MARK: The journal's word

  private func begun(_ start: Result<IntentStart, StoreFailure>, _ number: Int) throws(RPCError) -> Route.Reply {
    let run = runs[self.run(number)!]
    let action = run.action
    switch start {
    case .success(.begun):
      return work(on: number)
    case .success(.ended(let outcome)):
      wasDone(run)
      return try close(number, .success(result(outcome.name, outcome.members, of: action)))
    case .success(.conflict):
      let text = "This idempotencyKey belongs to something else; send a new one with a new \(action.rawValue)"
      return try close(number, .failure(RPCError(.conflict, text, data: action.errorData)))
    case .success(.unfinished(let key)):
      runs[self.run(number)!].goOn(withKey: key)
      return try begin(runs[self.run(number)!])
    case .success(.outdated):
      storeState.isReloadDue = true
      let text = "The plan was changed in another session just now; look at it, then try again"
      return try close(number, .failure(RPCError(.busy, text, data: action.errorData)))
    case .success(.busy(let other)):
      return try close(number, .failure(action.busy(with: PlanAction(other) ?? action, elsewhere: true)))
    case .failure(let failure):
      let outcome = ActionOutcome.notStarted(action, failure)
      show(outcome, of: run)
      return try close(number, answer(outcome, action))
    }
  }

  /// What was said of an attempt that failed is not true any more: somebody has finished it.
  private func wasDone(_ run: ActionRun) {
    guard let open = storeState[open: run.action], open.intent.key.isExactly(run.intent.key) else { return }
    storeState[open: run.action] = nil
    if state[run.action].name == .failed { state.dismiss(run.action) }
    publish(StateFeed.Transition(cause: run.action.rawValue, requestID: run.context.requestID))
  }

  /// Ends a run that comes to no more than this answer.
  private func close(_ number: Int, _ answer: ActionRun.Answer) throws(RPCError) -> Route.Reply {
    remove(number, answering: answer)
    return .now(try answer.get())
  }

  /// Answers all who wait for a run.
  func remove(_ number: Int, answering answer: ActionRun.Answer) {
    let run = runs.remove(at: self.run(number)!)
    if run.action == .upgrade { lastAnswer = answer }
    run.answer(answer)
    reloadIfDue()
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
}

extension PlanAction {
  /// - Parameter elsewhere: in another session.
  fileprivate func busy(with rival: PlanAction, elsewhere: Bool = false) -> RPCError {
    RPCError(
      .busy, rival.busyText + (elsewhere ? " in another session" : ""),
      data: errorData + [RPCError.Member("running", .string(rival.rawValue))])
  }
}
