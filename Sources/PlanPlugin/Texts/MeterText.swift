import AccountModel
import RPCShell

/// The figures and texts of one meter.
struct MeterText {
  let meter: Meter
  let level: Level
  /// 0 … 1, four decimals toward zero; nil without a limit. The same for ``ratio``, which may pass 1.
  let fraction: JSONText?
  let ratio: JSONText?
  /// `8.2 of 10 GB`
  let figure: String
  let percentText: String?
  let statusText: String?
  let resetsText: String?
  let resetIsPast: Bool
  let overageText: String?

  init(_ meter: Meter, today: Day, _ formatting: PlanFormatting) {
    self.meter = meter
    let level = meter.level
    let ratio = meter.ratio(places: 4)
    self.level = level
    self.ratio = ratio?.jsonText
    fraction = level == .atLimit ? ExactDecimal(1).jsonText : self.ratio
    figure = Self.figure(meter, formatting)
    percentText = ratio.map { Self.percent($0, ofSomething: !meter.used.value.isZero, formatting) }
    statusText = Self.statusText(level, isAllowance: meter.isAllowance)
    let reset = meter.resets.value.map { formatting.date($0, today: today) }
    resetsText = reset.map { "Resets \($0.text)" }
    resetIsPast = reset?.isPast ?? false
    overageText = Self.overage(meter, formatting)
  }

  var tone: Tone {
    switch level {
    case .normal: .primary
    case .nearLimit: .warning
    case .atLimit: .danger
    }
  }

  /// What stands under the bar.
  var line: String? { statusText ?? resetsText }

  var accessibilityValue: String {
    [percentText, line].reduce(figure) { value, part in part.map { "\(value), \($0)" } ?? value }
  }

  // MARK: Texts

  private static func statusText(_ level: Level, isAllowance: Bool) -> String? {
    switch level {
    case .normal: nil
    case .nearLimit: isAllowance ? "Running low" : "Almost full"
    case .atLimit: isAllowance ? "All used" : "Limit reached"
    }
  }

  /// Whole percent, rounded down; what is used but below one percent is `<1%`.
  private static func percent(
    _ ratio: ExactDecimal, ofSomething: Bool, _ formatting: PlanFormatting
  ) -> String {
    let share = ratio.truncated(to: 2)
    return share.isZero && ofSomething ? "<" + formatting.percent(onePercent) : formatting.percent(share)
  }

  private static let onePercent = ExactDecimal("0.01")!

  private static func figure(_ meter: Meter, _ formatting: PlanFormatting) -> String {
    let format = meter.format.value ?? NumberFormat()
    let unit = meter.unit.value.map { $0.isEmpty ? "" : " \($0)" } ?? ""
    let shown = Figures(meter, format.decimals)
    let decimals = format.decimals.lowerBound...shown.places
    let used = formatting.number(shown.used, decimals: decimals, grouping: format.groupsThousands)
    guard let limit = shown.limit else { return "\(used)\(unit) used" }
    return "\(used) of \(formatting.number(limit, decimals: decimals, grouping: format.groupsThousands))\(unit)"
  }

  /// `759 over`, `759 over · $7.59`
  private static func overage(_ meter: Meter, _ formatting: PlanFormatting) -> String? {
    guard let overage = meter.overage.value, !overage.amount.value.isZero else { return nil }
    let format = meter.format.value ?? NumberFormat()
    // What is over is not shown as nothing.
    var places = format.decimals.upperBound
    while overage.amount.value.rounded(to: places).isZero { places += 1 }
    let amount = formatting.number(
      overage.amount.value.rounded(to: places), decimals: format.decimals.lowerBound...places,
      grouping: format.groupsThousands)
    let unit = meter.unit.value.map { $0.isEmpty ? "" : " \($0)" } ?? ""
    switch overage.cost.value {
    case nil, .free: return "\(amount)\(unit) over"
    case .display(let cost): return "\(amount)\(unit) over · \(cost.withoutControls)"
    case .amount(let cost, let currencyCode):
      return "\(amount)\(unit) over · \(formatting.money(cost.value, currencyCode: currencyCode))"
    }
  }

  // MARK: The state

  /// Its element of `usage.meters`.
  func write(to writer: inout JSONWriter) {
    writer.object { member in
      member.member("id", meter.id)
      member.member("label", meter.label)
      member.member("symbol", meter.symbol.value)
      member.member("group", meter.group.value)
      member.member("used", meter.used.jsonText)
      member.member("limit", meter.limit?.jsonText)
      member.member("unit", meter.unit.value ?? "")
      member.member("warnAt", (meter.warnAt.value ?? Meter.defaultWarnAt).jsonText)
      member.member("resets", meter.resets.value?.text)
      member.member("fraction", fraction)
      member.member("ratio", ratio)
      member.member("level", level.rawValue)
      member.member("tone", tone.rawValue)
      member.member("figure", figure)
      member.member("percentText", percentText)
      member.member("allowance", meter.isAllowance)
      member.member("statusText", statusText)
      member.member("resetsText", resetsText)
      member.member("resetIsPast", resetIsPast)
      member.member("overageText", overageText)
      member.member("line", line)
      member.member("accessibilityLabel", meter.label)
      member.member("accessibilityValue", accessibilityValue)
    }
  }

  /// What a client moves its bar by; nil without a limit.
  var movement: StateSnapshot.Figure? {
    fraction.map {
      StateSnapshot.Figure(target: "usage/\(meter.id)", value: $0, level: level.rawValue, fillsAtFirst: true)
    }
  }
}

/// A meter's two numbers, rounded for show.
private struct Figures {
  var used: ExactDecimal
  var limit: ExactDecimal?
  /// Decimals that they have at most.
  var places: Int

  /// Rounded half-even; but before the limit is reached, what is used must not look like it: then it is cut, and where
  /// even that looks the same, more decimals are shown.
  init(_ meter: Meter, _ decimals: ClosedRange<Int>) {
    places = decimals.upperBound
    used = meter.used.value.rounded(to: places)
    limit = meter.limit?.value.rounded(to: places)
    guard let whole = meter.limit?.value, meter.used.value < whole, used == limit else { return }
    used = meter.used.value.truncated(to: places)
    while used == limit {
      places += 1
      used = meter.used.value.truncated(to: places)
      limit = whole.rounded(to: places)
    }
  }
}
