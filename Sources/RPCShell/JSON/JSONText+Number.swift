extension JSONText {
  /// A number in its shortest form: `8.2`, `10`, `1e21`, never `8.1999999999999993`, `10.0` or `1e+21`; null where it is
  /// not finite, for which JSON has no word.
  public init(shortest number: Double) {
    guard number.isFinite else {
      self = .null
      return
    }
    // Minus zero is zero to everybody who reads it.
    var text = number == 0 ? "0" : "\(number)"
    if text.hasSuffix(".0") { text.removeLast(2) }
    self.init(trusted: Self.shorteningExponent(of: Array(text.utf8)))
  }

  /// `1e+21` → `1e21`, `1e-05` → `1e-5`.
  private static func shorteningExponent(of text: [UInt8]) -> [UInt8] {
    guard let mark = text.firstIndex(of: UInt8(ascii: "e")) else { return text }
    let exponent = text[(mark + 1)...]
    let sign = exponent.prefix { $0 == UInt8(ascii: "-") }
    let digits = exponent.drop { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "0") }
    return Array(text[...mark]) + sign + digits
  }
}
