import AccountModel
import RPCShell

/// Which of the thresholds in `Meter.alerts` were told: each once in a period, and of several that are passed at once
/// the highest. A value that follows from the plans it has seen.
struct AlertWatch: Sendable {
  /// By the meters' ids; only of those that somebody watches.
  private var marks: [ExactText: AlertMark] = [:]

  /// Looks at a new plan. What a meter has reached when somebody begins to watch it is no news.
  /// - Returns: what is passed for the first time in its period, in the order of the meters.
  mutating func take(_ plan: PlanUsage?) -> [StateEvent.Alert] {
    let former = marks
    marks = [:]
    return (plan?.meters.value ?? []).compactMap { meter in
      guard let shares = meter.alerts.value, !shares.isEmpty else { return nil }
      let periodEnd = meter.resets.value ?? plan?.status.date
      let reached = meter.highestReached(of: shares)
      let id = ExactText(meter.id)
      var mark = former[id] ?? AlertMark(meter: meter, periodEnd: periodEnd, told: reached?.value ?? .zero)
      mark.move(to: meter, shares, periodEnd)
      defer { marks[id] = mark }
      guard let reached, reached.value > mark.told else { return nil }
      mark.told = reached.value
      return StateEvent.Alert(meter: meter.id, threshold: reached.jsonText)
    }
  }
}

/// What was told of one meter.
private struct AlertMark {
  /// As it was seen last.
  var meter: Meter
  /// When the period ends for which ``told`` counts; nil where nothing says so.
  var periodEnd: DateValue?
  /// The share up to which nothing is told any more.
  var told: ExactDecimal

  /// Goes on to a newer value of the meter.
  mutating func move(to newer: Meter, _ shares: [DecimalNumber], _ end: DateValue?) {
    let isNewPeriod = periodEnd.map { known in end.map { !$0.isAbout(known) } ?? true } ?? (end != nil)
    let isOtherLimit = newer.limit?.value != meter.limit?.value
    if isNewPeriod && newer.isAllowance {
      // It has started again from 0 in between, even if that was not seen.
      told = newer.unused.reached(shares)
    } else {
      // What was reached before is passed no more, even if nobody asked about it then.
      told = isNewPeriod ? meter.reached(shares) : max(told, meter.reached(shares))
      // Other shares of another limit; and without an end of the period, falling back is one.
      if isOtherLimit || end == nil { told = min(told, newer.reached(shares)) }
    }
    if isNewPeriod { periodEnd = end }
    meter = newer
  }
}

extension Meter {
  fileprivate func reached(_ shares: [DecimalNumber]) -> ExactDecimal { highestReached(of: shares)?.value ?? .zero }

  /// As it is at the start of a period.
  fileprivate var unused: Meter {
    var meter = self
    meter.used = DecimalNumber(number: "0")!
    return meter
  }
}

extension DateValue {
  /// Whether two dates name one moment: a host that counts until then anew with each answer is off by a little.
  fileprivate func isAbout(_ other: DateValue) -> Bool {
    switch (moment, other.moment) {
    case (.day(let day), .day(let other)): day == other
    case (.instant(let seconds, _), .instant(let other, _)): abs(seconds - other) < 3600
    case (.day, .instant), (.instant, .day): false
    }
  }
}
