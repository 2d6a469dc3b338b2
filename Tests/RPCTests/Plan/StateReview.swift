import AccountModel
import RPCShell

@testable import PlanPlugin

/// Reads a state as a client does and complains of what must not be.
struct StateReview {
  let text: String
  private(set) var complaints: [String] = []

  private let plan: PlanUsage
  private let today: Day
  private let formatting: PlanFormatting

  init(
    _ snapshot: StateSnapshot, of plan: PlanUsage, _ state: PlanState, _ environment: Environment, now: Double
  ) {
    self.plan = plan
    text = snapshot.text.description
    formatting = PlanFormatting(localeID: environment.locale, timeZoneID: environment.timeZone)
    today = formatting.day(at: Int(now.rounded(.down)))
    do {
      let view = try snapshot.text.view
      reviewSections(view)
      try reviewPlan(view["plan"]!)
      reviewSummary(view["summary"]!)
      reviewActions(view, state)
      for (meter, shown) in zip(plan.meters.value ?? [], view["usage"]!["meters"]!.elements) {
        reviewMembers(shown, meter)
        reviewFigures(shown, meter)
        reviewTexts(shown, meter)
      }
    } catch {
      complaints.append("\(error)")
    }
  }

  private mutating func check(_ holds: Bool, _ complaint: @autoclosure () -> String) {
    if !holds { complaints.append(complaint()) }
  }

  // MARK: Members

  private mutating func expect(_ view: JSONView?, _ members: String) {
    let names = view?.members.map(\.name).joined(separator: " ")
    check(names == members, "members \(names ?? "none") instead of \(members)")
  }

  private mutating func reviewSections(_ view: JSONView) {
    expect(view, "plan loading refreshing summary usage upgrade manage restore locale timeZone")
    expect(
      view["summary"],
      "name chip priceLine dateLine dateTone dateIsPast changeLine stale asOf accessibilityLabel")
    if view["summary"]?["chip"]?.isNull == false { expect(view["summary"]?["chip"], "text tone") }
    expect(view["usage"], "title meters")
    if view["upgrade"]?.isNull == false { expect(view["upgrade"], "title detail phase progress message tone") }
    expect(view["manage"], "label visible custom")
    expect(view["restore"], "label custom phase progress message tone")
    check(view["loading"]?.bool == false, "loading")
    check(view["usage"]?["meters"]?.count == plan.meters.value?.count ?? 0, "another number of meters")
  }

  private mutating func reviewMembers(_ shown: JSONView, _ meter: Meter) {
    expect(
      shown,
      "id label symbol group used limit unit warnAt resets fraction ratio level tone figure percentText allowance statusText resetsText resetIsPast overageText line accessibilityLabel accessibilityValue"
    )
    check(shown["used"]?.text == (try? meter.used.jsonText.view.text), "used")
    check(shown["allowance"]?.bool == (meter.resets.value != nil), "allowance")
    check(shown["accessibilityLabel"]?.string == meter.label, "accessibilityLabel")
  }

  private mutating func reviewPlan(_ view: JSONView) throws {
    check(try PlanUsage(checking: view) == plan, "the plan reads as another one")
  }

  // MARK: Texts

  /// A text that was made: nil, or something that is whole.
  private mutating func reviewText(_ view: JSONView, _ name: String) {
    guard let text = view.member(named: name)?.string else { return }
    let isTrimmed = text.first.map { !$0.isWhitespace } == true && text.last.map { !$0.isWhitespace } == true
    check(isTrimmed, "\(name) is '\(text)'")
    let ends = ["per", "Renews", "ends", "Ends", "by", "on", "of", "Resets", "over", "·", ",", "."]
    let last = String(text.split(separator: " ").last ?? "")
    check(last == "over" && name == "overageText" || !ends.contains(last), "\(name) ends at '\(last)'")
    check(!text.contains("  ") && !text.contains(", ,") && !text.contains("NaN"), "\(name) is '\(text)'")
  }

  private mutating func reviewSummary(_ summary: JSONView) {
    for name in ["priceLine", "dateLine", "changeLine", "accessibilityLabel"] { reviewText(summary, name) }
    let date = plan.status.date
    check((date == nil) == summary["dateLine"]!.isNull, "a date line without a date")
    check((date == nil) == summary["chip"]!.isNull, "a chip without a date")
    check((plan.price == .free && date == nil) == summary["priceLine"]!.isNull, "price line")
    check(summary["stale"]?.bool == summary["dateIsPast"]?.bool, "stale")
    if let date { reviewDate(date, summary["dateLine"]?.string, summary["dateIsPast"]?.bool) }
    check((plan.scheduledChange.value == nil) == summary["changeLine"]!.isNull, "change line")
    if let change = plan.scheduledChange.value { reviewDate(change.on, summary["changeLine"]?.string, nil) }
    let tone = summary["dateTone"]?.string
    if case .paymentIssue = plan.status { check(tone == "danger", "tone") } else { check(tone == "secondary", "tone") }
  }

  /// A line that ends with a date: with its Gregorian year where it is past or a year ahead.
  private mutating func reviewDate(_ date: DateValue, _ line: String?, _ isPast: Bool?) {
    let day = date.day(formatting.day)
    let today = today
    if let isPast { check(isPast == (day.description < today.description), "past") }
    let nextYear = (today.year + 1, today.month, today.day)
    let hasYear = day < today || (day.year, day.month, day.day) >= nextYear
    let digits = Self.digitRuns(line ?? "")
    check(digits.contains(day.year) == hasYear, "the year of \(day) in '\(line ?? "")', today being \(today)")
    check(digits.contains(day.day), "the day of \(day) in '\(line ?? "")'")
  }

  private mutating func reviewActions(_ view: JSONView, _ state: PlanState) {
    let offer = state.acceptedOffer ?? plan.upgrade.value
    check((offer == nil) == view["upgrade"]!.isNull, "a button without an offer")
    for name in ["upgrade", "restore"] {
      guard let section = view.member(named: name), !section.isNull else { continue }
      reviewText(section, "message")
      check(section["message"]!.isNull == section["tone"]!.isNull, "a message without a tone")
    }
    check(view["manage"]?["visible"]?.bool == (plan.status != .noRenewal || state.isManageCustom), "visible")
    check(view["refreshing"]?.bool == state.isRefreshing, "refreshing")
  }

  // MARK: Meters

  private mutating func reviewFigures(_ shown: JSONView, _ meter: Meter) {
    let (level, percent) = (shown["level"]?.string, shown["percentText"]?.string)
    guard let limit = meter.limit?.value else {
      for name in ["fraction", "ratio", "percentText", "statusText"] {
        check(shown.member(named: name)!.isNull, "\(name) without limit")
      }
      check(level == "normal", "level")
      return
    }
    let isFull = meter.used.value >= limit
    let fraction = shown["fraction"]?.number ?? -1
    check((0...1).contains(fraction) && (fraction == 1) == isFull, "fraction \(fraction)")
    check((shown["ratio"]?.number ?? -1 >= 1) == isFull, "ratio")
    check((level == "atLimit") == isFull, "level")
    let warnAt = meter.warnAt.value?.value ?? ExactDecimal("0.85")!
    check((level == "normal") == (!isFull && meter.used.value < warnAt * limit), "level")
    check(
      shown["tone"]?.string == ["normal": "primary", "nearLimit": "warning", "atLimit": "danger"][level ?? ""], "tone")
    reviewPercent(percent ?? "", meter.used.value, limit)
  }

  private mutating func reviewPercent(_ text: String, _ used: ExactDecimal, _ limit: ExactDecimal) {
    let digits = text.compactMap(\.wholeNumberValue).map { "\($0)" }.joined()
    guard let shown = ExactDecimal(digits) else { return complaints.append("percent '\(text)'") }
    check((shown >= ExactDecimal(100)) == (used >= limit), "percent '\(text)'")
    let share = limit.isZero ? ExactDecimal(100) : (used * ExactDecimal(100)).divided(by: limit, places: 0)
    let isLittle = share.isZero && !used.isZero
    check(text.hasPrefix("<") == isLittle, "percent '\(text)'")
    // What is longer is judged by a test of its own.
    if share.description.count <= 38 { check(shown == (isLittle ? ExactDecimal(1) : share), "percent '\(text)'") }
  }

  private mutating func reviewTexts(_ shown: JSONView, _ meter: Meter) {
    for name in ["figure", "percentText", "statusText", "resetsText", "overageText", "line", "accessibilityValue"] {
      reviewText(shown, name)
    }
    check(shown["line"]?.string == shown["statusText"]?.string ?? shown["resetsText"]?.string, "line")
    check((meter.resets.value == nil) == shown["resetsText"]!.isNull, "resets without a date")
    if let resets = meter.resets.value { reviewDate(resets, shown["resetsText"]?.string, shown["resetIsPast"]?.bool) }
    let unit = meter.unit.value.map { $0.isEmpty ? "" : " " + $0 } ?? ""
    let figure = shown["figure"]?.string ?? ""
    guard let limit = meter.limit?.value else { return check(figure.hasSuffix("\(unit) used"), "figure '\(figure)'") }
    guard let middle = figure.firstRange(of: " of "), figure.hasSuffix(unit) else {
      return complaints.append("figure '\(figure)'")
    }
    let (used, whole) = (figure[..<middle.lowerBound], figure[middle.upperBound...].dropLast(unit.count))
    check(meter.used.value >= limit || used != whole, "figure '\(figure)' looks full")
  }

  /// The numbers in a text, in any digits.
  private static func digitRuns(_ text: String) -> [Int] {
    text.split { $0.wholeNumberValue == nil || !$0.isNumber }.compactMap { run in
      Int(run.compactMap(\.wholeNumberValue).map { "\($0)" }.joined())
    }
  }
}
