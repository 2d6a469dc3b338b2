import AccountModel
import RPCShell

/// The finished sections of one plan on one day: what costs formatting, and does not depend on what is going on.
struct PlanTexts {
  let summary: JSONText
  let usage: JSONText
  let figures: [StateSnapshot.Figure]

  init(_ plan: PlanUsage, asOf: DateValue?, isStale: Bool, today: Day, _ formatting: PlanFormatting) {
    summary = SummaryText(plan, asOf: asOf, isStale: isStale, today: today, formatting).section
    let meters = (plan.meters.value ?? []).map { MeterText($0, today: today, formatting) }
    usage = JSONText { writer in
      writer.object { usage in
        usage.member("title", "Usage")
        usage.key("meters")
        usage.array { list in for meter in meters { meter.write(to: &list) } }
      }
    }
    figures = meters.compactMap(\.movement)
  }
}

/// Keeps the newest ``PlanTexts`` and the formatters, so that a change of phase formats nothing again.
struct PlanTextCache {
  private var formatting: PlanFormatting?
  private var newest: (plan: JSONText, asOf: DateValue?, isStale: Bool, today: Day, texts: PlanTexts)?
  /// The quarter of an hour for which `today` was last looked up: days and offsets of zones change only at its borders.
  private var quarter: Int?
  private var today = Day(number: 0)

  /// - Parameters:
  ///   - text: the plan as JSON, by which it is told from others.
  ///   - isStale: it is a copy, since the newest plan could not be read.
  ///   - now: seconds since 1970-01-01T00:00:00Z.
  mutating func texts(
    for plan: PlanUsage, _ text: JSONText, asOf: DateValue?, isStale: Bool = false, now: Double,
    _ environment: Environment
  ) -> PlanTexts {
    let formatting = self.formatting(for: environment)
    let today = self.today(now, formatting)
    if let newest, newest.today == today, newest.asOf == asOf, newest.isStale == isStale, newest.plan == text {
      return newest.texts
    }
    let texts = PlanTexts(plan, asOf: asOf, isStale: isStale, today: today, formatting)
    newest = (text, asOf, isStale, today, texts)
    return texts
  }

  /// The texts of what an upgrade would cost, which are not kept.
  mutating func texts(
    for preview: UpgradePreview, now: Double, _ environment: Environment
  ) -> UpgradePreviewText {
    let formatting = self.formatting(for: environment)
    return UpgradePreviewText(preview, today: today(now, formatting), formatting)
  }

  /// Whether the newest texts are of an earlier day.
  mutating func isOutdated(now: Double, _ environment: Environment) -> Bool {
    guard let newest else { return false }
    return today(now, formatting(for: environment)) != newest.today
  }

  /// The day of an instant where the person is.
  /// - Parameter seconds: since 1970-01-01T00:00:00Z.
  mutating func day(at seconds: Int, _ environment: Environment) -> Day {
    formatting(for: environment).day(at: seconds)
  }

  private mutating func formatting(for environment: Environment) -> PlanFormatting {
    if let formatting, formatting.localeID == environment.locale, formatting.timeZoneID == environment.timeZone {
      return formatting
    }
    let made = PlanFormatting(localeID: environment.locale, timeZoneID: environment.timeZone)
    formatting = made
    newest = nil
    quarter = nil
    return made
  }

  private mutating func today(_ now: Double, _ formatting: PlanFormatting) -> Day {
    let quarter = Int((now / 900).rounded(.down))
    if quarter != self.quarter {
      self.quarter = quarter
      today = formatting.day(at: Int(now.rounded(.down)))
    }
    return today
  }
}
