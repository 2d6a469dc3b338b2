extension RPCError {
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
