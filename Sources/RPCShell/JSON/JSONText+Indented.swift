extension JSONText {
  /// The value over several lines, two blanks a level, for people: what `jq .` prints.
  public var indented: [UInt8] {
    let buffer = ByteBuffer(capacity: bytes.count * 2)
    var depth = 0
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      switch byte {
      case UInt8(ascii: "\""):
        let end = endOfString(from: at)
        buffer.append(Array(bytes[at..<end]))
        at = end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        buffer.append(byte: byte)
        // An empty container stays on its line.
        if bytes[at + 1] == byte + 2 {
          buffer.append(byte: byte + 2)
          at += 1
        } else {
          depth += 1
          buffer.startLine(depth)
        }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        buffer.startLine(depth)
        buffer.append(byte: byte)
      case UInt8(ascii: ","):
        buffer.append(byte: byte)
        buffer.startLine(depth)
      case UInt8(ascii: ":"): buffer.append(": ")
      default: buffer.append(byte: byte)
      }
      at += 1
    }
    return buffer.bytes
  }

  /// The offset behind the closing quote of the string that starts at `start`.
  private func endOfString(from start: Int) -> Int {
    var at = start + 1
    while bytes[at] != UInt8(ascii: "\"") { at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1 }
    return at + 1
  }
}

extension ByteBuffer {
  fileprivate func startLine(_ depth: Int) {
    append(byte: UInt8(ascii: "\n"))
    for _ in 0..<depth { append("  ") }
  }
}
