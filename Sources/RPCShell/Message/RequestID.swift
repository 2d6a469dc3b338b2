/// A request's `id`: the bytes that go back, and the value by which ids are told apart.
///
/// Ids compare by value: `1` and `1.0` are one id, `"1"` is another, and numbers may be of any size.
public struct RequestID: Hashable, Sendable {
  /// The id as it was sent: a JSON string, number or null.
  public let text: [UInt8]
  private let value: Value

  private enum Value: Hashable {
    case null
    case string([UInt8])
    /// digits without leading or trailing zeros, and the power of ten of the last one; zero is `([], 0)`.
    case number(isNegative: Bool, digits: [UInt8], exponent: Int)
    /// A number whose exponent does not fit: equal only to the same text, but for letter case.
    case hugeNumber([UInt8])
  }

  /// - Parameter text: a valid JSON string, number or null.
  public init(_ text: [UInt8]) {
    self.text = text
    value = Self.value(of: text)
  }

  public static func == (one: RequestID, other: RequestID) -> Bool { one.value == other.value }
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }

  private static func value(of text: [UInt8]) -> Value {
    switch text.first {
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "\""):
      guard text.contains(UInt8(ascii: "\\")), let document = try? JSONDocument(parsing: JSONText(trusted: text)),
        let string = document.view.string
      else { return .string(Array(text.dropFirst().dropLast())) }
      return .string(Array(string.utf8))
    default: return number(text)
    }
  }

  private static func number(_ text: [UInt8]) -> Value {
    let isNegative = text.first == UInt8(ascii: "-")
    let mark = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.endIndex
    var digits = text[..<mark].filter(isDigit)
    var exponent = 0
    if mark < text.endIndex {
      let written = text[(mark + 1)...].drop { $0 == UInt8(ascii: "+") }
      guard let read = Int(String(decoding: written, as: UTF8.self)), read.magnitude < 1 << 61 else {
        return digits.contains { $0 != UInt8(ascii: "0") } ? .hugeNumber(text.map { $0 | 0x20 }) : zero
      }
      exponent = read
    }
    if let point = text[..<mark].firstIndex(of: UInt8(ascii: ".")) { exponent -= mark - point - 1 }
    digits = Array(digits.drop { $0 == UInt8(ascii: "0") })
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    return digits.isEmpty ? zero : .number(isNegative: isNegative, digits: digits, exponent: exponent)
  }

  private static let zero = Value.number(isNegative: false, digits: [], exponent: 0)
}

extension RequestID: CustomStringConvertible {
  public var description: String { String(decoding: text, as: UTF8.self) }
}
