/// Follows brackets and strings through a message that arrives in pieces, to find where it ends without scanning it
/// again from its start with each piece. Says nothing about the grammar: ``JSONScanner`` does, once, at the end.
struct JSONBalance {
  enum Step: Equatable {
    /// The message goes on.
    case open
    /// The message ended; the next byte stands at this offset of the piece.
    case closed(Int)
    /// A line ended outside a string at this offset (that of the byte after the LF). Call again from there.
    case lineEnd(Int)
    /// A line ended inside a string, which no JSON text may contain; the byte after the LF stands at this offset.
    case broken(Int)
  }

  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  /// Looks at the next piece of the message.
  mutating func advance(over piece: UnsafeRawBufferPointer) -> Step {
    guard let base = piece.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return .open }
    var at = 0
    while at < piece.count {
      let byte = base[at]
      at += 1
      if isEscaped {
        if byte == UInt8(ascii: "\n") { return .broken(at) }
        isEscaped = false
      } else if isInString {
        switch byte {
        case UInt8(ascii: "\""): isInString = false
        case UInt8(ascii: "\\"): isEscaped = true
        case UInt8(ascii: "\n"): return .broken(at)
        default: break
        }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          if depth <= 0 { return .closed(at) }
        case UInt8(ascii: "\n"): return .lineEnd(at)
        default: break
        }
      }
    }
    return .open
  }
}
