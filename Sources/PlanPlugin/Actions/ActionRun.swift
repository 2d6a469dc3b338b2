import RPCShell

/// An action that is being worked on, and the calls that wait for its answer beside the one that started it.
struct ActionRun {
  typealias Answer = Result<JSONText, RPCError>

  let action: PlanAction
  let idempotencyKey: String
  /// Tells this run from others.
  let number: Int
  /// Says whether it was told to stop: then nobody joins it any more.
  let stop: StopSignal
  private var joined: [(ticket: Int, call: CheckedContinuation<Answer, Never>)] = []

  init(_ action: PlanAction, idempotencyKey: String, number: Int, stop: StopSignal) {
    self.stop = stop
    self.action = action
    self.idempotencyKey = idempotencyKey
    self.number = number
  }

  /// - Parameter ticket: tells the call from others.
  mutating func join(_ ticket: Int, _ call: CheckedContinuation<Answer, Never>) { joined.append((ticket, call)) }

  /// Answers one call before the others; does nothing when it was answered.
  mutating func leave(_ ticket: Int, with answer: Answer) {
    guard let at = joined.firstIndex(where: { $0.ticket == ticket }) else { return }
    joined.remove(at: at).call.resume(returning: answer)
  }

  /// Gives the calls that joined the answer of the first, in the order in which they came.
  func answer(_ answer: Answer) {
    for (_, call) in joined { call.resume(returning: answer) }
  }
}
