public import RPCShell

/// One limit of a plan and how much of it is used.
public struct Meter: Sendable, Equatable, JSONWritable {
  /// Tells the meters of a plan apart.
  public var id: String
  /// What is counted, for the person: `Storage`.
  public var label: String
  /// May pass the limit.
  public var used: DecimalNumber
  /// nil where there is none.
  public var limit: DecimalNumber?
  /// `GB`; empty for counts.
  public var unit = Given<String>.absent
  /// How both figures are written.
  public var format = Given<NumberFormat>.absent
  /// The name of an SF Symbol.
  public var symbol = Given<String>.absent
  /// Meters with the same group belong together.
  public var group = Given<String>.absent
  /// The share from which it is almost full, 0 … 1; 1 never warns.
  public var warnAt = Given<DecimalNumber>.absent
  /// When it starts again from 0; makes it an allowance.
  public var resets = Given<DateValue>.absent
  /// What went over the limit.
  public var overage = Given<Overage>.absent
  /// Shares that somebody wants to hear of, 0 … 1.
  public var alerts = Given<[DecimalNumber]>.absent

  /// A meter with nothing optional given.
  public init(id: String, label: String, used: DecimalNumber, limit: DecimalNumber?) {
    self.id = id
    self.label = label
    self.used = used
    self.limit = limit
  }

  /// What went over the limit, and what that costs.
  public struct Overage: Sendable, Equatable, JSONWritable {
    /// In the meter's unit.
    public var amount: DecimalNumber
    /// What it costs.
    public var cost: Given<Price>

    /// An overage with or without a cost.
    public init(amount: DecimalNumber, cost: Given<Price> = .absent) {
      self.amount = amount
      self.cost = cost
    }

    static let schema: Schema =
      Schema.object([
        .required("amount", DecimalNumber.unsignedSchema), .optional("cost", Price.schema),
      ])

    init(validated view: JSONView) {
      amount = DecimalNumber(validated: view["amount"]!)
      cost = Given(view["cost"]) { Price(validated: $0) }
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { overage in
        overage.member("amount", amount)
        overage.member("cost", cost)
      }
    }
  }
}

// MARK: JSON

extension Meter {
  static let schema: Schema =
    Schema.object([
      .required("id", .string, "unique among the plan's meters"),
      .required("label", .string),
      .required("used", DecimalNumber.unsignedSchema),
      .required("limit", .nullable(DecimalNumber.unsignedSchema), "null is unlimited"),
      .optional("unit", .string),
      .optional("format", NumberFormat.schema),
      .optional("symbol", .string(maxBytes: 64, nonEmpty: false), "an SF Symbol's name"),
      .optional("group", .string),
      .optional("warnAt", DecimalNumber.shareSchema),
      .optional("resets", DateValue.schema, "makes it an allowance"),
      .optional("overage", Overage.schema),
      .optional("alerts", .array(DecimalNumber.shareSchema)),
    ])

  /// - Parameter view: was checked with ``schema``.
  init(validated view: JSONView) {
    id = view["id"]!.string!
    label = view["label"]!.string!
    used = DecimalNumber(validated: view["used"]!)
    limit = view["limit"].flatMap { $0.isNull ? nil : DecimalNumber(validated: $0) }
    unit = Given(view["unit"]) { $0.string! }
    format = Given(view["format"]) { NumberFormat(validated: $0) }
    symbol = Given(view["symbol"]) { $0.string! }
    group = Given(view["group"]) { $0.string! }
    warnAt = Given(view["warnAt"]) { DecimalNumber(validated: $0) }
    resets = Given(view["resets"]) { DateValue(validated: $0) }
    overage = Given(view["overage"]) { Overage(validated: $0) }
    alerts = Given(view["alerts"]) { $0.elements.map { DecimalNumber(validated: $0) } }
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { meter in
      meter.member("id", id)
      meter.member("label", label)
      meter.member("used", used)
      meter.member("limit", limit?.jsonText)
      meter.member("unit", unit)
      meter.member("format", format)
      meter.member("symbol", symbol)
      meter.member("group", group)
      meter.member("warnAt", warnAt)
      meter.member("resets", resets)
      meter.member("overage", overage)
      meter.member("alerts", alerts) { writer, alerts in
        writer.array { list in for share in alerts { share.write(to: &list) } }
      }
    }
  }
}
