import AccountModel
import RPCShell

/// What an action comes to: a value that follows from how the handler ended.
struct StorageOutcome {
  enum Answer {
    /// `completed`, `presented`, `cancelled` or `pending`, and what else the result says.
    case outcome(String, [RPCError.Member])
    case error(RPCError)
  }

  /// For clearing: what the button shows. A failure's text is its message.
  var phase: ActionPhase
  var feedback: StateEvent.Feedback?
  var announcement: StateEvent.Announcement?
  var answer: Answer

  /// - Parameters:
  ///   - bytes: what was to go.
  ///   - title: of the download.
  ///   - binding: who was to do it.
  init(_ action: StorageAction, _ end: HandlerEnd, bytes: Int, title: String, binding: ActionBinding) {
    switch end {
    case .succeeded(let result) where result.outcome == .completed:
      self = action == .clearCache ? .cleared(result, bytes) : .removed(title)
    case .succeeded(let result):
      self = StorageOutcome(phase: .idle, answer: .outcome(result.outcome.rawValue, []))
    case .backedOut: self = StorageOutcome(phase: .idle, answer: .outcome("cancelled", []))
    case .failed(let failure): self = .failed(action, failure, binding.handler.adapter)
    case .stopped(let reason):
      let error = RPCError.stopped(reason, seconds: binding.timeout, data: action.errorData)
      self =
        reason == .timeLimit
        ? .failed(action, action.failureText, error) : StorageOutcome(phase: .idle, answer: .error(error))
    }
  }

  private init(
    phase: ActionPhase, feedback: StateEvent.Feedback? = nil, announcement: StateEvent.Announcement? = nil,
    answer: Answer
  ) {
    self.phase = phase
    self.feedback = feedback
    self.announcement = announcement
    self.answer = answer
  }

  private static func cleared(_ result: ActionResult, _ bytes: Int) -> StorageOutcome {
    let cleared = result.clearedBytes ?? bytes
    let own = result.message?.plainLine ?? ""
    let text = own.isEmpty ? "Cleared \(ByteCount(cleared).text)." : own
    return StorageOutcome(
      phase: ActionPhase(.done, message: text, tone: .secondary), feedback: .success,
      announcement: .init(text, .polite),
      answer: .outcome("completed", [RPCError.Member("clearedBytes", JSONText(integer: cleared))]))
  }

  private static func removed(_ title: String) -> StorageOutcome {
    StorageOutcome(
      phase: .done, announcement: .init("Removed \(title.plainLine)", .polite), answer: .outcome("completed", []))
  }

  private static func failed(_ action: StorageAction, _ failure: ActionFailure, _ adapter: String) -> StorageOutcome {
    let text = failure.text(orElse: action.failureText)
    return failed(action, text, .failed(failure, text, adapter: adapter, data: action.errorData))
  }

  private static func failed(_ action: StorageAction, _ text: String, _ error: RPCError) -> StorageOutcome {
    StorageOutcome(
      phase: .failed(text), feedback: action == .clearCache ? .error : nil,
      announcement: .init(text, .assertive), answer: .error(error))
  }

  /// What the request is answered with.
  var reply: Result<JSONText, RPCError> {
    switch answer {
    case .error(let error): .failure(error)
    case .outcome(let name, let members):
      .success(
        JSONText { writer in
          writer.object { result in
            result.member("outcome", name)
            for member in members {
              result.key(member.name)
              result.text(member.value)
            }
          }
        })
    }
  }
}
