import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// What the locale data says, byte for byte: blanks that do not break (U+00A0, U+202F) and marks of direction (U+200E,
/// U+200F, U+061C) are kept as they come.
struct GoldenTextTests {
  private static let today = Day(year: 2026, month: 10, day: 19)!

  /// Compares bytes: strings would be equal when they only look the same.
  private func expect(_ text: String?, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation) {
    guard let text else {
      Issue.record("nothing instead of \(expected.spelledOut)", sourceLocation: sourceLocation)
      return
    }
    #expect(
      Array(text.utf8) == Array(expected.utf8), "\(text.spelledOut) instead of \(expected.spelledOut)",
      sourceLocation: sourceLocation)
  }

  private func money(_ amount: String, _ code: String, _ locale: String) -> String? {
    var plan = PlanUsage(
      name: "P", price: .amount(DecimalNumber(string: amount)!, currencyCode: code), status: .noRenewal)
    plan.period = .value(.month)
    let formatting = PlanFormatting(localeID: locale, timeZoneID: "UTC")
    return SummaryText(plan, today: Self.today, formatting).priceLine
  }

  @Test(arguments: [
    // locale, 9.99 EUR, 1234567.5 USD, -3.5 KWD
    ("en_US", "€9.99", "$1,234,567.50", "-KWD\u{A0}3.500"),
    ("de_DE", "9,99\u{A0}€", "1.234.567,50\u{A0}$", "-3,500\u{A0}KWD"),
    ("fr_FR", "9,99\u{A0}€", "1\u{202F}234\u{202F}567,50\u{A0}$US", "-3,500\u{A0}KWD"),
    (
      "ar_SA", "\u{200F}٩٫٩٩\u{A0}€", "\u{200F}١٬٢٣٤٬٥٦٧٫٥٠\u{A0}US$",
      "\u{61C}-\u{200F}٣٫٥٠٠\u{A0}د.ك.\u{200F}"
    ),
    ("fa_IR", "\u{200E}€۹٫۹۹", "\u{200E}$۱٬۲۳۴٬۵۶۷٫۵۰", "\u{200E}−\u{200E}KWD\u{A0}۳٫۵۰۰"),
    ("hi_IN", "€9.99", "$12,34,567.50", "-KWD\u{A0}3.500"),
    ("ja_JP", "€9.99", "$1,234,567.50", "-KWD\u{A0}3.500"),
    ("zh_Hans_CN", "€9.99", "US$1,234,567.50", "-KWD\u{A0}3.500"),
    ("ko_KR", "€9.99", "US$1,234,567.50", "-KWD\u{A0}3.500"),
    ("tr_TR", "€9,99", "$1.234.567,50", "-KWD\u{A0}3,500"),
    ("pt_BR", "€\u{A0}9,99", "US$\u{A0}1.234.567,50", "-KWD\u{A0}3,500"),
    ("ru_RU", "9,99\u{A0}€", "1\u{A0}234\u{A0}567,50\u{A0}$", "-3,500\u{A0}KWD"),
    ("pl_PL", "9,99\u{A0}€", "1\u{A0}234\u{A0}567,50\u{A0}USD", "-3,500\u{A0}KWD"),
    (
      "he_IL", "\u{200F}9.99\u{A0}\u{200F}€", "\u{200F}1,234,567.50\u{A0}\u{200F}$",
      "\u{200F}\u{200E}-3.500\u{A0}\u{200F}KWD"
    ),
    ("th_TH", "€9.99", "US$1,234,567.50", "-KWD\u{A0}3.500"),
    ("sv_SE", "9,99\u{A0}€", "1\u{A0}234\u{A0}567,50\u{A0}US$", "−3,500\u{A0}KWD"),
    ("en_IN", "€9.99", "$12,34,567.50", "-KWD\u{A0}3.500"),
    ("de_CH", "EUR\u{A0}9.99", "$\u{A0}1’234’567.50", "KWD-3.500"),
    ("bn_BD", "9.99€", "12,34,567.50\u{A0}US$", "-3.500\u{A0}KWD"),
    ("mr_IN", "€9.99", "$12,34,567.50", "-KWD\u{A0}3.500"),
  ])
  func `money`(locale: String, euros: String, dollars: String, dinars: String) {
    expect(money("9.99", "EUR", locale), euros + " per month")
    expect(money("1234567.5", "USD", locale), dollars + " per month")
    expect(money("-3.5", "KWD", locale), dinars + " per month")
  }

  @Test(arguments: [
    // locale, 2026-11-02, 2027-12-05
    ("en_US", "Nov 2", "Dec 5, 2027"), ("de_DE", "2. Nov.", "5. Dez. 2027"), ("fr_FR", "2 nov.", "5 déc. 2027"),
    ("ar_SA", "٢ نوفمبر", "٥ ديسمبر، ٢٠٢٧"), ("fa_IR", "۲ نوامبر", "۵ دسامبر ۲۰۲۷"),
    ("hi_IN", "2 नव॰", "5 दिस॰ 2027"), ("ja_JP", "11月2日", "2027年12月5日"), ("zh_Hans_CN", "11月2日", "2027年12月5日"),
    ("ko_KR", "11월 2일", "2027년 12월 5일"), ("tr_TR", "2 Kas", "5 Ara 2027"), ("pt_BR", "2 de nov.", "5 de dez. de 2027"),
    ("ru_RU", "2 нояб.", "5 дек. 2027\u{202F}г."), ("pl_PL", "2 lis", "5 gru 2027"),
    ("he_IL", "2 בנוב׳", "5 בדצמ׳ 2027"), ("th_TH", "2 พ.ย.", "5 ธ.ค. 2027"), ("sv_SE", "2 nov.", "5 dec. 2027"),
    ("en_IN", "2 Nov", "5 Dec 2027"), ("de_CH", "2. Nov.", "5. Dez. 2027"), ("bn_BD", "2 নভে", "5 ডিসে, 2027"),
    ("mr_IN", "2 नोव्हें", "5 डिसें, 2027"),
  ])
  func `dates`(locale: String, near: String, far: String) {
    let formatting = PlanFormatting(localeID: locale, timeZoneID: "UTC")
    func line(_ status: Status) -> String? {
      SummaryText(PlanUsage(name: "P", price: .free, status: status), today: Self.today, formatting).dateLine
    }
    let (day, farDay) = (DateValue("2026-11-02")!, DateValue("2027-12-05")!)
    expect(line(.renews(day)), "Renews " + near)
    expect(line(.trial(day)), "Trial ends " + near)
    expect(line(.ends(farDay)), "Ends " + far)
    expect(line(.paymentIssue(farDay)), "Update payment by " + far)
  }

  @Test(arguments: [
    // locale, 1234567.8, 2000000, 61 %, 1 %
    ("en_US", "1,234,567.8", "2,000,000", "61%", "<1%"),
    ("de_DE", "1.234.567,8", "2.000.000", "61\u{A0}%", "<1\u{A0}%"),
    ("fr_FR", "1\u{202F}234\u{202F}567,8", "2\u{202F}000\u{202F}000", "61\u{A0}%", "<1\u{A0}%"),
    ("ar_SA", "١٬٢٣٤٬٥٦٧٫٨", "٢٬٠٠٠٬٠٠٠", "٦١٪\u{61C}", "<١٪\u{61C}"),
    ("fa_IR", "۱٬۲۳۴٬۵۶۷٫۸", "۲٬۰۰۰٬۰۰۰", "۶۱٪", "<۱٪"),
    ("hi_IN", "12,34,567.8", "20,00,000", "61%", "<1%"), ("ja_JP", "1,234,567.8", "2,000,000", "61%", "<1%"),
    ("zh_Hans_CN", "1,234,567.8", "2,000,000", "61%", "<1%"), ("ko_KR", "1,234,567.8", "2,000,000", "61%", "<1%"),
    ("tr_TR", "1.234.567,8", "2.000.000", "%61", "<%1"), ("pt_BR", "1.234.567,8", "2.000.000", "61%", "<1%"),
    ("ru_RU", "1\u{A0}234\u{A0}567,8", "2\u{A0}000\u{A0}000", "61\u{A0}%", "<1\u{A0}%"),
    ("pl_PL", "1\u{A0}234\u{A0}567,8", "2\u{A0}000\u{A0}000", "61%", "<1%"),
    ("he_IL", "1,234,567.8", "2,000,000", "61%", "<1%"), ("th_TH", "1,234,567.8", "2,000,000", "61%", "<1%"),
    ("sv_SE", "1\u{A0}234\u{A0}567,8", "2\u{A0}000\u{A0}000", "61\u{A0}%", "<1\u{A0}%"),
    ("en_IN", "12,34,567.8", "20,00,000", "61%", "<1%"), ("de_CH", "1’234’567.8", "2’000’000", "61%", "<1%"),
    ("bn_BD", "12,34,567.8", "20,00,000", "61%", "<1%"), ("mr_IN", "12,34,567.8", "20,00,000", "61%", "<1%"),
  ])
  func `figures`(locale: String, used: String, limit: String, percent: String, little: String) {
    let formatting = PlanFormatting(localeID: locale, timeZoneID: "UTC")
    var meter = Meter(
      id: "m", label: "L", used: DecimalNumber(string: "1234567.8")!, limit: DecimalNumber(string: "2000000")!)
    meter.unit = .value("GB")
    meter.overage = .value(Meter.Overage(amount: meter.used))
    let texts = MeterText(meter, today: Self.today, formatting)
    expect(texts.figure, "\(used) of \(limit) GB")
    expect(texts.percentText, percent)
    expect(texts.accessibilityValue, "\(used) of \(limit) GB, \(percent)")
    expect(texts.overageText, "\(used) GB over")
    meter.used = DecimalNumber(string: "0.1")!
    expect(MeterText(meter, today: Self.today, formatting).percentText, little)
    meter.limit = nil
    meter.used = DecimalNumber(string: "1234567.8")!
    expect(MeterText(meter, today: Self.today, formatting).figure, "\(used) GB used")
  }

  @Test(arguments: [
    ("fr-FR", "fr_FR"), ("ar-SA", "ar_SA"), ("zh-Hans-CN", "zh_Hans_CN"), ("de_DE@calendar=buddhist", "de_DE"),
    ("fa-IR-u-ca-persian", "fa_IR"), ("xx_YY", "und"), ("en_US_POSIX", "en_US_POSIX"),
  ])
  func `both spellings of a locale say the same`(one: String, other: String) {
    let first = PlanState.showing(.plus).snapshot(Environment(locale: one))
    let second = PlanState.showing(.plus).snapshot(Environment(locale: other))
    #expect(first["summary"] == second["summary"] && first["usage"] == second["usage"])
  }

  @Test(arguments: [
    ("en-u-ka-kb-kc-kf-kh-kk-kn-kr-ks-kv-ca-gregory", "en"), ("en-u-nu-bogus", "en"), ("en_US@numbers=bogus", "en_US"),
    ("en-u-nu", "en"), ("de_DE@numbers=zzzz;calendar=chinese", "de_DE"), ("ar-SA-u-nu-latn", "ar_SA@numbers=latn"),
    (
      "en_US@calendar=gregorian;collation=phonebook;colnumeric=yes;colalternate=shifted;colbackwards=yes;colcaselevel=yes;colcasefirst=upper;colreorder=latn",
      "en_US"
    ),
    ("en-x-" + (10..<90).map { "a\($0)" }.joined(separator: "-"), "en"),
    ("en_US_" + (0..<25).map { "VAR\($0)00" }.joined(separator: "_"), "en_US"),
  ])
  func `extensions that mean nothing here change nothing`(long: String, short: String) {
    let first = PlanState.showing(.plus).snapshot(Environment(locale: long))
    let second = PlanState.showing(.plus).snapshot(Environment(locale: short))
    #expect(first["summary"] == second["summary"] && first["usage"] == second["usage"])
  }

  @Test func `a locale's own digits can be asked for`() {
    let formatting = PlanFormatting(localeID: "en-US-u-nu-arab", timeZoneID: "UTC")
    let texts = MeterText(PlanUsage.plus.meters.value![0], today: Self.today, formatting)
    expect(texts.figure, "٨٫٢ of ١٠ GB")
    expect(texts.percentText, "٨٢٪\u{61C}")
  }

  @Test func `numbers of the state have no locale`() throws {
    for locale in ["ar_SA", "de_DE", "fa_IR"] {
      let meter = try PlanState.showing(.plus).snapshot(Environment(locale: locale))["usage"]?.view["meters"]?[0]
      #expect(meter?["fraction"]?.text.description == "0.82" && meter?["used"]?.text.description == "8.2")
    }
  }
}
