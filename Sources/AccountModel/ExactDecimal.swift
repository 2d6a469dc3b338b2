public import RPCShell

/// A decimal number of any size, with exact arithmetic: binary numbers miss borders such as 85 % of 5.9.
///
/// Kept as digits without leading and trailing zeros, so that equal numbers are equal values.
public struct ExactDecimal: Sendable, Hashable {
  /// False for zero.
  let isNegative: Bool
  /// 0 … 9, the most significant first; empty for zero.
  let digits: [UInt8]
  /// The power of ten of the last digit; 0 for zero.
  let exponent: Int

  init(isNegative: Bool, digits: [UInt8], exponent: Int) {
    if let first = digits.first, let last = digits.last, first != 0, last != 0 {
      (self.isNegative, self.digits, self.exponent) = (isNegative, digits, exponent)
      return
    }
    let significant = digits.drop { $0 == 0 }
    let end = significant.lastIndex { $0 != 0 }.map { $0 + 1 } ?? significant.startIndex
    self.digits = Array(significant[significant.startIndex..<end])
    self.isNegative = isNegative && !self.digits.isEmpty
    self.exponent = self.digits.isEmpty ? 0 : exponent + significant.endIndex - end
  }

  public static let zero = ExactDecimal(isNegative: false, digits: [], exponent: 0)

  public var isZero: Bool { digits.isEmpty }

  /// Reads JSON's number grammar, with an exponent of up to 4 digits: `-12.50`, `1e-07`.
  public init?(_ text: some StringProtocol) {
    var rest = Array(text.utf8)[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest.removeFirst() }
    let whole = rest.takeDigits()
    guard let lead = whole.first, lead != 0 || whole.count == 1 else { return nil }
    var fraction: [UInt8] = []
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = rest.takeDigits()
      if fraction.isEmpty { return nil }
    }
    var exponent = 0
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      guard let read = Int(String(decoding: rest, as: UTF8.self)), read.magnitude < 10_000 else { return nil }
      exponent = read
      rest = []
    }
    guard rest.isEmpty else { return nil }
    self.init(isNegative: isNegative, digits: whole + fraction, exponent: exponent - fraction.count)
  }

  /// A whole number.
  public init(_ integer: Int) {
    var rest = integer.magnitude
    let digits = [UInt8](unsafeUninitializedCapacity: 20) { buffer, count in
      while rest > 0 {
        buffer[count] = UInt8(rest % 10)
        rest /= 10
        count += 1
      }
      buffer[..<count].reverse()
    }
    self.init(isNegative: integer < 0, digits: digits, exponent: 0)
  }

  /// The same with the other sign.
  public var negated: ExactDecimal { ExactDecimal(isNegative: !isNegative, digits: digits, exponent: exponent) }

  /// How many digits there are from the first to the last that is not 0.
  public var digitCount: Int { digits.count }

  /// How many digits ``description`` takes.
  var plainDigits: Int {
    exponent >= 0 ? max(1, digits.count + exponent) : max(digits.count, 1 - exponent)
  }
}

extension ExactDecimal: CustomStringConvertible {
  /// The shortest text without an exponent: `8.2`, `10`, `0.05`.
  public var description: String {
    var text = digits.map { $0 + UInt8(ascii: "0") }
    if exponent >= 0 {
      text += repeatElement(UInt8(ascii: "0"), count: digits.isEmpty ? 1 : exponent)
    } else {
      let missing = 1 - exponent - digits.count
      if missing > 0 { text.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: missing), at: 0) }
      text.insert(UInt8(ascii: "."), at: text.count + exponent)
    }
    return (isNegative ? "-" : "") + String(decoding: text, as: UTF8.self)
  }
}

extension ExactDecimal {
  /// The shortest JSON number that every reader takes: whole numbers past 64 bits have an exponent.
  public var jsonText: JSONText {
    let text = description
    guard exponent >= 0, digits.count + exponent > 18, Int(text) == nil else {
      return JSONText(trusted: Array(text.utf8))
    }
    let sign: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
    return JSONText(trusted: sign + digits.map { $0 + UInt8(ascii: "0") } + Array("e\(exponent)".utf8))
  }
}

extension ExactDecimal: Comparable {
  public static func < (one: ExactDecimal, other: ExactDecimal) -> Bool {
    if one.isNegative != other.isNegative { return one.isNegative }
    return one.isNegative ? other.isSmaller(than: one) : one.isSmaller(than: other)
  }

  /// Compares without the sign.
  private func isSmaller(than other: ExactDecimal) -> Bool {
    if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
    let (top, otherTop) = (digits.count + exponent, other.digits.count + other.exponent)
    return top == otherTop ? digits.lexicographicallyPrecedes(other.digits) : top < otherTop
  }
}

extension ArraySlice<UInt8> {
  /// Takes the decimal digits at the start, as their values.
  fileprivate mutating func takeDigits() -> [UInt8] {
    let taken = prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    self = self[taken.endIndex...]
    return taken.map { $0 - UInt8(ascii: "0") }
  }
}
