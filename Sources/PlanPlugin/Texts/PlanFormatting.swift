import AccountModel
import FoundationEssentials
import FoundationInternationalization

/// Numbers, money and dates as a locale writes them: the one place that knows Foundation's
/// formatters. Nothing is taken from the process: locale, calendar (Gregorian) and zone are always given.
///
/// What was formatted is kept, since a plan's limits, prices and dates come again with each of its values.
final class PlanFormatting {
  /// What this is for, as it was given.
  let localeID: String
  let timeZoneID: String
  private let locale: Locale
  private let zone: TimeZone
  private let monthAndDay: Date.FormatStyle
  private let monthDayAndYear: Date.FormatStyle
  private let percentage: Decimal.FormatStyle.Percent
  private var numberStyles: [NumberStyle] = []
  private var phrases: [String: String] = [:]

  /// - Parameters:
  ///   - localeID: a BCP 47 or ICU identifier; what is unknown falls back as ICU does.
  ///   - timeZoneID: an IANA id; what is unknown is UTC.
  init(localeID: String, timeZoneID: String) {
    self.localeID = localeID
    self.timeZoneID = timeZoneID
    locale = Self.locale(localeID)
    zone = timeZoneID == "UTC" ? .gmt : TimeZone(identifier: timeZoneID) ?? .gmt
    // Days are formatted at noon UTC, wherever the person is: only instants are shifted, and before that.
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let style = Date.FormatStyle(locale: locale, calendar: calendar, timeZone: .gmt)
    monthAndDay = style.month(.abbreviated).day()
    monthDayAndYear = monthAndDay.year()
    percentage = Decimal.FormatStyle.Percent(locale: locale).precision(.fractionLength(0))
  }

  /// The locale that an identifier means.
  ///
  /// The library formats nothing for a numbering system that it does not know, and ICU writes past its buffers when an
  /// identifier grows long by extensions. Only what this page depends on is handed on: language, script, region and, where
  /// it exists, the numbering system.
  private static func locale(_ identifier: String) -> Locale {
    let hasExtensions =
      identifier.contains { $0 == "@" || $0 == "=" }
      || identifier.split { $0 == "-" || $0 == "_" }.contains { $0.count == 1 }
    if identifier.utf8.count <= plainLimit && !hasExtensions { return Locale(identifier: identifier) }
    let given = Locale.Components(identifier: identifier)
    var kept = Locale.Components(
      languageCode: given.languageComponents.languageCode, script: given.languageComponents.script,
      languageRegion: given.languageComponents.region)
    if let numbers = given.numberingSystem, Locale.NumberingSystem.availableNumberingSystems.contains(numbers) {
      kept.numberingSystem = numbers
    }
    return Locale(components: kept)
  }

  /// Bytes of an identifier of language, script, region and a variant or two.
  private static let plainLimit = 32

  // MARK: Dates

  /// The day at a moment in the person's time zone.
  /// - Parameter seconds: since 1970-01-01T00:00:00Z.
  func day(at seconds: Int) -> Day {
    Day(at: seconds, secondsFromUTC: zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
  }

  /// A date, and whether it lies before today.
  func date(_ date: DateValue, today: Day) -> (text: String, isPast: Bool) {
    let day = date.day(self.day)
    return (text(of: day, today: today), day < today)
  }

  /// `Nov 2`, with the year unless it is today up to the day before the same day next year.
  private func text(of day: Day, today: Day) -> String {
    let isThisYear = day >= today && (day.year, day.month, day.day) < (today.year + 1, today.month, today.day)
    return text("\(isThisYear ? "d" : "D")\(day.number)") {
      let noon = Date(timeIntervalSince1970: Double(day.number) * 86_400 + 43_200)
      return (isThisYear ? monthAndDay : monthDayAndYear).format(noon)
    }
  }

  // MARK: Numbers

  /// - Parameters:
  ///   - number: rounded already.
  ///   - decimals: how many are shown, at least and at most.
  func number(_ number: ExactDecimal, decimals: ClosedRange<Int>, grouping: Bool) -> String {
    let digits = number.description
    let style = style(decimals, isGrouped: grouping)
    return text("\(style.id)n\(digits)") {
      // A double knows 15 digits for sure, and takes half as long to format.
      guard number.digitCount <= 15, let double = Double(digits) else { return style.decimal.format(decimal(number)) }
      return style.double.format(double)
    }
  }

  /// - Parameter share: with two decimals: 0.82 is `82%`.
  func percent(_ share: ExactDecimal) -> String { text("%\(share)") { percentage.format(decimal(share)) } }

  /// An amount with the currency's own number of decimals, rounded half-even.
  /// - Parameter currencyCode: three letters in either case.
  func money(_ amount: ExactDecimal, currencyCode: String) -> String {
    let code = currencyCode.uppercased()
    return text("\(code)\(amount)") {
      let style = Decimal.FormatStyle.Currency(code: code, locale: locale)
      let text = style.format(decimal(amount))
      // What is rounded to nothing has no sign.
      guard amount < .zero, style.format(decimal(.zero)) == style.format(decimal(amount.negated)) else { return text }
      return style.format(0)
    }
  }

  private func decimal(_ number: ExactDecimal) -> Decimal { Decimal(string: number.description) ?? .nan }

  // MARK: What was made before

  private static let phraseLimit = 1024

  /// - Parameter phrase: names what is to be formatted.
  private func text(_ phrase: String, _ make: () -> String) -> String {
    if let known = phrases[phrase] { return known }
    let text = make()
    if phrases.count == Self.phraseLimit { phrases.removeAll(keepingCapacity: true) }
    phrases[phrase] = text
    return text
  }

  /// The library's styles for one way to write numbers; making them costs more than a use of them.
  private struct NumberStyle {
    let id: Int
    let decimals: ClosedRange<Int>
    let isGrouped: Bool
    let double: FloatingPointFormatStyle<Double>
    let locale: Locale

    init(_ id: Int, _ decimals: ClosedRange<Int>, isGrouped: Bool, _ locale: Locale) {
      self.id = id
      self.decimals = decimals
      self.isGrouped = isGrouped
      self.locale = locale
      double = FloatingPointFormatStyle<Double>(locale: locale)
        .precision(.fractionLength(decimals)).grouping(isGrouped ? .automatic : .never)
    }

    /// For numbers that a double would not know exactly.
    var decimal: Decimal.FormatStyle {
      Decimal.FormatStyle(locale: locale)
        .precision(.fractionLength(decimals)).grouping(isGrouped ? .automatic : .never)
    }
  }

  private func style(_ decimals: ClosedRange<Int>, isGrouped: Bool) -> NumberStyle {
    // There are not many: both bounds are 0 … 15.
    if let known = numberStyles.first(where: { $0.decimals == decimals && $0.isGrouped == isGrouped }) { return known }
    let style = NumberStyle(numberStyles.count, decimals, isGrouped: isGrouped, locale)
    numberStyles.append(style)
    return style
  }
}
