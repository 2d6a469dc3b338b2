import RPCShell
import Testing

@testable import PlanPlugin

/// Plans that are wrong: refused with the place of the fault, and the last good state stays.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanSetRefusalTests {
  private static let date = "expected a date that exists, YYYY-MM-DD or an RFC 3339 instant"
  private static let oneStatus = "expected exactly one of 'renews', 'trial', 'ends', 'paymentIssue', 'noRenewal'"
  private static let amount = #"{"amount":1,"currencyCode":"USD"}"#

  struct Row: Sendable, CustomTestStringConvertible {
    var params: String
    var path: String
    var reason: String
    var testDescription: String { "\(path): \(reason)" }

    init(_ params: String, _ path: String, _ reason: String) {
      (self.params, self.path, self.reason) = (params, path, reason)
    }

    init(plan: String, _ path: String, _ reason: String) {
      self.init(#"{"plan":\#(plan)}"#, "plan" + path, reason)
    }
  }

  private static let wrongParams = [
    Row("{}", "plan", "missing; expected an object, or null while nothing is known"),
    Row(#"{"refreshing":null}"#, "plan", "missing; expected an object, or null while nothing is known"),
    Row(#"{"asOf":"2026-10-19"}"#, "plan", "missing; expected an object, or null while nothing is known"),
    Row(#"{"refreshing":"yes"}"#, "refreshing", "expected a boolean, got a string"),
    Row(#"{"plan":null,"asOf":"yesterday"}"#, "asOf", date),
    Row(#"{"plan":null,"asOf":"2026-02-30"}"#, "asOf", date),
    Row(#"{"plan":null,"asOf":"2026-10-19T24:00:00Z"}"#, "asOf", date),
    Row(#"{"plan":null,"asOf":"2026-10-19T12:00:00"}"#, "asOf", date),
    Row(#"{"plan":null,"asOf":1792368000}"#, "asOf", "expected a string, got an integer"),
    Row(#"{"plan":null,"asof":"2026-10-19"}"#, "asof", "unknown member; did you mean 'asOf'?"),
    Row(#"{"plan":"Plus"}"#, "plan", "expected an object, got a string"),
    Row(#"{"plan":false}"#, "plan", "expected an object, got a boolean"),
    Row(#"{"plan":[]}"#, "plan", "expected an object, got an array"),
  ]

  private static let wrongPlans = [
    Row(plan: "{}", ".name", "missing; expected a string"),
    Row(plan: PlanLines.plan(name: ""), ".name", "expected a string that is not empty"),
    Row(plan: PlanLines.plan(#""colour":"red""#), ".colour", "unknown member"),
    Row(plan: PlanLines.plan(#""perod":"month""#), ".perod", "unknown member; did you mean 'period'?"),
    Row(plan: PlanLines.plan(#""period":"day""#), ".period", "expected one of 'week', 'month', 'year', got 'day'"),
    Row(
      plan: PlanLines.plan(price: #"{"cents":999}"#), ".price",
      "expected exactly one of 'amount', 'display', 'free'"),
    Row(plan: PlanLines.plan(price: #"{"free":false}"#), ".price.free", "expected true"),
    Row(
      plan: PlanLines.plan(price: #"{"amount":1,"currencyCode":"US"}"#), ".price.currencyCode",
      "expected a currency code of three letters"),
    Row(plan: PlanLines.plan(status: "{}"), ".status", oneStatus),
    Row(plan: PlanLines.plan(status: #"{"ends":null}"#), ".status.ends", "expected a string, got null"),
    Row(plan: PlanLines.plan(status: #"{"renews":"2026-13-02"}"#), ".status.renews", date),
    Row(plan: PlanLines.plan(status: #"{"trial":"2026-02-30"}"#), ".status.trial", date),
    Row(plan: PlanLines.plan(status: #"{"paymentIssue":"soon"}"#), ".status.paymentIssue", date),
    Row(plan: PlanLines.plan(status: #"{"renews":"2026-11-02","ends":"2026-11-02"}"#), ".status", oneStatus),
    Row(plan: PlanLines.plan(#""upgrade":{"detail":"more"}"#), ".upgrade.title", "missing; expected a string"),
    Row(plan: PlanLines.plan(#""upgrade":true"#), ".upgrade", "expected an object, got a boolean"),
    Row(plan: PlanLines.plan(#""subscriptionGroupId":1"#), ".subscriptionGroupId", "expected a string, got an integer"),
    Row(
      plan: PlanLines.plan(#""scheduledChange":{"to":"Basic","on":"2026-02-30"}"#), ".scheduledChange.on", date),
  ]

  private static let wrongMeters = [
    Row(plan: PlanLines.plan(#""meters":[1]"#), ".meters[0]", "expected an object, got an integer"),
    Row(plan: PlanLines.plan(PlanLines.meter("-1", of: "10")), ".meters[0].used", "expected a number of at least 0"),
    Row(plan: PlanLines.plan(PlanLines.meter("1", of: "-1")), ".meters[0].limit", "expected a number of at least 0"),
    Row(
      plan: PlanLines.plan(PlanLines.meter("1", of: "\"lots\"")), ".meters[0].limit",
      "expected a number, got a string"),
    Row(
      plan: PlanLines.plan(PlanLines.meter("1", of: "2", #""warnAt":1.5"#)), ".meters[0].warnAt",
      "expected a number from 0 to 1"),
    Row(plan: PlanLines.plan(PlanLines.meter("1", of: "2", #""resets":"2026-11-31""#)), ".meters[0].resets", date),
    Row(
      plan: PlanLines.plan(
        PlanLines.meter("1", of: "2").dropLast() + #",{"id":"m","label":"N","used":1,"limit":2}]"#),
      ".meters[1].id", "expected an id that no other meter has, got 'm' again"),
  ]

  @Test(arguments: wrongParams + wrongPlans + wrongMeters)
  func `what is wrong is named with its place, and the last good state stays`(row: Row) throws {
    let rig = PlanRig()
    try rig.call("plan.set", params: row.params)
    #expect(
      rig.take(1) == [
        PlanLines.refusal(-32602, "\(row.path): \(row.reason)", #"{"path":"\#(row.path)"}"#)
      ])
    try rig.call("plan.get")
    #expect(rig.take(1) == [PlanLines.get])
    #expect(rig.keptPlan == .plus)
  }

  @Test(arguments: [
    #"{"plan":\#(PlanLines.plan(name: "")),"refreshing":false}"#,
    #"{"plan":\#(PlanLines.plan(PlanLines.meter("1", of: "2").dropLast() + #",{"id":"m","label":"N","used":1,"limit":2}]"#)),"asOf":"2027-01-01"}"#,
  ])
  func `a refused plan ends no reload, clears no message and leaves no time`(params: String) throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    try rig.call("plan.set", params: #"{"refreshing":true}"#)
    try rig.call("plan.upgrade")
    handler.fail(ActionFailure(message: "Card declined."))
    _ = rig.take(5)
    try rig.call("plan.set", params: params)
    #expect(rig.received(1).map(\.errorCode) == [-32602])
    #expect(try rig.shown("state.refreshing") == "true")
    #expect(try rig.shown("state.upgrade.message") == "\"Card declined.\"")
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.top),"asOf":"2026-10-19"}"#)
    #expect(rig.received(2).last?.at("result") == #"{"revision":4}"#)
  }

  @Test func `a plan that was never good leaves the block loading`() throws {
    let rig = PlanRig(plan: nil)
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.plan(name: ""))}"#)
    #expect(rig.received(1).map(\.errorCode) == [-32602])
    #expect(try rig.shown("state.loading") == "true")
    #expect(rig.keptPlan == nil)
  }
}
