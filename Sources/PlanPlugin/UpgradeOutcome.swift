import AccountModel
import RPCShell

/// What an upgrade comes to: the phase that is shown, what a person feels and hears, and the answer.
struct UpgradeOutcome {
  enum Answer {
    /// `completed`, `cancelled` or `pending`.
    case outcome(String)
    case error(RPCError)
  }

  var phase: ActionPhase
  /// The plan that came back.
  var plan: PlanUsage?
  var feedback: StateEvent.Feedback?
  var announcement: StateEvent.Announcement?
  var answer: Answer

  /// Where a failure says nothing of its own.
  static let failureText = "The upgrade didn't go through. Try again."

  /// The first member of every error's data.
  static let errorData = [RPCError.Member("action", .string("upgrade"))]

  static func completed(_ plan: PlanUsage?) -> UpgradeOutcome {
    UpgradeOutcome(
      phase: .done, plan: plan, feedback: .success, announcement: .init("Upgrade complete", .polite),
      answer: .outcome("completed"))
  }

  /// Somebody else decides, later.
  static let pending = UpgradeOutcome(
    phase: .pending, announcement: .init(ActionPhase.pending.message!, .polite), answer: .outcome("pending"))

  /// The person backed out: quietly back to rest.
  static let cancelled = UpgradeOutcome(phase: .idle, answer: .outcome("cancelled"))

  /// - Parameter adapter: who was to do it.
  static func failed(_ failure: ActionFailure, adapter: String) -> UpgradeOutcome {
    let text = failure.message?.plainLine ?? ""
    let shown = failure.isHandlerGone || text.isEmpty ? failureText : text
    let error =
      failure.isHandlerGone
      ? RPCError(.handlerGone, shown, data: errorData)
      : RPCError(
        .actionFailed, shown, data: errorData + [RPCError.Member("handler", .string(adapter))] + failure.data)
    return failed(shown, error)
  }

  /// - Parameter seconds: the time limit.
  static func stopped(_ reason: StopReason, seconds: Double) -> UpgradeOutcome {
    let error = RPCError.stopped(reason, seconds: seconds, data: errorData)
    switch reason {
    case .cancelled, .drained: return UpgradeOutcome(phase: .idle, answer: .error(error))
    case .timeLimit: return failed(failureText, error)
    }
  }

  private static func failed(_ text: String, _ error: RPCError) -> UpgradeOutcome {
    UpgradeOutcome(
      phase: .failed(text), feedback: .error, announcement: .init(text, .assertive), answer: .error(error))
  }
}
