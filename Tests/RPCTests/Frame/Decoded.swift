@testable import RPCShell

/// One thing that a decoder found, as a value: a frame itself is valid only until the next one.
enum Decoded: Equatable, Sendable {
  case line(String)
  case body(String)
  case malformed(String, line: Int, column: Int)
  case tooLarge(id: String?)

  init(_ frame: Frame) {
    let text = String(decoding: frame.text, as: UTF8.self)
    self = frame.framing == .lines ? .line(text) : .body(text)
  }

  init(_ failure: FrameFailure) {
    switch failure.kind {
    case .malformed: self = .malformed(failure.reason, line: failure.line, column: failure.column)
    case .tooLarge: self = .tooLarge(id: failure.id.map { String(decoding: $0, as: UTF8.self) })
    }
  }

  /// What stands on a line that starts neither a message nor a header block.
  static let garbage = Decoded.malformed("expected '{', '[' or a header line", line: 1, column: 1)

  var isMessage: Bool {
    switch self {
    case .line, .body: true
    case .malformed, .tooLarge: false
    }
  }
}

/// A decoder that is fed by hand.
final class FedDecoder {
  private var decoder: FrameDecoder

  init(_ options: DecoderOptions = DecoderOptions()) { decoder = FrameDecoder(options: options) }

  /// What is found after this much more input.
  func feed(_ bytes: some Collection<UInt8>) -> [Decoded] {
    decoder.buffer.append(Array(bytes))
    return drain()
  }

  func feed(_ text: String) -> [Decoded] { feed(text.utf8) }

  /// What is found when no more input comes.
  func finish() -> [Decoded] {
    decoder.finish()
    return drain()
  }

  /// What is found in input whose end is known from the start.
  func finish(after bytes: [UInt8]) -> [Decoded] {
    decoder.buffer.append(bytes)
    return finish()
  }

  /// What silence brings.
  func expire() -> Decoded? {
    decoder.expire().map { Decoded($0) }
  }
  var isWaitingForLines: Bool { decoder.isWaitingForLines }
  /// Bytes that are stored, or allocated.
  var held: Int { decoder.buffer.count }
  var allocated: Int { decoder.buffer.count + decoder.buffer.room }

  private func drain() -> [Decoded] {
    var found: [Decoded] = []
    while true {
      switch decoder.next() {
      case .frame(let frame): found.append(Decoded(frame))
      case .failure(let failure): found.append(Decoded(failure))
      case .needsInput: return found
      }
    }
  }
}

/// A row of the table: input, and what is found in it however it is cut.
struct Conversation: Sendable, CustomStringConvertible {
  let description: String
  let input: [UInt8]
  let expected: [Decoded]
  var options = DecoderOptions()

  init(_ description: String, _ input: String, _ expected: [Decoded]) {
    self.init(description, Array(input.utf8), expected)
  }

  init(_ description: String, _ input: [UInt8], _ expected: [Decoded]) {
    self.description = description
    self.input = input
    self.expected = expected
  }

  /// The same with one framing only.
  func pinned(to framing: Framing) -> Conversation {
    var pinned = self
    pinned.options.framing = framing
    return pinned
  }

  /// The same with a limit.
  func limited(to maxMessage: Int) -> Conversation {
    var limited = self
    limited.options.maxMessage = maxMessage
    return limited
  }

  /// What is found when the input comes in these chunks.
  func decoded(_ chunks: [ArraySlice<UInt8>]) -> [Decoded] {
    let decoder = FedDecoder(options)
    return chunks.flatMap { decoder.feed($0) } + decoder.finish()
  }

  // MARK: Ways to cut the input

  var whole: [ArraySlice<UInt8>] { [input[...]] }
  var byteByByte: [ArraySlice<UInt8>] { input.indices.map { input[$0...$0] } }
  func cut(at offset: Int) -> [ArraySlice<UInt8>] { [input[..<offset], input[offset...]] }

  func cut(using random: inout SeededGenerator) -> [ArraySlice<UInt8>] {
    var chunks: [ArraySlice<UInt8>] = []
    var rest = input[...]
    while !rest.isEmpty {
      let size = Int.random(in: 1...max(1, min(rest.count, Int.random(in: 1...40, using: &random))), using: &random)
      chunks.append(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    return chunks
  }
}
