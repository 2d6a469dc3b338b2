public import RPCShell

/// What a plan costs, or what went over it.
public enum Price: Sendable, Equatable, JSONWritable {
  /// An amount in the currency's major unit (`9.99`) and an ISO 4217 code, which is kept as it was given.
  case amount(DecimalNumber, currencyCode: String)
  /// A finished text, shown as it is.
  case display(String)
  case free

  static let schema: Schema =
    Schema.oneOf([
      [.required("amount", DecimalNumber.schema), .required("currencyCode", currencySchema)],
      [.required("display", .checked(.string, expected: "a text to show") { !$0.string!.plainLine.isEmpty })],
      [.required("free", .checked(.boolean, expected: "true") { $0.bool == true })],
    ])

  private static let currencySchema: Schema =
    Schema.checked(.string, expected: "a currency code of three letters") { view in
      let code = view.string!.utf8
      return code.count == 3 && code.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
    }

  /// - Parameter view: was checked with ``schema``.
  init(validated view: JSONView) {
    if let amount = view["amount"] {
      self = .amount(DecimalNumber(validated: amount), currencyCode: view["currencyCode"]!.string!)
    } else if let text = view["display"]?.string {
      self = .display(text)
    } else {
      self = .free
    }
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { price in
      switch self {
      case .amount(let amount, let currencyCode):
        price.member("amount", amount)
        price.member("currencyCode", currencyCode)
      case .display(let text): price.member("display", text)
      case .free: price.member("free", true)
      }
    }
  }
}

/// How often a price is due.
public enum Period: String, Sendable, CaseIterable, JSONWritable {
  case week, month, year

  static let schema: Schema =
    Schema.choice(allCases.map(\.rawValue))

  public func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}
