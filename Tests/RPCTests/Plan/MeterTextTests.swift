import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

struct MeterTextTests {
  private static let today = Day(year: 2026, month: 10, day: 19)!

  private func texts(_ meter: Meter, locale: String = "en_US") -> MeterText {
    MeterText(meter, today: Self.today, PlanFormatting(localeID: locale, timeZoneID: "UTC"))
  }

  private func meter(
    _ used: String, of limit: String?, unit: String = "GB", warnAt: String? = nil, resets: String? = nil
  ) -> Meter {
    var meter = Meter(
      id: "m", label: "Storage", used: DecimalNumber(number: used)!, limit: limit.map { DecimalNumber(number: $0)! })
    meter.unit = .value(unit)
    meter.warnAt = warnAt.map { .value(DecimalNumber(number: $0)!) } ?? .absent
    meter.resets = resets.map { .value(DateValue($0)!) } ?? .absent
    return meter
  }

  @Test(
    arguments: [
      // used, limit, figure, fraction, ratio, percent, level
      ("8.2", "10", "8.2 of 10 GB", "0.82", "0.82", "82%", Level.normal),
      ("8.49", "10", "8.5 of 10 GB", "0.849", "0.849", "84%", .normal),
      ("8.5", "10", "8.5 of 10 GB", "0.85", "0.85", "85%", .nearLimit),
      ("10", "10", "10 of 10 GB", "1", "1", "100%", .atLimit),
      ("12", "10", "12 of 10 GB", "1", "1.2", "120%", .atLimit),
      ("1059", "300", "1,059 of 300 GB", "1", "3.53", "353%", .atLimit),
      ("345", "300", "345 of 300 GB", "1", "1.15", "115%", .atLimit),
      ("0", "10", "0 of 10 GB", "0", "0", "0%", .normal),
      ("0.004", "10", "0 of 10 GB", "0.0004", "0.0004", "<1%", .normal),
      ("0.00004", "10", "0 of 10 GB", "0", "0", "<1%", .normal),
      ("0.0999", "10", "0.1 of 10 GB", "0.0099", "0.0099", "<1%", .normal),
      ("0.1", "10", "0.1 of 10 GB", "0.01", "0.01", "1%", .normal),
      ("8.6", "10", "8.6 of 10 GB", "0.86", "0.86", "86%", .nearLimit),
      ("9.996", "10", "9.9 of 10 GB", "0.9996", "0.9996", "99%", .nearLimit),
      ("9.99999", "10", "9.9 of 10 GB", "0.9999", "0.9999", "99%", .nearLimit),
      ("9.92", "9.94", "9.92 of 9.94 GB", "0.9979", "0.9979", "99%", .nearLimit),
      ("0", "0", "0 of 0 GB", "1", "1", "100%", .atLimit),
      ("5", "0", "5 of 0 GB", "1", "1", "100%", .atLimit),
      ("5", nil, "5 GB used", nil, nil, nil, .normal),
      // Binary numbers would miss these.
      ("5.015", "5.9", "5 of 5.9 GB", "0.85", "0.85", "85%", .nearLimit),
      ("2.295", "2.7", "2.3 of 2.7 GB", "0.85", "0.85", "85%", .nearLimit),
    ] as [(String, String?, String, String?, String?, String?, Level)])
  func `a meter's figures are exact`(
    used: String, limit: String?, figure: String, fraction: String?, ratio: String?, percent: String?, level: Level
  ) {
    let texts = texts(meter(used, of: limit))
    #expect(texts.figure == figure)
    #expect(texts.fraction?.description == fraction)
    #expect(texts.ratio?.description == ratio)
    #expect(texts.percentText == percent)
    #expect(texts.level == level)
  }

  @Test(
    arguments: [
      // used, limit, resets, status, resets, line, tone, reading
      ("8.2", "10", nil, nil, nil, nil, Tone.primary, "8.2 of 10 GB, 82%"),
      ("8.5", "10", nil, "Almost full", nil, "Almost full", .warning, "8.5 of 10 GB, 85%, Almost full"),
      ("10", "10", nil, "Limit reached", nil, "Limit reached", .danger, "10 of 10 GB, 100%, Limit reached"),
      ("12", "10", nil, "Limit reached", nil, "Limit reached", .danger, "12 of 10 GB, 120%, Limit reached"),
      ("0", "0", nil, "Limit reached", nil, "Limit reached", .danger, "0 of 0 GB, 100%, Limit reached"),
      ("412", "1000", date, nil, "Resets Nov 2", "Resets Nov 2", .primary, "412 of 1,000 GB, 41%, Resets Nov 2"),
      (
        "870", "1000", date, "Running low", "Resets Nov 2", "Running low", .warning, "870 of 1,000 GB, 87%, Running low"
      ),
      (
        "999", "1000", date, "Running low", "Resets Nov 2", "Running low", .warning, "999 of 1,000 GB, 99%, Running low"
      ),
      ("1000", "1000", date, "All used", "Resets Nov 2", "All used", .danger, "1,000 of 1,000 GB, 100%, All used"),
      ("1059", "300", date, "All used", "Resets Nov 2", "All used", .danger, "1,059 of 300 GB, 353%, All used"),
      ("0", "0", date, "All used", "Resets Nov 2", "All used", .danger, "0 of 0 GB, 100%, All used"),
      ("5", nil, date, nil, "Resets Nov 2", "Resets Nov 2", .primary, "5 GB used, Resets Nov 2"),
      ("5", nil, nil, nil, nil, nil, .primary, "5 GB used"),
    ] as [(String, String?, String?, String?, String?, String?, Tone, String)])
  func `the line says how near the limit is, or when it starts again`(
    used: String, limit: String?, resets: String?, status: String?, resetsText: String?, line: String?, tone: Tone,
    reading: String
  ) {
    let texts = texts(meter(used, of: limit, resets: resets))
    #expect(texts.statusText == status)
    #expect(texts.resetsText == resetsText)
    #expect(texts.line == line)
    #expect(texts.tone == tone)
    #expect(texts.accessibilityValue == reading)
    #expect(!texts.resetIsPast)
  }

  private static let date = "2026-11-02"

  @Test(
    arguments: [
      ("5", "0.5", Level.nearLimit), ("4.99", "0.5", .normal), ("9.99", "1", .normal), ("10", "1", .atLimit),
      ("0", "0", .nearLimit), ("8.5", nil, .nearLimit), ("8.4999", nil, .normal), ("0.0001", "0.00001", .nearLimit),
      ("10", "0.5", .atLimit), ("999", "0", .atLimit),
    ] as [(String, String?, Level)])
  func `the warning share is the meter's own`(used: String, warnAt: String?, level: Level) {
    let texts = texts(meter(used, of: "10", warnAt: warnAt))
    #expect(texts.level == level)
    #expect(texts.statusText == [.normal: nil, .nearLimit: "Almost full", .atLimit: "Limit reached"][level])
  }

  @Test(arguments: [nil, "0", "0.5"])
  func `without a limit nothing runs low`(warnAt: String?) {
    let texts = texts(meter("999999", of: nil, warnAt: warnAt))
    #expect(texts.level == .normal && texts.statusText == nil && texts.figure == "999,999 GB used")
  }

  @Test(
    arguments: [
      ("412", "1000", date, "412 of 1,000", "412 of 1,000, 41%, Resets Nov 2"),
      ("870", "1000", date, "870 of 1,000", "870 of 1,000, 87%, Running low"),
      ("1059", "300", date, "1,059 of 300", "1,059 of 300, 353%, All used"),
      ("0", "0", nil, "0 of 0", "0 of 0, 100%, Limit reached"), ("5", nil, nil, "5 used", "5 used"),
    ] as [(String, String?, String?, String, String)])
  func `counts have no unit and no blank for one`(
    used: String, limit: String?, resets: String?, figure: String, reading: String
  ) {
    for unit in [Given.value(""), .null, .absent] {
      var meter = meter(used, of: limit, resets: resets)
      meter.unit = unit
      #expect(texts(meter).figure == figure)
      #expect(texts(meter).accessibilityValue == reading)
    }
  }

  @Test(
    arguments: [
      // used, limit, decimals, figure
      ("9.996", "10", 0, 0, "9 of 10"), ("9.996", "10", 2, 2, "9.99 of 10.00"), ("9.9", "10", 0, 0, "9 of 10"),
      ("0.999", "1", 0, 1, "0.9 of 1"), ("999.96", "1000", 0, 1, "999.9 of 1,000"), ("0", "0.04", 0, 1, "0 of 0.04"),
      ("0.4", "0.44", 0, 0, "0.4 of 0.44"), ("9.95", "9.96", 0, 1, "9.9 of 10"), ("9.84", "9.94", 0, 1, "9.8 of 9.9"),
      ("10", "10", 0, 0, "10 of 10"), ("10.04", "10.01", 0, 1, "10 of 10"), ("9.996", nil, 0, 1, "10 used"),
      (
        "99999999999999999999999999999999999998", "99999999999999999999999999999999999999", 0, 1,
        "99,999,999,999,999,999,999,999,999,999,999,999,998 of 99,999,999,999,999,999,999,999,999,999,999,999,999"
      ),
      ("9.999999999999999999999999999999999999", "10", 0, 1, "9.9 of 10"),
      (
        "1.2345678901234567890123456789012345678", "1.2345678901234567890123456789012345679", 15, 15,
        "1.234567890123456 of 1.234567890123457"
      ),
    ] as [(String, String?, Int, Int, String)])
  func `before the limit is reached a figure does not look like it`(
    used: String, limit: String?, fewest: Int, most: Int, figure: String
  ) {
    var meter = meter(used, of: limit, unit: "")
    var format = NumberFormat()
    format.minFraction = .value(fewest)
    format.maxFraction = .value(most)
    meter.format = .value(format)
    #expect(texts(meter).figure == figure)
  }

  @Test(arguments: [
    ("99999999999999999999999999999999999999", "0.6", "16,666,666,666,666,666,666,666,666,666,666,666,666,500%"),
    ("99999999999999999999999999999999999999", "100", "99,999,999,999,999,999,999,999,999,999,999,999,999%"),
    ("99999999999999999999999999999999999999", "0.5", "19,999,999,999,999,999,999,999,999,999,999,999,999,800%"),
    ("99999999999999999999999999999999999999", "0", "100%"),
    ("99999999999999999999999999999999999998", "99999999999999999999999999999999999999", "99%"),
    ("0.0000000000000000000000000000000000001", "0.0000000000000000000000000000000000003", "33%"),
    ("0.0000000000000000000000000000000000001", "99999999999999999999999999999999999999", "<1%"),
  ])
  func `percentages of any size are cut`(used: String, limit: String, percent: String) {
    var meter = meter("0", of: "0")
    meter.used = DecimalNumber(string: used)!
    meter.limit = DecimalNumber(string: limit)!
    #expect(texts(meter).percentText == percent)
  }

  @Test func `the border of 85 percent is met exactly for every limit`() {
    for tenths in 1...2000 {
      let limit = ExactDecimal("\(tenths)e-1")!
      let border = limit * ExactDecimal("0.85")!
      #expect(meter(border.description, of: limit.description).level == .nearLimit)
      #expect(meter(border.truncated(to: 0).description, of: limit.description).level != .atLimit)
    }
  }

  @Test func `a reset in the past is marked`() {
    let texts = texts(meter("412", of: "1000", resets: "2026-10-01"))
    #expect(texts.resetsText == "Resets Oct 1, 2026")
    #expect(texts.resetIsPast)
  }

  @Test(arguments: [
    ("1234.5", 0, 1, true, "en_US", "1,234.5 of 10,000"), ("1234.5", 0, 1, false, "en_US", "1234.5 of 10000"),
    ("1234.5", 2, 2, true, "en_US", "1,234.50 of 10,000.00"), ("1234.5", 0, 0, true, "en_US", "1,234 of 10,000"),
    ("1235.5", 0, 0, true, "en_US", "1,236 of 10,000"), ("1234.5", 0, 1, true, "de_DE", "1.234,5 of 10.000"),
    ("1234.5", 0, 1, true, "fr_FR", "1\u{202F}234,5 of 10\u{202F}000"),
  ])
  func `one format serves both numbers`(
    used: String, fewest: Int, most: Int, grouping: Bool, locale: String, figure: String
  ) {
    var meter = meter(used, of: "10000", unit: "")
    var format = NumberFormat()
    format.minFraction = .value(fewest)
    format.maxFraction = .value(most)
    format.grouping = .value(grouping)
    meter.format = .value(format)
    #expect(texts(meter, locale: locale).figure == figure)
  }

  @Test func `percentages follow the locale`() {
    #expect(texts(meter("8.2", of: "10"), locale: "de_DE").percentText == "82\u{A0}%")
    #expect(texts(meter("0.001", of: "10"), locale: "de_DE").percentText == "<1\u{A0}%")
  }

  @Test(
    arguments: [
      ("759", nil, "", "759 over"), ("759", Price.dollars("7.59"), "", "759 over · $7.59"),
      ("1759", .display("7,59 €"), "", "1,759 over · 7,59 €"), ("2", nil, "GB", "2 GB over"),
      ("759", .free, "", "759 over"), ("0.5", nil, "GB", "0.5 GB over"), ("1", nil, "", "1 over"),
      ("759", .amount(DecimalNumber(string: "18.6")!, currencyCode: "KWD"), "", "759 over · KWD\u{A0}18.600"),
      ("759", .display("\u{1B}[31m$7.59\n"), "", "759 over · $7.59"),
      ("0", nil, "", nil), ("0.04", nil, "GB", "0.04 GB over"), ("0.0004", nil, "", "0.0004 over"),
    ] as [(String, Price?, String, String?)])
  func `what went over is named, with its cost`(amount: String, cost: Price?, unit: String, text: String?) {
    var meter = meter("1059", of: "300", unit: unit)
    meter.overage = .value(
      Meter.Overage(amount: DecimalNumber(number: amount)!, cost: cost.map { .value($0) } ?? .absent))
    #expect(texts(meter).overageText == text)
  }

  @Test func `a meter moves by its fraction, and an unlimited one does not`() {
    let figure = texts(meter("8.2", of: "10")).movement
    #expect(figure?.target == "usage/m")
    #expect(figure?.value.description == "0.82")
    #expect(figure?.level == "normal")
    #expect(figure?.fillsAtFirst == true)
    #expect(texts(meter("5", of: nil)).movement == nil)
  }

  @Test(arguments: [
    ("99999999999999999999999999999999999999", "3"), ("99999999999999999999999999999999999999", "0.0000001"),
    ("9223372036854775807", "0.5"),
  ])
  func `a ratio of any size is a number that can be read`(used: String, limit: String) throws {
    var meter = meter("0", of: "0")
    meter.used = DecimalNumber(string: used)!
    meter.limit = DecimalNumber(string: limit)!
    let text = JSONText { texts(meter).write(to: &$0) }
    #expect(try text.view["ratio"]?.number ?? 0 > 1)
  }
}
