extension JSONDocument {
  /// Parses a text that a person wrote (a file, an argument): one value and nothing else, maybe behind a byte order mark.
  /// - Throws: the place and the words that a session's own parse errors have.
  public convenience init(wholeText text: [UInt8]) throws(JSONParseFailure) {
    let start = text.byteOrderMark
    let buffer = ByteBuffer(capacity: text.count + 1)
    text.withUnsafeBytes { buffer.append(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    // So that a number at the end has ended.
    buffer.append(byte: UInt8(ascii: "\n"))
    var outline = Outline()
    switch JSONScanner().scan(buffer.readable, outline: &outline) {
    case .complete(let end):
      let rest = buffer.readable[end...]
      if let more = rest.firstIndex(where: { $0 > 0x20 }) {
        throw JSONParseFailure(offset: start + more, reason: "expected nothing more")
      }
    case .invalid(let failure) where start + failure.offset < text.count:
      throw JSONParseFailure(offset: start + failure.offset, reason: failure.reason)
    case .incomplete, .invalid: throw JSONParseFailure(offset: text.count, reason: "the text ends too soon")
    }
    try self.init(parsing: buffer.readable)
  }
}

extension JSONText {
  /// A text that a person wrote, as it may be sent: on one line, all else byte for byte.
  /// - Throws: as ``JSONDocument/init(wholeText:)``.
  public init(wholeText text: [UInt8]) throws(JSONParseFailure) {
    _ = try JSONDocument(wholeText: text)
    let buffer = ByteBuffer(capacity: text.count)
    text.withUnsafeBytes { buffer.appendCompacted(UnsafeRawBufferPointer(rebasing: $0[text.byteOrderMark...])) }
    self.init(trusted: buffer.bytes)
  }
}

extension [UInt8] {
  /// Bytes of a byte order mark in front.
  fileprivate var byteOrderMark: Int { starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }
}

extension JSONParseFailure {
  /// `line 3, column 5: expected ',' or '}'`: both count from 1, the column in bytes.
  /// - Parameter text: what was parsed.
  public func text(in text: [UInt8]) -> String {
    let before = text.prefix(offset)
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return "line \(line), column \(before.count - lineStart + 1): \(reason)"
  }
}
