import RPCShell

/// The upgrade that is being worked on, and the calls that wait for its answer beside the one that started it.
struct RunningUpgrade {
  typealias Answer = Result<JSONText, RPCError>

  let idempotencyKey: String
  /// Tells this run from others.
  let number: Int
  private var joined: [Int: CheckedContinuation<Answer, Never>] = [:]

  init(idempotencyKey: String, number: Int) {
    self.idempotencyKey = idempotencyKey
    self.number = number
  }

  /// - Parameter ticket: tells the call from others.
  mutating func join(_ ticket: Int, _ call: CheckedContinuation<Answer, Never>) { joined[ticket] = call }

  /// Answers one call before the others; does nothing when it was answered.
  mutating func leave(_ ticket: Int, with answer: Answer) {
    joined.removeValue(forKey: ticket)?.resume(returning: answer)
  }

  /// Gives the calls that joined the answer of the first, in the order in which they came.
  func answer(_ answer: Answer) {
    for (_, call) in joined.sorted(by: { $0.key < $1.key }) { call.resume(returning: answer) }
  }
}
