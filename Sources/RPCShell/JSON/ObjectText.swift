/// The members of an object where they stand in its text: for changing one and leaving all else byte for byte.
package struct ObjectText {
  /// A valid JSON object.
  private let text: UnsafeRawBufferPointer

  package init(_ text: UnsafeRawBufferPointer) { self.text = text }

  /// Copies the text, with other values for some of its members.
  ///
  /// - Parameter replacement: is given a member's name as it is written, without quotes, and its value's text; nil keeps it.
  package func replacing(
    _ replacement: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> JSONText?
  ) -> JSONText {
    var result: [UInt8] = []
    result.reserveCapacity(text.count + 16)
    var copied = 0
    forEachMember { name, value in
      let part = UnsafeRawBufferPointer(rebasing: text[value])
      guard let new = replacement(UnsafeRawBufferPointer(rebasing: text[name]), part) else { return }
      result += text[copied..<value.lowerBound]
      result += new.bytes
      copied = value.upperBound
    }
    result += text[copied...]
    return JSONText(trusted: result)
  }

  private func forEachMember(_ visit: (_ name: Range<Int>, _ value: Range<Int>) -> Void) {
    guard var at = text.firstIndex(of: UInt8(ascii: "{")).map({ $0 + 1 }) else { return }
    while true {
      at = skip(from: at) { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
      guard at < text.count, text[at] == UInt8(ascii: "\"") else { return }
      let nameEnd = endOfString(at)
      let start = skip(from: nameEnd) { $0 <= 0x20 || $0 == UInt8(ascii: ":") }
      let end = endOfValue(start)
      visit(at + 1..<nameEnd - 1, start..<end)
      at = end
    }
  }

  private func skip(from start: Int, _ isSkipped: (UInt8) -> Bool) -> Int {
    var at = start
    while at < text.count, isSkipped(text[at]) { at += 1 }
    return at
  }

  /// - Parameter start: of its first quote.
  private func endOfString(_ start: Int) -> Int {
    var at = start + 1
    while at < text.count, text[at] != UInt8(ascii: "\"") { at += text[at] == UInt8(ascii: "\\") ? 2 : 1 }
    return at + 1
  }

  private func endOfValue(_ start: Int) -> Int {
    switch text[start] {
    case UInt8(ascii: "\""): return endOfString(start)
    case UInt8(ascii: "{"), UInt8(ascii: "["): return endOfContainer(start)
    default: return skip(from: start) { $0 > 0x20 && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }
    }
  }

  private func endOfContainer(_ start: Int) -> Int {
    var at = start
    var depth = 0
    repeat {
      switch text[at] {
      case UInt8(ascii: "\""): at = endOfString(at) - 1
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      at += 1
    } while depth > 0
    return at
  }
}
