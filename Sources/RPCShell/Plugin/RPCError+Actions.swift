extension RPCError {
  /// The answer of an action that failed.
  ///
  /// - Parameters:
  ///   - text: what the person reads, see ``ActionFailure/text(orElse:)``.
  ///   - adapter: who was to do it.
  ///   - data: members in front, by convention `action`.
  public static func failed(_ failure: ActionFailure, _ text: String, adapter: String, data: [Member]) -> RPCError {
    switch failure.kind {
    case .handlerGone: RPCError(.handlerGone, text, data: data)
    case .notAvailable: RPCError(.notAvailable, text, data: data)
    case .store: RPCError(.store, text, data: data + failure.data)
    case .failed: RPCError(.actionFailed, text, data: data + [Member("handler", .string(adapter))] + failure.data)
    }
  }

  /// The answer of a call that was told to stop and did not succeed.
  ///
  /// - Parameters:
  ///   - seconds: the time limit that was over.
  ///   - data: members in front, by convention `action`.
  public static func stopped(_ reason: StopReason, seconds: Double?, data: [Member]) -> RPCError {
    switch reason {
    case .cancelled: RPCError(.requestCancelled, "Request cancelled", data: data)
    case .timeLimit:
      RPCError(.timedOut, "timed out", data: data + (seconds.map { [Member("seconds", JSONText(shortest: $0))] } ?? []))
    case .drained: RPCError(.timedOut, "the session ended before this was finished", data: data)
    }
  }
}

extension ActionFailure {
  /// What the person reads of it: its own text, on one line, where it has any.
  public func text(orElse fallback: String) -> String {
    let own = kind == .handlerGone ? "" : message?.plainLine ?? ""
    return own.isEmpty ? fallback : own
  }
}
