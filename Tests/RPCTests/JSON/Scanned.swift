@testable import RPCShell

/// What the scanner made of some bytes.
struct Scanned {
  let verdict: JSONScanner.Verdict
  let outline: Outline
  private let bytes: [UInt8]

  /// Scans bytes that lie at the end of their storage, with nothing behind them but the slack that a scanner may load.
  ///
  /// - Parameter slack: what the slack holds. It must not matter.
  init(_ bytes: [UInt8], slack: Character = "}") {
    let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count + ByteBuffer.slack, alignment: 1)
    defer { storage.deallocate() }
    storage.copyBytes(from: bytes + [UInt8](repeating: slack.asciiValue!, count: ByteBuffer.slack))
    var outline = Outline()
    verdict = JSONScanner().scan(UnsafeRawBufferPointer(rebasing: storage[..<bytes.count]), outline: &outline)
    self.outline = outline
    self.bytes = bytes
  }

  init(_ text: String) { self.init(Array(text.utf8)) }

  /// The text of a member of the envelope; nil when it was not there.
  subscript(member: Outline.Member) -> String? {
    let span = outline[member]
    return span.isAbsent ? nil : String(decoding: bytes[span.start..<span.end], as: UTF8.self)
  }

  /// Where and why the text is not JSON; nil when it is, or might become so.
  var failure: JSONParseFailure? {
    if case .invalid(let failure) = verdict { failure } else { nil }
  }
}

/// The row of a table: a text and what is expected of it.
struct Row<Expectation: Sendable>: Sendable, CustomStringConvertible {
  let text: String
  let expected: Expectation

  init(_ text: String, _ expected: Expectation) {
    self.text = text
    self.expected = expected
  }

  var description: String { String(text.prefix(120)) }
}

/// A text that is not JSON: where the scanner stops, and what it says.
struct Flaw: Equatable, Sendable {
  let offset: Int
  let reason: String

  init(_ offset: Int, _ reason: String) {
    self.offset = offset
    self.reason = reason
  }
}
