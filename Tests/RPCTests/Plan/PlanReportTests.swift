import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// What people reported of other account pages, as whole conversations: a plan in, what is shown of it out.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanReportTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var plan: String
    var zone = "UTC"
    /// Paths in the state and what stands there.
    var shown: [(String, String)]

    init(_ testDescription: String, _ plan: String, zone: String = "UTC", _ shown: [(String, String)]) {
      (self.testDescription, self.plan, self.zone, self.shown) = (testDescription, plan, zone, shown)
    }
  }

  private static func priced(_ amount: String, _ code: String) -> String {
    PlanLines.plan(#""period":"month""#, price: #"{"amount":\#(amount),"currencyCode":"\#(code)"}"#)
  }

  private static func standing(_ status: String, _ members: String = "") -> String {
    PlanLines.plan(members, name: "Plus", status: status)
  }

  private static func used(_ used: String, of limit: String, resets: Bool = false, unit: String = "") -> String {
    PlanLines.plan(
      PlanLines.meter(used, of: limit, #""unit":"\#(unit)""# + (resets ? #","resets":"2026-11-02""# : "")))
  }

  private static func meter(_ field: String) -> String { "usage.meters.0." + field }

  private static let dates = [
    Row(
      "a day is the same everywhere", standing(#"{"renews":"2026-11-19"}"#), zone: "America/New_York",
      [("summary.dateLine", #""Renews Nov 19""#)]),
    Row(
      "an instant is on the day that it is where the person is", standing(#"{"renews":"2026-11-19T02:00:00Z"}"#),
      zone: "America/New_York",
      [("summary.dateLine", #""Renews Nov 18""#), ("timeZone", #""America/New_York""#)]),
    Row(
      "the zone that was set is the one that is used", standing(#"{"renews":"2026-11-02T23:30:00Z"}"#),
      zone: "Europe/Berlin", [("summary.dateLine", #""Renews Nov 3""#), ("timeZone", #""Europe/Berlin""#)]),
    Row(
      "a cancelled plan ends and does not renew", standing(#"{"ends":"2026-11-02"}"#),
      [
        ("summary.chip", #"{"text":"Cancelled","tone":"neutral"}"#), ("summary.dateLine", #""Ends Nov 2""#),
        ("manage.visible", "true"), ("upgrade", "null"),
      ]),
    Row(
      "a plan that has ended is marked, can be managed, and offers nothing by itself",
      standing(#"{"ends":"2026-10-01"}"#),
      [
        ("summary.dateLine", #""Ends Oct 1, 2026""#), ("summary.dateIsPast", "true"), ("summary.stale", "true"),
        ("manage.visible", "true"), ("upgrade", "null"),
      ]),
    Row(
      "a plan that has ended offers what it was given",
      standing(#"{"ends":"2026-10-01"}"#, #""upgrade":{"title":"Come back"}"#),
      [("summary.dateIsPast", "true"), ("upgrade.title", #""Come back""#), ("upgrade.phase", #""idle""#)]),
    Row(
      "a payment that failed is no active plan", standing(#"{"paymentIssue":"2026-11-02"}"#),
      [
        ("summary.chip", #"{"text":"Payment issue","tone":"danger"}"#),
        ("summary.dateLine", #""Update payment by Nov 2""#), ("summary.dateTone", #""danger""#),
      ]),
    Row(
      "a change that is coming is named",
      standing(#"{"renews":"2026-11-02"}"#, #""scheduledChange":{"to":"Personal","on":"2026-11-02"}"#),
      [
        ("summary.changeLine", #""Changes to Personal on Nov 2""#), ("summary.dateLine", #""Renews Nov 2""#),
        (
          "summary.accessibilityLabel", #""Plus plan, Free. Active. Renews Nov 2. Changes to Personal on Nov 2""#
        ),
      ]),
    Row(
      "without a date there is no phrase", standing(#"{"noRenewal":true}"#),
      [("summary.dateLine", "null"), ("summary.chip", "null"), ("summary.dateIsPast", "false")]),
  ]

  private static let figures = [
    Row(
      "yen have no decimals", priced("1200", "JPY"),
      [("summary.priceLine", #""¥1,200 per month""#), ("plan.price.amount", "1200")]),
    Row("dinars have three decimals", priced("18.6", "KWD"), [("summary.priceLine", "\"KWD\u{A0}18.600 per month\"")]),
    Row(
      "an amount is a decimal from end to end", priced("39.99", "USD"),
      [("plan.price.amount", "39.99"), ("summary.priceLine", #""$39.99 per month""#)]),
    Row(
      "past the limit the bar is full and the number true", used("1059", of: "300", resets: true),
      [
        (meter("figure"), #""1,059 of 300""#), (meter("fraction"), "1"), (meter("ratio"), "3.53"),
        (meter("percentText"), #""353%""#), (meter("statusText"), #""All used""#),
      ]),
    Row(
      "a percentage is not cut off", used("345", of: "300"),
      [(meter("percentText"), #""115%""#), (meter("ratio"), "1.15")]),
    Row(
      "nothing is rounded up to the limit", used("9.996", of: "10", unit: "GB"),
      [
        (meter("figure"), #""9.9 of 10 GB""#), (meter("percentText"), #""99%""#), (meter("level"), #""nearLimit""#),
        (meter("fraction"), "0.9996"),
      ]),
    Row(
      "unlimited is not zero", used("5", of: "null", unit: "GB"),
      [
        (meter("figure"), #""5 GB used""#), (meter("fraction"), "null"), (meter("percentText"), "null"),
        (meter("level"), #""normal""#),
      ]),
    Row(
      "zero is not unlimited", used("0", of: "0", unit: "GB"),
      [(meter("figure"), #""0 of 0 GB""#), (meter("statusText"), #""Limit reached""#), (meter("fraction"), "1")]),
    Row("at the limit all of it is used", used("1000", of: "1000", resets: true), [(meter("line"), #""All used""#)]),
    Row("at the limit it is reached", used("1000", of: "1000"), [(meter("line"), #""Limit reached""#)]),
    Row(
      "below the limit it runs low", used("999", of: "1000", resets: true),
      [(meter("line"), #""Running low""#), (meter("resetsText"), #""Resets Nov 2""#)]),
    Row("below the limit it is almost full", used("999", of: "1000"), [(meter("line"), #""Almost full""#)]),
  ]

  @Test(arguments: dates + figures)
  func `what is handed over is shown right`(row: Row) throws {
    let rig = PlanRig(environment: Environment(timeZone: row.zone))
    try rig.call("plan.set", params: #"{"plan":\#(row.plan)}"#)
    #expect(rig.received(2).last?.at("result.revision") == "1")
    for (path, value) in row.shown { #expect(try rig.shown("state." + path) == value, "\(path)") }
  }

  @Test(arguments: [
    (#""status":{"renews":"2026-11-02"}"#, #""status":{"ends":null}"#, "plan.status.ends"),
    (#""status":{"renews":"2026-11-02"}"#, #""status":{"renews":"2026-13-02"}"#, "plan.status.renews"),
    (#""limit":10,"#, #""limit":-1,"#, "plan.meters[0].limit"),
  ])
  func `a missing date, a malformed one and a limit of minus one are refused`(
    good: String, bad: String, path: String
  ) throws {
    let rig = PlanRig()
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.plus.replacing(good, with: bad))}"#)
    let answer = rig.received(1)[0]
    #expect(answer.errorCode == -32602 && answer.at("error.data.path") == "\"\(path)\"")
    try rig.call("plan.get")
    #expect(rig.take(1) == [PlanLines.get])
  }

  @Test func `of the thresholds that are passed in one go the highest is told`() throws {
    let rig = PlanRig()
    func set(_ used: String) throws -> [String] {
      let meter = PlanLines.meter(used, of: "100", #""resets":"2026-11-02","alerts":[0.5,0.75,0.85]"#)
      try rig.call("plan.set", params: #"{"plan":\#(PlanLines.plan(meter))}"#)
      return rig.received(2).compactMap { $0.at("params.alerts") }
    }
    #expect(try set("40") == [])
    #expect(try set("90") == [#"[{"meter":"m","threshold":0.85}]"#])
    #expect(try set("95") == [])
  }

  @Test func `an upgrade waits for approval, which comes as a plan`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    try rig.call("plan.upgrade")
    handler.succeed(ActionResult(outcome: .pending))
    #expect(rig.received(3).last?.at("result.outcome") == "\"pending\"")
    #expect(rig.sleeping.isEmpty, "nobody is waited for")
    try rig.call("plan.set", id: nil, params: #"{"plan":\#(PlanLines.top)}"#)
    #expect(rig.received(1)[0].at("params.state.upgrade") == "null")
  }

  @Test func `who asks right after the reply sees the plan that was bought`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    try rig.call("plan.upgrade")
    handler.succeed(with: PlanUsage.top.jsonText)
    let revision = try #require(rig.received(3).last?.at("result.revision"))
    #expect(try rig.shown("revision") == revision)
    #expect(try rig.shown("state.plan") == PlanLines.top)
    #expect(try rig.shown("state.summary.name") == "\"Studio\"")
  }

  @Test func `the page stays while it is read anew`() throws {
    let rig = PlanRig()
    try rig.call("plan.get")
    _ = rig.take(1)
    try rig.call("plan.set", params: #"{"refreshing":true}"#)
    #expect(try rig.received(2)[0].json["params"]?["state"]?.members.map(\.name) == ["refreshing"])
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.plus(storage: "8.3"))}"#)
    let event = rig.received(2)[0]
    #expect(event.at("params.state.refreshing") == "false")
    #expect(event.at("params.state.loading") == nil, "the shapes never came back")
    #expect(event.at("params.motion") == "[\(PlanLines.move("storage", "0.82", "0.83"))]")
  }
}
