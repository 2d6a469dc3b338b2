public import RPCShell

/// What an upgrade would cost, as whoever does it says before it is made.
public struct UpgradePreview: Sendable, Equatable {
  /// The plan that it leads to.
  public var name: String?
  /// What is to be paid at once, with ``credit`` taken off already.
  public var dueNow: Price
  /// What is left of the plan that is given up.
  public var credit: Price?
  /// What is paid after that.
  public var nextCharge: Charge?
  /// When the new plan takes over; nil is at once.
  public var effectiveDate: DateValue?

  /// A payment to come.
  public struct Charge: Sendable, Equatable {
    /// What is to be paid.
    public var price: Price
    /// When; nil where nobody knows.
    public var on: DateValue?

    public init(price: Price, on: DateValue? = nil) {
      self.price = price
      self.on = on
    }
  }

  /// An upgrade that is paid at once, with nothing else to say.
  public init(dueNow: Price) { self.dueNow = dueNow }
}

// MARK: JSON

extension UpgradePreview: JSONWritable {
  /// What it must look like.
  public static let schema: Schema =
    Schema.object([
      .optional("name", .nonEmptyString, "the plan that it leads to"),
      .required("dueNow", Price.schema, "what is to be paid at once, with the credit taken off"),
      .optional("credit", Price.schema, "what is left of the plan that is given up"),
      .optional("nextCharge", Charge.schema),
      .optional("effectiveDate", DateValue.schema, "when the new plan takes over; null is at once"),
    ])

  /// Reads a preview from outside.
  ///
  /// - Parameters:
  ///   - path: where it stands, for errors: `preview`.
  ///   - unknown: what unknown members mean.
  /// - Throws: the first thing that is wrong: `preview.dueNow: missing; expected an object`.
  public init(
    checking view: JSONView, path: String = "", unknown: Schema.UnknownMembers = .refused
  ) throws(SchemaViolation) {
    try Self.schema.validate(view, path: path, unknown: unknown)
    name = view["name"]?.string
    dueNow = Price(validated: view["dueNow"]!)
    credit = view["credit"]?.unlessNull.map { Price(validated: $0) }
    nextCharge = view["nextCharge"]?.unlessNull.map { Charge(validated: $0) }
    effectiveDate = view["effectiveDate"]?.unlessNull.map { DateValue(validated: $0) }
  }

  /// Writes what there is.
  public func write(to writer: inout JSONWriter) {
    writer.object { preview in
      if let name { preview.member("name", name) }
      preview.member("dueNow", dueNow)
      if let credit { preview.member("credit", credit) }
      if let nextCharge { preview.member("nextCharge", nextCharge) }
      if let effectiveDate { preview.member("effectiveDate", effectiveDate) }
    }
  }
}

extension UpgradePreview.Charge: JSONWritable {
  static let schema: Schema =
    Schema.object([.required("price", Price.schema), .optional("on", DateValue.schema)])

  init(validated view: JSONView) {
    price = Price(validated: view["price"]!)
    on = view["on"]?.unlessNull.map { DateValue(validated: $0) }
  }

  /// Writes what there is.
  public func write(to writer: inout JSONWriter) {
    writer.object { charge in
      charge.member("price", price)
      if let on { charge.member("on", on) }
    }
  }
}

extension JSONView {
  fileprivate var unlessNull: JSONView? { isNull ? nil : self }
}
