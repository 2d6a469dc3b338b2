public import RPCShell

/// A plan and how much of it is used: the one value that a host hands over.
public struct PlanUsage: Sendable, Equatable, JSONWritable {
  /// `Plus`; not empty.
  public var name: String
  /// What it costs each ``period``, or once.
  public var price: Price
  /// How often the price is due.
  public var period = Given<Period>.absent
  /// Where it stands, with the date that belongs to it.
  public var status: Status
  /// In the order in which they are shown; ids are unique.
  public var meters = Given<[Meter]>.absent
  /// What comes above this plan; none on the top plan.
  public var upgrade = Given<Upgrade>.absent
  /// For the store's own subscription page.
  public var subscriptionGroupID = Given<String>.absent
  /// A plan that takes over later.
  public var scheduledChange = Given<ScheduledChange>.absent

  /// A plan with nothing optional given.
  public init(name: String, price: Price, status: Status) {
    self.name = name
    self.price = price
    self.status = status
  }
}

/// What a plan offers to go up to.
public struct Upgrade: Sendable, Equatable, JSONWritable {
  /// The button's title: `Upgrade to Studio`.
  public var title: String
  /// What one gets.
  public var detail: Given<String>

  /// An offer with or without details.
  public init(title: String, detail: Given<String> = .absent) {
    self.title = title
    self.detail = detail
  }

  static let schema: Schema =
    Schema.object([.required("title", .nonEmptyString), .optional("detail", .string)])

  init(validated view: JSONView) {
    title = view["title"]!.string!
    detail = Given(view["detail"]) { $0.string! }
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { upgrade in
      upgrade.member("title", title)
      upgrade.member("detail", detail)
    }
  }
}

/// Another plan that takes over at a date.
public struct ScheduledChange: Sendable, Equatable, JSONWritable {
  /// That plan's name.
  public var to: String
  /// When it takes over.
  public var on: DateValue

  /// A change to the plan of that name.
  public init(to: String, on: DateValue) {
    self.to = to
    self.on = on
  }

  static let schema: Schema =
    Schema.object([.required("to", .nonEmptyString), .required("on", DateValue.schema)])

  init(validated view: JSONView) {
    to = view["to"]!.string!
    on = DateValue(validated: view["on"]!)
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { change in
      change.member("to", to)
      change.member("on", on)
    }
  }
}
