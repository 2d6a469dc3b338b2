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
    guard let value = ExactDecimal(text), value.plainDigits <= Self.digitLimit else { return nil }
    self.value = value
    jsonText = JSONText(trusted: Array(value.description.utf8))
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
    case .integer: self.init(number: "\(view.integer!)")
    case .real:
      guard let value = ExactDecimal("\(view.number!)") else { return nil }
      let surplus = value.digits.count - Self.numberDigits
      self.init(number: surplus > 0 ? value.rounded(to: -value.exponent - surplus).description : value.description)
    case .string: self.init(string: view.string!)
    default: return nil
    }
  }

  /// - Parameter view: was checked with ``schema`` or one of its kin.
  init(validated view: JSONView) { self.init(view)! }

  public func write(to writer: inout JSONWriter) { writer.text(jsonText) }

  // MARK: Schemas

  /// Any decimal.
  static var schema: Schema {
    Schema.checked(.any, expected: "a number") { isNumeric($0) }.decimal("a number")
  }

  /// A decimal that is not negative.
  static var unsignedSchema: Schema {
    Schema.checked(.any, expected: "a number") { isNumeric($0) }
      .decimal("a number of at least 0") { $0 >= .zero }
  }

  /// A part of a whole.
  static var shareSchema: Schema {
    Schema.checked(.any, expected: "a number") { isNumeric($0) }
      .decimal("a number from 0 to 1") { $0 >= .zero && $0 <= ExactDecimal(1) }
  }

  /// A number, or a string that holds one: of any size, so that size has an error of its own.
  private static func isNumeric(_ view: JSONView) -> Bool {
    switch view.kind {
    case .integer, .real: true
    case .string: ExactDecimal(view.string!) != nil
    default: false
    }
  }
}

extension Schema {
  fileprivate func decimal(
    _ expected: String, accepts: @escaping @Sendable (ExactDecimal) -> Bool = { _ in true }
  ) -> Schema {
    .checked(
      .checked(self, expected: "a number of at most \(DecimalNumber.digitLimit) digits, without exponent in a string") {
        DecimalNumber($0) != nil
      }, expected: expected
    ) { accepts(DecimalNumber(validated: $0).value) }
  }
}
