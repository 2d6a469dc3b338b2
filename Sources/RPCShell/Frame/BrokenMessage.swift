/// What can be told of an object that is not JSON: names at its top level, found by brackets and quotes alone.
struct BrokenMessage {
  /// The text of `id`, where it is a number and stands there once.
  private(set) var id: [UInt8]?
  private var hasTwoIDs = false
  private var hasMethod = false
  private var hasOutcome = false

  /// It has the members of an answer.
  var isAnswer: Bool { hasOutcome && !hasMethod }

  init(_ text: UnsafeRawBufferPointer) {
    var at = 0
    var depth = 0
    while at < text.count {
      switch text[at] {
      case UInt8(ascii: "\""):
        let end = Self.endOfString(in: text, from: at)
        if depth == 1, let value = Self.value(in: text, behind: end) { note(text[(at + 1)..<(end - 1)], value) }
        at = end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      at += 1
    }
    if hasTwoIDs { id = nil }
  }

  private mutating func note(_ name: Slice<UnsafeRawBufferPointer>, _ value: Slice<UnsafeRawBufferPointer>) {
    if name.elementsEqual("id".utf8) {
      if id != nil { hasTwoIDs = true }
      id = Array(value.prefix { isDigit($0) })
    } else if name.elementsEqual("method".utf8) {
      hasMethod = true
    } else if name.elementsEqual("result".utf8) || name.elementsEqual("error".utf8) {
      hasOutcome = true
    }
  }

  /// - Returns: the offset behind its closing quote, or behind the text.
  private static func endOfString(in text: UnsafeRawBufferPointer, from start: Int) -> Int {
    var at = start + 1
    while at < text.count, text[at] != UInt8(ascii: "\"") { at += text[at] == UInt8(ascii: "\\") ? 2 : 1 }
    return min(at, text.count - 1) + 1
  }

  /// What stands behind the colon that follows a name; nil where none follows.
  private static func value(in text: UnsafeRawBufferPointer, behind end: Int) -> Slice<UnsafeRawBufferPointer>? {
    let rest = text[end...].drop { $0 <= 0x20 }
    return rest.first == UInt8(ascii: ":") ? rest.dropFirst().drop { $0 <= 0x20 } : nil
  }
}
