extension ByteBuffer {
  /// Appends a valid JSON value without the blanks between its tokens and with U+2028 and U+2029 escaped; every other
  /// byte stays as it was sent.
  func appendCompacted(_ text: UnsafeRawBufferPointer) {
    var at = 0
    var isInString = false
    while at < text.count {
      let byte = text[at]
      if !isInString {
        if byte > 0x20 { append(byte: byte) }
        isInString = byte == UInt8(ascii: "\"")
        at += 1
      } else if byte == UInt8(ascii: "\\") {
        append(byte: byte)
        append(byte: text[at + 1])
        at += 2
      } else if byte == 0xE2 && text[at + 1] == 0x80 && text[at + 2] & 0xFE == 0xA8 {
        append(text[at + 2] == 0xA8 ? "\\u2028" : "\\u2029")
        at += 3
      } else {
        append(byte: byte)
        isInString = byte != UInt8(ascii: "\"")
        at += 1
      }
    }
  }
}
