import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

struct SummaryTextTests {
  private static let today = Day(year: 2026, month: 10, day: 19)!

  private func summary(
    _ price: Price = .dollars("9.99"), _ period: Period? = .month, _ status: Status = .renews(DateValue("2026-11-02")!),
    name: String = "Plus", locale: String = "en_US", zone: String = "UTC", today: Day = today
  ) -> SummaryText {
    var plan = PlanUsage(name: name, price: price, status: status)
    plan.period = period.map { .value($0) } ?? .absent
    return SummaryText(plan, today: today, PlanFormatting(localeID: locale, timeZoneID: zone))
  }

  private static let date = DateValue("2026-11-02")!

  @Test(
    arguments: [
      (
        Status.renews(date), "Active success", "Renews Nov 2", "secondary",
        "Plus plan, $9.99 per month. Active. Renews Nov 2"
      ),
      (
        .trial(date), "Free trial info", "Trial ends Nov 2", "secondary",
        "Plus plan, $9.99 per month. Free trial. Trial ends Nov 2"
      ),
      (
        .ends(date), "Cancelled neutral", "Ends Nov 2", "secondary", "Plus plan, $9.99 per month. Cancelled. Ends Nov 2"
      ),
      (
        .paymentIssue(date), "Payment issue danger", "Update payment by Nov 2", "danger",
        "Plus plan, $9.99 per month. Payment issue. Update payment by Nov 2"
      ),
      (.noRenewal, nil, nil, "secondary", "Plus plan, $9.99 per month"),
    ] as [(Status, String?, String?, String, String)])
  func `each status has its chip, its line and its reading`(
    status: Status, chip: String?, dateLine: String?, dateTone: String, label: String
  ) {
    let texts = summary(.dollars("9.99"), .month, status)
    #expect(texts.chip.map { "\($0.text) \($0.tone.rawValue)" } == chip)
    #expect(texts.dateLine == dateLine)
    #expect(texts.section.description.contains(#""dateTone":"\#(dateTone)""#))
    #expect(texts.accessibilityLabel == label)
  }

  @Test(
    arguments: [
      (Price.dollars("1.99"), Period.week, Status.renews(date), "$1.99 per week"),
      (.dollars("9.99"), .month, .renews(date), "$9.99 per month"),
      (.dollars("99"), .year, .renews(date), "$99.00 per year"),
      (.dollars("29.99"), nil, .noRenewal, "$29.99"),
      (.dollars("9.99"), nil, .renews(date), "$9.99"),
      (.free, nil, .noRenewal, nil),
      (.free, .month, .noRenewal, nil),
      (.free, nil, .trial(date), "Free"),
      (.free, .month, .renews(date), "Free"),
      (.display("9,99\u{A0}€"), .month, .renews(date), "9,99\u{A0}€ per month"),
      (.display("\u{1B}[31m$9"), nil, .renews(date), "$9"),
      (.display("$9\u{7}"), .year, .renews(date), "$9 per year"), (.display("$9.99"), nil, .noRenewal, "$9.99"),
      (.display("1.234,5 zł"), .week, .renews(date), "1.234,5 zł per week"),
      (.display("\u{200F}9.99\u{A0}\u{200F}₪"), .month, .renews(date), "\u{200F}9.99\u{A0}\u{200F}₪ per month"),
      (.display("\u{1B}]0;title\u{7}9\u{9B}1m €"), .month, .ends(date), "9 € per month"),
      (.display("9,99\u{202F}€"), nil, .trial(date), "9,99\u{202F}€"), (.free, .year, .ends(date), "Free"),
      (.free, nil, .paymentIssue(date), "Free"), (.dollars("0"), .month, .renews(date), "$0.00 per month"),
      (.dollars("0"), nil, .noRenewal, "$0.00"),
    ] as [(Price, Period?, Status, String?)])
  func `the price line names the price and how often it is due`(
    price: Price, period: Period?, status: Status, line: String?
  ) {
    #expect(summary(price, period, status).priceLine == line)
  }

  @Test(arguments: [
    ("9.99", "USD", "en_US", "$9.99"), ("9.99", "usd", "en_US", "$9.99"), ("9.99", "EUR", "de_DE", "9,99\u{A0}€"),
    ("1200", "JPY", "en_US", "¥1,200"), ("3.5", "KWD", "en_US", "KWD\u{A0}3.500"),
    ("18.6", "KWD", "en_US", "KWD\u{A0}18.600"), ("799", "INR", "en_US", "₹799.00"),
    ("100000", "INR", "en_IN", "₹1,00,000.00"), ("9.985", "USD", "en_US", "$9.98"),
    ("9.995", "USD", "en_US", "$10.00"), ("39.99", "USD", "en_US", "$39.99"),
    ("9.9850000000000000000000000000000000001", "USD", "en_US", "$9.99"), ("0.005", "USD", "en_US", "$0.00"),
    ("0.015", "USD", "en_US", "$0.02"), ("-9.99", "USD", "en_US", "-$9.99"), ("1200.5", "JPY", "ja_JP", "¥1,200"),
    ("1201.5", "JPY", "en_US", "¥1,202"), ("9900", "KRW", "en_US", "₩9,900"), ("9.99", "GBP", "en_GB", "£9.99"),
    ("1.2345", "BHD", "en_US", "BHD\u{A0}1.234"), ("1.23455", "CLF", "en_US", "CLF\u{A0}1.2346"),
    ("9.99", "XYZ", "en_US", "XYZ\u{A0}9.99"), ("1234567.5", "EUR", "de_DE", "1.234.567,50\u{A0}€"),
    ("9.99", "USD", "en_CA", "US$9.99"), ("9.99", "eUr", "en_US", "€9.99"),
    (
      "12345678901234567890123456789012345678", "USD", "en_US", "$12,345,678,901,234,567,890,123,456,789,012,345,678.00"
    ),
  ])
  func `money follows the currency and the locale`(amount: String, code: String, locale: String, text: String) {
    let price = Price.amount(DecimalNumber(string: amount)!, currencyCode: code)
    #expect(summary(price, nil, .noRenewal, locale: locale).priceLine == text)
  }

  @Test(arguments: [
    // From today up to the day before the same day next year, there is no year.
    ("2026-10-19", "UTC", "Renews Oct 19", false), ("2026-11-02", "UTC", "Renews Nov 2", false),
    ("2027-01-05", "UTC", "Renews Jan 5", false), ("2027-10-18", "UTC", "Renews Oct 18", false),
    ("2027-10-19", "UTC", "Renews Oct 19, 2027", false), ("2027-11-02", "UTC", "Renews Nov 2, 2027", false),
    ("2026-10-18", "UTC", "Renews Oct 18, 2026", true), ("2026-10-01", "UTC", "Renews Oct 1, 2026", true),
    // A day is never shifted, an instant is.
    ("2026-11-02", "America/Los_Angeles", "Renews Nov 2", false), ("2026-11-02", "Asia/Tokyo", "Renews Nov 2", false),
    ("2026-11-02T00:00:00Z", "UTC", "Renews Nov 2", false),
    ("2026-11-02T00:00:00Z", "America/Los_Angeles", "Renews Nov 1", false),
    ("2026-11-02T00:00:00Z", "Asia/Tokyo", "Renews Nov 2", false),
    ("2026-11-19T02:00:00Z", "America/New_York", "Renews Nov 18", false),
    ("2026-11-02T23:30:00-01:00", "UTC", "Renews Nov 3", false),
  ])
  func `a date is shown in the person's zone, with its year where that is needed`(
    date: String, zone: String, line: String, isPast: Bool
  ) {
    let texts = summary(.dollars("9.99"), .month, .renews(DateValue(date)!), zone: zone)
    #expect(texts.dateLine == line)
    #expect(texts.dateIsPast == isPast)
    #expect(texts.section.description.contains(#""dateIsPast":\#(isPast),"changeLine":null,"stale":\#(isPast)"#))
  }

  @Test(arguments: [
    ("2028-02-29", "2029-02-28", "Renews Feb 28"), ("2028-02-29", "2029-03-01", "Renews Mar 1, 2029"),
  ])
  func `a leap day's year ends before March`(today: String, date: String, line: String) {
    guard case .day(let today) = DateValue(today)!.moment else { return }
    #expect(summary(.dollars("9.99"), .month, .renews(DateValue(date)!), today: today).dateLine == line)
  }

  @Test(arguments: [
    ("en_US", "Renews Nov 2"), ("en-GB", "Renews 2 Nov"), ("de_DE", "Renews 2. Nov."), ("fr_FR", "Renews 2 nov."),
    ("ar_SA", "Renews ٢ نوفمبر"), ("fa_IR", "Renews ۲ نوامبر"), ("th_TH", "Renews 2 พ.ย."),
    ("en_US@calendar=islamic", "Renews Nov 2"), ("xx_YY", "Renews Nov 2"),
  ])
  func `months are Gregorian in every locale`(locale: String, line: String) {
    #expect(summary(locale: locale).dateLine == line)
  }

  @Test(arguments: [
    ("Plus", "Plus plan, $9.99 per month. Active. Renews Nov 2"),
    ("Family Plan", "Family Plan, $9.99 per month. Active. Renews Nov 2"),
    ("PLAN", "PLAN, $9.99 per month. Active. Renews Nov 2"),
    ("Aeroplan", "Aeroplan plan, $9.99 per month. Active. Renews Nov 2"),
    ("Family plan", "Family plan, $9.99 per month. Active. Renews Nov 2"),
    ("Plan B", "Plan B plan, $9.99 per month. Active. Renews Nov 2"),
    ("Größe 2\u{2009}„L“", "Größe 2\u{2009}„L“ plan, $9.99 per month. Active. Renews Nov 2"),
  ])
  func `the word plan is said once`(name: String, label: String) {
    #expect(summary(name: name).accessibilityLabel == label)
  }

  @Test(arguments: ["Family-Plan", "Family\u{A0}Plan", "Family\u{2011}plan"])
  func `the word plan is said once, whatever stands around it`(name: String) {
    #expect(summary(name: name).accessibilityLabel == "\(name), $9.99 per month. Active. Renews Nov 2")
  }

  @Test(arguments: ["$ 9.99  (was  $12)", "9,99\u{A0}\u{A0}€", "$9.99\u{3000}+\u{3000}tax"])
  func `a finished price keeps its blanks`(display: String) {
    #expect(summary(.display(display), nil).priceLine == display)
  }

  @Test(arguments: [
    ("-0.004", "$0.00"), ("-0.005", "$0.00"), ("-0.006", "-$0.01"), ("-0", "$0.00"), ("-9.99", "-$9.99"),
  ])
  func `what is rounded to nothing has no sign`(amount: String, text: String) {
    #expect(summary(.dollars(amount), nil).priceLine == text)
  }

  @Test func `only a payment issue colours the date line`() {
    for (status, tone) in [
      (Status.renews(Self.date), "secondary"), (.trial(Self.date), "secondary"), (.ends(Self.date), "secondary"),
      (.paymentIssue(Self.date), "danger"), (.noRenewal, "secondary"),
    ] {
      #expect(summary(.free, nil, status).section.description.contains(#""dateTone":"\#(tone)""#))
    }
  }

  @Test func `what is missing is not read`() {
    #expect(
      summary(.free, nil, .trial(Self.date)).accessibilityLabel == "Plus plan, Free. Free trial. Trial ends Nov 2")
    #expect(summary(.dollars("29.99"), nil, .noRenewal, name: "Lifetime").accessibilityLabel == "Lifetime plan, $29.99")
    #expect(summary(.free, nil, .noRenewal, name: "Free").accessibilityLabel == "Free plan")
  }

  @Test func `a scheduled change stands beside the date line`() {
    var plan = PlanUsage(name: "Plus", price: .dollars("9.99"), status: .renews(Self.date))
    plan.scheduledChange = .value(ScheduledChange(to: "Basic", on: Self.date))
    let texts = SummaryText(plan, today: Self.today, PlanFormatting(localeID: "en_US", timeZoneID: "UTC"))
    #expect(texts.dateLine == "Renews Nov 2")
    #expect(texts.changeLine == "Changes to Basic on Nov 2")
    #expect(texts.accessibilityLabel == "Plus plan, $9.99. Active. Renews Nov 2. Changes to Basic on Nov 2")
  }

  @Test(arguments: [
    ("Basic", "2026-10-01", "Changes to Basic on Oct 1, 2026"),
    ("Basic", "2027-11-02", "Changes to Basic on Nov 2, 2027"),
    ("Größe „L“", "2026-10-19", "Changes to Größe „L“ on Oct 19"),
    ("Basic", "2026-11-02T00:00:00Z", "Changes to Basic on Nov 1"),
  ])
  func `a scheduled change follows the rules of dates`(to: String, on: String, line: String) {
    var plan = PlanUsage(name: "Plus", price: .free, status: .noRenewal)
    plan.scheduledChange = .value(ScheduledChange(to: to, on: DateValue(on)!))
    let formatting = PlanFormatting(localeID: "en_US", timeZoneID: "America/Los_Angeles")
    #expect(SummaryText(plan, today: Self.today, formatting).changeLine == line)
  }
}

extension Price {
  static func dollars(_ amount: String) -> Price { .amount(DecimalNumber(string: amount)!, currencyCode: "USD") }
}
