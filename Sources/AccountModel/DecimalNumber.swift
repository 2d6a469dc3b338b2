public import RPCShell

/// A decimal of the wire: its exact value, and the JSON it came as, so that it goes out as it came.
///
/// It comes as a JSON number, read as its shortest decimal with up to 15 digits (whole numbers keep all of theirs), or as
/// a string with JSON's number grammar without exponent and up to 38 digits.
public struct DecimalNumber: Sendable, Equatable, JSONWritable {
  /// What it counts as, whatever kind it came in.
  public let value: ExactDecimal
  /// A number in its shortest form (`8.2`, `10`), a string as it was given (`"9.90"`).
  public let jsonText: JSONText

  /// The most digits that a decimal may have in either kind.
  static let digitLimit = 38
  /// A binary double knows this many of its decimal digits for sure.
  private static let numberDigits = 15

  /// A decimal of the kind number.
  /// - Returns: nil for what is not a number, or would take more than 38 digits.
  public init?(number text: String) {
    guard let value = ExactDecimal(text) else { return nil }
    self.init(number: value)
  }

  private init?(number value: ExactDecimal) {
    guard value.plainDigits <= Self.digitLimit else { return nil }
    self.value = value
    jsonText = value.jsonText
  }

  /// A decimal of the kind string.
  /// - Returns: nil for what is not a number without exponent of up to 38 digits.
  public init?(string text: String) {
    guard text.utf8.allSatisfy({ $0 | 0x20 != UInt8(ascii: "e") }), let value = ExactDecimal(text),
      text.utf8.count(where: { $0 >= UInt8(ascii: "0") }) <= Self.digitLimit
    else { return nil }
    self.value = value
    jsonText = .string(text)
  }

  /// - Returns: nil for what is not a decimal.
  init?(_ view: JSONView) {
    switch view.kind {
    case .integer: self.init(number: ExactDecimal(view.integer!))
    case .real:
      guard let value = ExactDecimal("\(view.number!)") else { return nil }
      let surplus = value.digits.count - Self.numberDigits
      self.init(number: surplus > 0 ? value.rounded(to: -value.exponent - surplus) : value)
    case .string: self.init(string: view.string!)
    default: return nil
    }
  }

  /// - Parameter view: was checked with ``schema`` or one of its kin.
  init(validated view: JSONView) { self.init(view)! }

  public func write(to writer: inout JSONWriter) { writer.text(jsonText) }

  // MARK: Schemas

  /// Any decimal.
  static let schema = schema("a number", -.infinity ... .infinity)
  /// A decimal that is not negative.
  static let unsignedSchema = schema("a number of at least 0", 0 ... .infinity)
  /// A part of a whole.
  static let shareSchema = schema("a number from 0 to 1", 0...1)

  /// What is no number, has too many digits, or is out of range has an error of its own each.
  /// - Parameter range: with whole or infinite bounds.
  private static func schema(_ expected: String, _ range: ClosedRange<Double>) -> Schema {
    let numeric = Schema.checked(.any, expected: "a number", accepts: isNumeric)
    let size = "a number of at most \(digitLimit) digits, without exponent in a string"
    return .checked(.checked(numeric, expected: size, accepts: fits), expected: expected) { view in
      // Rounding to fewer digits does not lead out of whole bounds, so binary numbers need no second look.
      if let number = view.number, range.contains(number) { return true }
      let value = DecimalNumber(validated: view).value
      return (range.lowerBound.isInfinite || value >= ExactDecimal(Int(range.lowerBound)))
        && (range.upperBound.isInfinite || value <= ExactDecimal(Int(range.upperBound)))
    }
  }

  /// A number, or a string that holds one: of any size.
  @Sendable
  private static func isNumeric(_ view: JSONView) -> Bool {
    switch view.kind {
    case .integer, .real: true
    case .string: ExactDecimal(view.string!) != nil
    default: false
    }
  }

  @Sendable
  private static func fits(_ view: JSONView) -> Bool {
    if let number = view.number, number == 0 || (1e-9...1e19).contains(abs(number)) { return true }
    return DecimalNumber(view) != nil
  }
}
