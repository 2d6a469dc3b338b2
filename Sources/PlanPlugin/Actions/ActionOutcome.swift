import AccountModel
import RPCShell

/// What an action comes to: the phase that is shown, what a person feels and hears, and the answer. A value that follows
/// from how the handler ended.
struct ActionOutcome {
  enum Answer {
    /// How it ended, and what else the result says.
    case outcome(IntentOutcome.Name, [RPCError.Member])
    case error(RPCError)
  }

  /// Not shown for ``PlanAction/manage``, which has no line of its own.
  var phase: ActionPhase
  /// The plan that came back.
  var plan: PlanUsage?
  var feedback: StateEvent.Feedback?
  var announcement: StateEvent.Announcement?
  var answer: Answer

  /// - Parameters:
  ///   - plan: the one in the handler's result, checked.
  ///   - adapter: who was to do it.
  ///   - timeout: the time limit in seconds.
  init(_ action: PlanAction, _ end: HandlerEnd, plan: PlanUsage?, adapter: String, timeout: Double) {
    switch end {
    case .succeeded(let result): self = .succeeded(action, result, plan)
    case .backedOut: self = ActionOutcome(phase: .idle, answer: .outcome(.cancelled, []))
    case .failed(let failure): self = .failed(action, failure, adapter)
    case .stopped(let reason): self = .stopped(action, reason, timeout)
    }
    guard action == .manage else { return }
    feedback = nil
    announcement = nil
  }

  private init(
    phase: ActionPhase, plan: PlanUsage? = nil, feedback: StateEvent.Feedback? = nil,
    announcement: StateEvent.Announcement? = nil, answer: Answer
  ) {
    self.phase = phase
    self.plan = plan
    self.feedback = feedback
    self.announcement = announcement
    self.answer = answer
  }

  // MARK: Success

  private static func succeeded(_ action: PlanAction, _ result: ActionResult, _ plan: PlanUsage?) -> ActionOutcome {
    switch (action, result.outcome) {
    case (.manage, let outcome):
      let url = result.url.map { [RPCError.Member("url", .string($0))] } ?? []
      return ActionOutcome(phase: .idle, plan: plan, answer: .outcome(.init(outcome), url))
    // What was only shown to the person is not bought yet.
    case (_, .pending), (_, .presented): return pending
    case (.upgrade, _):
      return ActionOutcome(
        phase: .done, plan: plan, feedback: .success, announcement: .init("Upgrade complete", .polite),
        answer: .outcome(.completed, []))
    case (.restore, _): return restored(result.restored, plan)
    }
  }

  /// Somebody else decides, later.
  private static let pending = ActionOutcome(
    phase: .pending, announcement: .init(ActionPhase.pending.message!, .polite), answer: .outcome(.pending, []))

  /// - Parameter count: of purchases; nil where the handler does not count.
  private static func restored(_ count: Int?, _ plan: PlanUsage?) -> ActionOutcome {
    let isNothing = count == 0
    let phase = isNothing ? ActionPhase.nothingToRestore : .restored
    return ActionOutcome(
      phase: phase, plan: plan, feedback: isNothing ? nil : .success, announcement: .init(phase.message!, .polite),
      answer: .outcome(.completed, count.map { [RPCError.Member("restored", JSONText(integer: $0))] } ?? []))
  }

  // MARK: Failure

  private static func failed(_ action: PlanAction, _ failure: ActionFailure, _ adapter: String) -> ActionOutcome {
    let text = failure.text(orElse: action.failureText)
    return failed(text, .failed(failure, text, adapter: adapter, data: action.errorData))
  }

  /// Its intent could not be written down, so nothing was done.
  static func notStarted(_ action: PlanAction, _ failure: StoreFailure) -> ActionOutcome {
    let text = "\(action.notStartedText) \(failure.message)"
    let end = HandlerEnd.failed(ActionFailure(message: text, data: failure.data, kind: .store))
    return ActionOutcome(action, end, plan: nil, adapter: "", timeout: 0)
  }

  private static func stopped(_ action: PlanAction, _ reason: StopReason, _ timeout: Double) -> ActionOutcome {
    let error = RPCError.stopped(reason, seconds: timeout, data: action.errorData)
    switch reason {
    case .cancelled, .drained: return ActionOutcome(phase: .idle, answer: .error(error))
    case .timeLimit: return failed(action.failureText, error)
    }
  }

  private static func failed(_ text: String, _ error: RPCError) -> ActionOutcome {
    ActionOutcome(
      phase: .failed(text), feedback: .error, announcement: .init(text, .assertive), answer: .error(error))
  }
}

extension IntentOutcome.Name {
  fileprivate init(_ outcome: ActionResult.Outcome) {
    switch outcome {
    case .completed: self = .completed
    case .presented: self = .presented
    case .pending: self = .pending
    case .cancelled: self = .cancelled
    case .failed: self = .failed
    }
  }
}

extension StoreFailure {
  /// For an error's data.
  var data: [RPCError.Member] { [RPCError.Member("file", .string(file))] }

  /// - Parameter action: what cannot be done.
  func error(_ action: PlanAction? = nil) -> RPCError {
    RPCError(.store, message.plainLine, data: (action?.errorData ?? []) + data)
  }
}
