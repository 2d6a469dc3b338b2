extension PlanUsage {
  /// The sample account's plan: Plus, with Studio above it.
  /// - Parameter date: when it renews and its exports start again.
  public static func sample(renewing date: DateValue) -> PlanUsage {
    var plan = PlanUsage(name: "Plus", price: dollars("9.99"), status: .renews(date))
    plan.period = .value(.month)
    plan.meters = .value(meters(storage: "10", exports: "1000", resetting: date))
    plan.upgrade = .value(Upgrade(title: "Upgrade to Studio", detail: .value("100 GB and more exports")))
    return plan
  }

  /// The sample account's top plan.
  /// - Parameter date: when it renews and its exports start again.
  public static func studio(renewing date: DateValue) -> PlanUsage {
    var plan = PlanUsage(name: "Studio", price: dollars("19.99"), status: .renews(date))
    plan.period = .value(.month)
    plan.meters = .value(meters(storage: "100", exports: "5000", resetting: date))
    plan.upgrade = .null
    return plan
  }

  /// The plans of the sample account, the lowest first; they renew 14 days after the account was made.
  /// - Parameter now: when that is, in seconds since 1970-01-01T00:00:00Z.
  public static func sampleCatalogue(madeAt now: Double) -> [PlanUsage] {
    let today = Day(at: Int(now.rounded(.down)), secondsFromUTC: 0)
    let date = DateValue(Day(number: today.number + 14))
    return [sample(renewing: date), studio(renewing: date)]
  }

  private static func dollars(_ amount: String) -> Price {
    .amount(DecimalNumber(string: amount)!, currencyCode: "USD")
  }

  private static func meters(storage: String, exports: String, resetting date: DateValue) -> [Meter] {
    var stored = Meter(
      id: "storage", label: "Storage", used: DecimalNumber(number: "8.2")!, limit: DecimalNumber(number: storage)!)
    stored.unit = .value("GB")
    var exported = Meter(
      id: "exports", label: "Exports", used: DecimalNumber(number: "412")!, limit: DecimalNumber(number: exports)!)
    exported.resets = .value(date)
    return [stored, exported]
  }
}
