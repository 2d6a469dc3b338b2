/// The answers to one batch (JSON-RPC 2.0, section 6): one array, sent when all its calls are answered.
final class Batch {
  let framing: Framing
  /// Ids answered in this batch: until the array is sent they are in flight for the client.
  var ids: [RequestID] = []
  private let answers = ByteBuffer(capacity: 1024)
  private var open = 0
  private var isSealed = false

  init(framing: Framing) { self.framing = framing }

  /// A call of this batch will be answered later.
  func addOpen() { open += 1 }
  func closeOne() { open -= 1 }

  /// No more calls will come.
  func seal() { isSealed = true }

  /// Adds one answer.
  func answer(_ write: (ByteBuffer) -> Void) {
    answers.append(byte: answers.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
    write(answers)
  }

  /// Bytes of the answers so far.
  var count: Int { answers.count }

  /// Everything is answered.
  var isFinished: Bool { isSealed && open == 0 }

  /// The array, once everything is answered; nil when there is nothing to say.
  func close() -> ByteBuffer? {
    guard !answers.isEmpty else { return nil }
    answers.append(byte: UInt8(ascii: "]"))
    return answers
  }
}
