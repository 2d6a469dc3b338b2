extension ByteBuffer {
  /// Appends `value` as a JSON string with its quotes (RFC 8259, section 7).
  public func appendJSONString(_ value: String) {
    var value = value
    value.withUTF8 { appendJSONString(UnsafeRawBufferPointer($0)) }
  }

  /// Appends valid UTF-8 as a JSON string with its quotes. U+2028 and U+2029 are escaped, because JavaScript before
  /// ES2019 and many line readers take them for line ends.
  public func appendJSONString(_ text: UnsafeRawBufferPointer) {
    append(byte: UInt8(ascii: "\""))
    var at = 0
    var plainStart = 0
    while at < text.count {
      let byte = text[at]
      let isSeparator = byte == 0xE2 && at + 2 < text.count && text[at + 1] == 0x80 && text[at + 2] & 0xFE == 0xA8
      if byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && !isSeparator {
        at += 1
        continue
      }
      append(UnsafeRawBufferPointer(rebasing: text[plainStart..<at]))
      if isSeparator {
        append(text[at + 2] == 0xA8 ? "\\u2028" : "\\u2029")
        at += 3
      } else {
        appendEscape(of: byte)
        at += 1
      }
      plainStart = at
    }
    append(UnsafeRawBufferPointer(rebasing: text[plainStart...]))
    append(byte: UInt8(ascii: "\""))
  }

  private func appendEscape(of byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case 0x08: append("\\b")
    case 0x09: append("\\t")
    case 0x0A: append("\\n")
    case 0x0C: append("\\f")
    case 0x0D: append("\\r")
    default:
      append("\\u00")
      append(byte: hexDigit(byte >> 4))
      append(byte: hexDigit(byte & 0xF))
    }
  }

  private func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? value + UInt8(ascii: "0") : value - 10 + UInt8(ascii: "a")
  }
}
