public import RPCShell

extension PlanUsage {
  /// The most meters that a plan may have: each is formatted, kept and sent with every change.
  static let meterLimit = 65_536

  /// What a plan must look like, but for the uniqueness of its meters' ids, which ``init(validated:path:)`` checks.
  public static let schema: Schema =
    Schema.object([
      .required("name", .nonEmptyString),
      .required("price", Price.schema),
      .optional("period", Period.schema),
      .required("status", Status.schema),
      .optional(
        "meters",
        .checked(.array(Meter.schema), expected: "at most \(meterLimit) meters") { $0.count <= meterLimit }),
      .optional("upgrade", Upgrade.schema, "null on the top plan"),
      .optional("subscriptionGroupId", .string),
      .optional("scheduledChange", ScheduledChange.schema),
    ])

  /// Reads a plan from outside.
  ///
  /// - Parameters:
  ///   - path: where it stands, for errors: `plan`.
  ///   - unknown: what unknown members mean.
  /// - Throws: the first thing that is wrong: `plan.meters[2].limit: expected a number, got a string`.
  public init(
    checking view: JSONView, path: String = "", unknown: Schema.UnknownMembers = .refused
  ) throws(SchemaViolation) {
    try Self.schema.validate(view, path: path, unknown: unknown)
    try self.init(validated: view, path: path)
  }

  /// Reads a plan that was checked with ``schema``.
  /// - Throws: where two meters have the same id.
  public init(validated view: JSONView, path: String = "") throws(SchemaViolation) {
    self.init(view)
    var known: Set<ExactText> = []
    for (index, meter) in (meters.value ?? []).enumerated() where !known.insert(ExactText(meter.id)).inserted {
      throw SchemaViolation(
        path: path + (path.isEmpty ? "" : ".") + "meters[\(index)].id",
        reason: "expected an id that no other meter has, got '\(meter.id.shortened)' again")
    }
  }

  private init(_ view: JSONView) {
    name = view["name"]!.string!
    price = Price(validated: view["price"]!)
    period = Given(view["period"]) { Period(rawValue: $0.string!)! }
    status = Status(validated: view["status"]!)
    meters = Given(view["meters"]) { $0.elements.map { Meter(validated: $0) } }
    upgrade = Given(view["upgrade"]) { Upgrade(validated: $0) }
    subscriptionGroupID = Given(view["subscriptionGroupId"]) { $0.string! }
    scheduledChange = Given(view["scheduledChange"]) { ScheduledChange(validated: $0) }
  }

  /// Writes what was given, in the order of docs/PROTOCOL.md.
  public func write(to writer: inout JSONWriter) {
    writer.object { plan in
      plan.member("name", name)
      plan.member("price", price)
      plan.member("period", period)
      plan.member("status", status)
      plan.member("meters", meters) { writer, meters in
        writer.array { list in for meter in meters { meter.write(to: &list) } }
      }
      plan.member("upgrade", upgrade)
      plan.member("subscriptionGroupId", subscriptionGroupID)
      plan.member("scheduledChange", scheduledChange)
    }
  }
}
