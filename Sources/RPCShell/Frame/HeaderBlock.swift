/// The header block of one message (LSP base protocol): what its lines said so far.
struct HeaderBlock {
  /// A block may be this long, and no longer: nothing that a client sends comes near.
  static let limit = 16384

  private(set) var contentLength: Int?
  /// Why the body cannot be read, although where it ends is known.
  private(set) var charsetError: String?
  private(set) var count = 0

  /// Reads one line, without its line end.
  /// - Throws: what is wrong with it.
  mutating func read(_ line: UnsafeRawBufferPointer) throws(HeaderError) {
    count += line.count
    guard count <= Self.limit else { throw .tooLong }
    // A message is no header, even if a colon stands in it.
    guard Self.lineStart(UnsafeRawBufferPointer(rebasing: trimmed(line[...]))) == .header,
      let colon = line.firstIndex(of: UInt8(ascii: ":"))
    else {
      throw HeaderError(reason: "expected a header line 'Name: value'")
    }
    let name = lowercased(trimmed(line[..<colon]))
    let value = trimmed(line[(colon + 1)...])
    switch name {
    case "content-length":
      let length = try number(value)
      if let contentLength, contentLength != length {
        throw HeaderError(reason: "two different Content-Length headers")
      }
      contentLength = length
    case "content-type": checkCharset(lowercased(value))
    default: break
    }
  }

  /// A length is decimal digits; one that does not fit is as bad as one that is not a number.
  private func number(_ text: Slice<UnsafeRawBufferPointer>) throws(HeaderError) -> Int {
    var length = 0
    guard !text.isEmpty else { throw HeaderError(reason: "Content-Length without a number") }
    for byte in text {
      guard isDigit(byte) else { throw HeaderError(reason: "Content-Length is not a number") }
      let (shifted, overflow) = length.multipliedReportingOverflow(by: 10)
      guard !overflow, shifted <= Int.max - 9 else { throw HeaderError(reason: "Content-Length does not fit") }
      length = shifted + Int(byte - UInt8(ascii: "0"))
    }
    return length
  }

  private mutating func checkCharset(_ value: String) {
    for parameter in value.filter({ $0 != " " && $0 != "\t" }).split(separator: ";")
    where parameter.hasPrefix("charset=") {
      let name = parameter.dropFirst("charset=".count).filter { $0 != "\"" }
      if name != "utf-8" && name != "utf8" { charsetError = "Content-Type charset must be utf-8, not '\(name)'" }
    }
  }

  private func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    var text = text.drop { $0 == 0x20 || $0 == 0x09 }
    while let last = text.last, last == 0x20 || last == 0x09 || last == 0x0D { text = text.dropLast() }
    return text
  }

  private func lowercased(_ text: Slice<UnsafeRawBufferPointer>) -> String {
    String(decoding: text.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Marks that header names are written with.
  private static func isMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
  }

  /// How a line's start reads: a header has a name of letters, digits and few marks, and a colon behind it.
  enum LineStart { case header, other, undecided }

  /// Names, with the blanks behind them, are at most this long.
  private static let nameLimit = 256

  static func lineStart(_ line: UnsafeRawBufferPointer) -> LineStart {
    let start = line.prefix(nameLimit)
    let atEnd = line.count < nameLimit ? LineStart.undecided : .other
    for (index, byte) in start.enumerated() {
      if byte == UInt8(ascii: ":") { return index > 0 ? .header : .other }
      if byte == 0x20 || byte == 0x09 {
        // Blanks may stand before the colon only.
        guard let next = start[index...].first(where: { $0 != 0x20 && $0 != 0x09 }) else { return atEnd }
        return next == UInt8(ascii: ":") ? .header : .other
      }
      guard isLetter(byte) || index > 0 && (isDigit(byte) || isMark(byte)) else { return .other }
    }
    return atEnd
  }
}

/// What is wrong with a header block.
struct HeaderError: Error, Equatable {
  var reason: String

  static let tooLong = HeaderError(reason: "header block longer than \(HeaderBlock.limit) bytes")
}
