import AccountModel
import RPCShell

@testable import PlanPlugin

/// Makes plans, as JSON, of everything that a host may hand over, and the surroundings in which they are read.
struct RandomPlans {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  static let locales = [
    "en_US", "de_DE", "fr_FR", "ar_SA", "fa_IR", "hi_IN", "ja_JP", "zh_Hans_CN", "ko_KR", "tr_TR", "pt_BR", "ru_RU",
    "pl_PL", "he_IL", "th_TH", "sv_SE", "en_IN", "de_CH", "bn_BD", "mr_IN",
  ]
  private static let zones = [
    "UTC", "America/Los_Angeles", "Asia/Kolkata", "Asia/Kathmandu", "Pacific/Apia", "Australia/Lord_Howe",
    "Europe/London", "America/St_Johns", "Pacific/Kiritimati", "Etc/GMT+12", "Asia/Tokyo", "America/Sao_Paulo",
  ]
  private static let words = [
    "Plus", "Family Plan", "プレミアム", "Größe „L“", "خطة", "תוכנית", "🚀 Pro", "Cafe\u{301}", "Caf\u{E9}", "a\"b\\c", "x",
    "line\u{2028}break", "tab\there", "1 of 2", "100%", "<b>", "नमस्ते", "per month", "\u{200F}ש",
  ]
  private static let currencies = ["USD", "eur", "JPY", "KWD", "INR", "CHF", "CLF", "XYZ", "BRL", "SAR", "THB", "KRW"]
  private static let displays = ["$9.99", "9,99\u{A0}€", "\u{1B}[31m¥1,200\u{1B}[0m", "৳৯৯", "free for now", "$9\u{7}"]

  // MARK: Choosing

  private mutating func one<Value>(of values: [Value]) -> Value { values.randomElement(using: &random)! }
  private mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
  /// True once in so many times.
  private mutating func once(in times: Int) -> Bool { number(1...times) == 1 }
  private mutating func word() -> String { JSONText.string(one(of: Self.words)).description }

  /// A member, null, or nothing.
  private mutating func member(_ name: String, _ value: (inout RandomPlans) -> String) -> [String] {
    switch number(1...4) {
    case 1: []
    case 2: ["\"\(name)\":null"]
    default: ["\"\(name)\":\(value(&self))"]
    }
  }

  // MARK: Surroundings

  mutating func environment() -> Environment {
    Environment(locale: one(of: Self.locales), timeZone: one(of: Self.zones), reduceMotion: once(in: 3))
  }

  /// Some moment of the years around the examples.
  mutating func now() -> Double { PlanRig.today + Double(number(-40_000_000...40_000_000)) + 0.25 }

  /// What is going on beside the plan.
  mutating func state(of plan: PlanUsage?) -> PlanState {
    var half = ActionPhase(.working)
    half.report(ActionProgress(fraction: 0.4, message: "Half"))
    let phases: [ActionPhase] = [
      .idle, .working, .done, .failed("No"), .pending, .restored, .nothingToRestore,
      half,
    ]
    var state = PlanState()
    state.take(plan, asOf: once(in: 3) ? DateValue("2026-10-18T09:00:00Z") : nil)
    state.upgrade = one(of: phases)
    state.restore = one(of: phases)
    state.isRefreshing = once(in: 3)
    state.isManageCustom = once(in: 3)
    state.isRestoreCustom = once(in: 3)
    if once(in: 4) { state.acceptedOffer = Upgrade(title: "Upgrade to Studio") }
    return state
  }

  // MARK: Plans

  mutating func plan() -> String {
    var members = [#""name":\#(word())"#, #""price":\#(price())"#, #""status":\#(status())"#]
    members += member("period") { "\"" + $0.one(of: ["week", "month", "year"]) + "\"" }
    let meters = (0..<number(0...4)).map { meter($0) }.joined(separator: ",")
    if !meters.isEmpty || once(in: 2) { members.append("\"meters\":[\(meters)]") }
    members += member("upgrade") { plans in
      let detail = plans.member("detail") { $0.word() }
      return "{\(([#""title":\#(plans.word())"#] + detail).joined(separator: ","))}"
    }
    members += member("subscriptionGroupId") { $0.word() }
    members += member("scheduledChange") { #"{"to":\#($0.word()),"on":\#($0.date())}"# }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func price() -> String {
    switch number(1...4) {
    case 1: #"{"free":true}"#
    case 2: #"{"display":\#(JSONText.string(one(of: Self.displays)))}"#
    default: #"{"amount":\#(decimal()),"currencyCode":"\#(one(of: Self.currencies))"}"#
    }
  }

  private mutating func status() -> String {
    once(in: 4)
      ? #"{"noRenewal":true}"# : #"{"\#(one(of: ["renews", "trial", "ends", "paymentIssue"]))":\#(date())}"#
  }

  private mutating func date() -> String {
    let isNear = !once(in: 4)
    let year = isNear ? number(2025...2028) : number(1600...9999)
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let day = "\(year)-\(padded(number(1...12)))-\(padded(number(1...28)))"
    guard once(in: 3) else { return "\"\(day)\"" }
    let time = "\(padded(number(0...23))):\(padded(number(0...59))):\(padded(number(0...59)))"
    return "\"\(day)T\(time)\(one(of: ["Z", ".25Z", "+05:45", "-03:30", "+14:00"]))\""
  }

  private mutating func meter(_ index: Int) -> String {
    let (used, limit) = figures()
    var members = [#""id":"m\#(index)""#, #""label":\#(word())"#, #""used":\#(used)"#, #""limit":\#(limit)"#]
    members += member("unit") { $0.one(of: ["\"\"", "\"GB\"", "\"Мб\"", "\"項目\"", "\"of 2\""]) }
    members += member("format") { $0.format() }
    members += member("symbol") { $0.word() }
    members += member("group") { $0.word() }
    members += member("warnAt") { $0.one(of: ["0", "0.5", "1", "\"0.850\"", "1e-7", "0.99"]) }
    members += member("resets") { $0.date() }
    members += member("overage") { plans in
      let cost = plans.member("cost") { $0.price() }
      return "{\(([#""amount":\#(plans.decimal())"#] + cost).joined(separator: ","))}"
    }
    members += member("alerts") { _ in "[0.5,0.75,1]" }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func format() -> String {
    let fewest = number(0...4)
    let members =
      member("minFraction") { _ in "\(fewest)" } + member("maxFraction") { "\(fewest + $0.number(0...11))" }
      + member("grouping") { $0.one(of: ["true", "false"]) }
    return "{\(members.joined(separator: ","))}"
  }

  // MARK: Decimals

  /// What is used and the limit: anything, or close to each other.
  private mutating func figures() -> (used: String, limit: String) {
    switch number(1...7) {
    case 1: return (decimal(), "null")
    case 2: return (decimal(), one(of: ["0", "0.0", "\"0\""]))
    case 3:
      let whole = number(1...100_000)
      return ("\"\(whole - 1).\(String(repeating: "9", count: number(1...30)))\"", "\(whole)")
    case 4:
      let limit = decimal()
      return (limit, limit)
    case 5:
      let (used, limit) = (number(0...1200), number(1...1000))
      return ("\(Double(used) / 10)", "\(limit)")
    case 6:
      let used = "\"\(number(1...9))" + (0..<number(20...37)).map { _ in "\(number(0...9))" }.joined() + "\""
      return (used, one(of: ["1", "2", "0.5", "1e-7", "\"0.0000000000000000000000000000000000001\"", used]))
    default: return (decimal(), decimal())
    }
  }

  /// A decimal of some kind and size.
  private mutating func decimal() -> String {
    switch number(1...5) {
    case 1: return "\(number(0...2000))"
    case 2: return "\(Double(number(0...1_000_000)) / 100)"
    case 3: return one(of: ["0", "1e-7", "1.5e3", "0.05", "123456789.123456", "9223372036854775807"])
    case 4: return "\"0.\(String(repeating: "0", count: number(0...30)))\(number(1...999_999))\""
    default:
      let digits = (0..<number(1...38)).map { _ in "\(number(0...9))" }.joined()
      let point = number(1...38)
      let whole = digits.prefix(point).drop { $0 == "0" }
      let fraction = digits.dropFirst(point)
      let isWhole = fraction.isEmpty || whole.count + fraction.count > 37
      return "\"\(whole.isEmpty ? "0" : whole)\(isWhole ? "" : "." + fraction)\""
    }
  }
}
