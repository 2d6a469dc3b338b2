/// The answers to one batch (JSON-RPC 2.0, section 6): one array, sent when all its calls are answered.
final class Batch {
  let framing: Framing
  private let answers = ByteBuffer(capacity: 1024)
  /// Ids answered in this batch: until the array is sent they are in flight for the client.
  private var ids: Set<RequestID> = []
  private var open = 0
  private var isSealed = false

  init(framing: Framing) { self.framing = framing }

  /// A call of this batch will be answered later.
  func addOpen() { open += 1 }

  /// - Returns: false when this batch has a call with this id already.
  func claim(_ id: RequestID) -> Bool { ids.insert(id).inserted }

  /// Whether a call of this batch has this id.
  func holds(_ id: RequestID) -> Bool { ids.contains(id) }

  /// Adds one answer.
  func answer(_ write: (ByteBuffer) -> Void) {
    answers.append(byte: answers.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
    write(answers)
  }

  func closeOne() { open -= 1 }
  func seal() { isSealed = true }

  /// Everything is answered.
  var isFinished: Bool { isSealed && open == 0 }

  /// The array, once everything is answered and there is something to say.
  var finished: [UInt8]? {
    guard isFinished, !answers.isEmpty else { return nil }
    return answers.bytes + [UInt8(ascii: "]")]
  }
}
