import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin
@testable import RPCShellMain

struct PlanUsageTests {
  private func read(_ text: String) throws -> PlanUsage {
    try PlanUsage(checking: JSONDocument(parsing: JSONText(trusted: Array(text.utf8))).view, path: "plan")
  }

  private static func plan(_ members: String) -> String {
    #"{"name":"Plus","price":{"free":true},"status":{"noRenewal":true}\#(members.isEmpty ? "" : ",")\#(members)}"#
  }

  private static func meter(_ members: String) -> String {
    plan(#""meters":[{"id":"m","label":"M",\#(members)}]"#)
  }

  // MARK: As given

  @Test(arguments: [
    PlanLines.plus, PlanUsage.top.jsonText.description, plan(""), plan(#""meters":[],"upgrade":null"#),
    #"{"name":"P","price":{"free":true},"period":null,"status":{"noRenewal":true},"meters":null}"#,
    plan(
      #""upgrade":{"title":"Go","detail":null},"subscriptionGroupId":"21439","scheduledChange":{"to":"Basic","on":"2026-11-02"}"#
    ),
    meter(#""used":8.2,"limit":null"#), meter(#""used":"8.20","limit":"99999999999999999999999999999999999999""#),
    meter(
      #""used":0,"limit":10,"unit":"GB","format":{"minFraction":0,"maxFraction":2,"grouping":false},"symbol":"drive","group":"g","warnAt":"0.90","resets":"2026-11-02T00:00:00.5Z","overage":{"amount":759,"cost":{"amount":7.59,"currencyCode":"usd"}},"alerts":[0.5,0.75,1]"#
    ),
    meter(#""used":9007199254740993,"limit":null,"format":{},"overage":{"amount":1,"cost":null}"#),
    #"{"name":"P","price":{"display":"$9.99"},"period":"week","status":{"paymentIssue":"2026-11-02"}}"#,
  ])
  func `a plan is written as it was given`(text: String) throws {
    #expect(try read(text).jsonText.description == text)
  }

  @Test(arguments: [
    ("8.20", "8.2"), ("10.0", "10"), ("1e1", "10"), ("8.1999999999999993", "8.2"), ("39.989999999999995", "39.99"),
    ("0.30000000000000004", "0.3"), ("123456789.123456", "123456789.123456"), ("-0.0", "0"), ("1e-7", "0.0000001"),
    ("1e20", "1e20"),
  ])
  func `numbers are written in their shortest form`(given: String, written: String) throws {
    let text = Self.meter(#""used":\#(given),"limit":null"#)
    #expect(try read(text).jsonText.description == Self.meter(#""used":\#(written),"limit":null"#))
  }

  @Test func `members are written in the declared order`() throws {
    let text = #"{"status":{"noRenewal":true},"name":"Plus","price":{"currencyCode":"USD","amount":9.99}}"#
    #expect(
      try read(text).jsonText.description
        == #"{"name":"Plus","price":{"amount":9.99,"currencyCode":"USD"},"status":{"noRenewal":true}}"#)
  }

  @Test func `the sample is the documented one`() throws {
    #expect(PlanUsage.plus.jsonText.description == PlanLines.plus)
    #expect(try read(PlanLines.plus) == .plus)
    #expect(PlanUsage.sampleCatalogue(madeAt: PlanRig.today + 86_399.9) == [.plus, .top])
  }

  @Test(arguments: [#""""#, #"" ""#, #""\u001b[0m""#, #""\u0007\n""#, #""\u001b]0;title\u0007""#])
  func `a finished price is a text to show`(display: String) throws {
    let violation = #expect(throws: SchemaViolation.self) {
      try PlanUsage.read(#"{"name":"Plus","price":{"display":\#(display)},"status":{"noRenewal":true}}"#)
    }
    #expect(violation?.reason == "expected a text to show")
  }

  @Test func `ids that only look the same are two`() throws {
    let meter = { (id: String) in #"{"id":"\#(id)","label":"M","used":1,"limit":2}"# }
    let plan = try PlanUsage.read(
      #"{"name":"P","price":{"free":true},"status":{"noRenewal":true},"meters":[\#(meter("\u{E9}")),\#(meter("e\u{301}"))]}"#
    )
    #expect(plan.meters.value?.count == 2)
  }

  @Test func `a plan has up to 65,536 meters`() throws {
    let meter = { (id: Int) in #"{"id":"\#(id)","label":"","used":0,"limit":0}"# }
    let plan = { (count: Int) in
      let meters = (0..<count).map(meter).joined(separator: ",")
      return #"{"name":"P","price":{"free":true},"status":{"noRenewal":true},"meters":[\#(meters)]}"#
    }
    #expect(try PlanUsage.read(plan(65_536)).meters.value?.count == 65_536)
    #expect(throws: SchemaViolation(path: "plan.meters", reason: "expected at most 65536 meters")) {
      try PlanUsage.read(plan(65_537))
    }
  }

  @Test func `texts of many combining marks cost what other texts cost`() throws {
    // Compared as characters this would take minutes.
    let marks = String(repeating: "\u{301}\u{323}", count: 250_000)
    let text = "a\(marks) plan"
    let plan = try PlanUsage.read(
      #"{"name":"\#(text)","price":{"free":true},"status":{"noRenewal":true},"meters":[{"id":"\#(text)","label":"\#(text)","used":1,"limit":2}]}"#
    )
    var state = PlanState.showing(plan)
    state.take(.plus)
    state.take(plan)
    #expect(state.snapshot()["plan"] == plan.jsonText)
    #expect(throws: SchemaViolation.self) { try PlanUsage.read(#"{"\#(text)":1}"#) }
    #expect(!SystemTimeZone.isKnown(text))
    #expect(!LocaleIdentifier.isWellFormed(text))
  }

  // MARK: Errors

  @Test(arguments: [
    ("[]", "plan: expected an object, got an array"),
    (#"{"price":{"free":true},"status":{"noRenewal":true}}"#, "plan.name: missing; expected a string"),
    (
      #"{"name":"","price":{"free":true},"status":{"noRenewal":true}}"#,
      "plan.name: expected a string that is not empty"
    ),
    (plan(#""perod":"month""#), "plan.perod: unknown member; did you mean 'period'?"),
    (plan(#""period":"day""#), "plan.period: expected one of 'week', 'month', 'year', got 'day'"),
    (
      plan(#""period":"months""#),
      "plan.period: expected one of 'week', 'month', 'year', got 'months'; did you mean 'month'?"
    ),
    (plan(#""meters":{}"#), "plan.meters: expected an array, got an object"),
    (plan(#""upgrade":{}"#), "plan.upgrade.title: missing; expected a string"),
    (plan(#""upgrade":{"title":""}"#), "plan.upgrade.title: expected a string that is not empty"),
    (
      plan(#""scheduledChange":{"to":"","on":"2026-11-02"}"#),
      "plan.scheduledChange.to: expected a string that is not empty"
    ),
    (
      meter(#""used":1,"limit":1,"overage":{"amount":1,"cost":{"display":" "}}"#),
      "plan.meters[0].overage.cost.display: expected a text to show"
    ),
    (plan(#""subscriptionGroupId":21439"#), "plan.subscriptionGroupId: expected a string, got an integer"),
    (
      plan(#""scheduledChange":{"to":"Basic","on":"2026-02-30"}"#),
      "plan.scheduledChange.on: expected a date that exists, YYYY-MM-DD or an RFC 3339 instant"
    ),
    (meter(#""used":1"#), "plan.meters[0].limit: missing; expected a number of at least 0 or null"),
    (meter(#""used":1,"limit":"lots""#), "plan.meters[0].limit: expected a number, got a string"),
    (
      meter(#""used":1,"limit":"1e3""#),
      "plan.meters[0].limit: expected a number of at most 38 digits, without exponent in a string"
    ),
    (
      meter(#""used":1,"limit":1e300"#),
      "plan.meters[0].limit: expected a number of at most 38 digits, without exponent in a string"
    ),
    (
      meter(#""used":1,"limit":"100000000000000000000000000000000000000""#),
      "plan.meters[0].limit: expected a number of at most 38 digits, without exponent in a string"
    ),
    (meter(#""used":1,"limit":true"#), "plan.meters[0].limit: expected a number, got a boolean"),
    (meter(#""used":1,"limit":-1"#), "plan.meters[0].limit: expected a number of at least 0"),
    (meter(#""used":-0.5,"limit":1"#), "plan.meters[0].used: expected a number of at least 0"),
    (meter(#""used":null,"limit":1"#), "plan.meters[0].used: expected a number, got null"),
    (meter(#""used":"NaN","limit":1"#), "plan.meters[0].used: expected a number, got a string"),
    (meter(#""used":"Infinity","limit":1"#), "plan.meters[0].used: expected a number, got a string"),
    (meter(#""used":"-0.0000001","limit":1"#), "plan.meters[0].used: expected a number of at least 0"),
    (meter(#""used":1,"limit":"-1""#), "plan.meters[0].limit: expected a number of at least 0"),
    (meter(#""used":"1.","limit":1"#), "plan.meters[0].used: expected a number, got a string"),
    (meter(#""used":1,"limit":1,"warnAt":-0.01"#), "plan.meters[0].warnAt: expected a number from 0 to 1"),
    (
      meter(#""used":1,"limit":1,"warnAt":"1.0000000000000001""#),
      "plan.meters[0].warnAt: expected a number from 0 to 1"
    ),
    (meter(#""used":1,"limit":1,"warnAt":"85%""#), "plan.meters[0].warnAt: expected a number, got a string"),
    (meter(#""used":1,"limit":1,"unit":5"#), "plan.meters[0].unit: expected a string, got an integer"),
    (
      meter(#""used":1,"limit":1,"overage":{"amount":-1}"#),
      "plan.meters[0].overage.amount: expected a number of at least 0"
    ),
    (meter(#""used":1,"limit":1,"warnAt":1.01"#), "plan.meters[0].warnAt: expected a number from 0 to 1"),
    (meter(#""used":1,"limit":1,"alerts":[0.5,-1]"#), "plan.meters[0].alerts[1]: expected a number from 0 to 1"),
    (
      meter(#""used":1,"limit":1,"resets":"2026-13-02""#),
      "plan.meters[0].resets: expected a date that exists, YYYY-MM-DD or an RFC 3339 instant"
    ),
    (
      meter(#""used":1,"limit":1,"format":{"minFraction":2,"maxFraction":1}"#),
      "plan.meters[0].format: expected minFraction to be at most maxFraction"
    ),
    (
      meter(#""used":1,"limit":1,"format":{"minFraction":16}"#),
      "plan.meters[0].format.minFraction: expected an integer from 0 to 15, got 16"
    ),
    (
      meter(#""used":1,"limit":1,"symbol":"\#(String(repeating: "s", count: 65))""#),
      "plan.meters[0].symbol: expected at most 64 bytes, got 65"
    ),
    (
      meter(#""used":1,"limit":1,"overage":{}"#),
      "plan.meters[0].overage.amount: missing; expected a number of at least 0"
    ),
    (
      plan(
        #""meters":[{"id":"a","label":"A","used":1,"limit":2},{"id":"b","label":"B","used":1,"limit":2},{"id":"a","label":"C","used":1,"limit":2}]"#
      ),
      "plan.meters[2].id: expected an id that no other meter has, got 'a' again"
    ),
  ])
  func `what is wrong is named with its path`(text: String, message: String) throws {
    let violation = try #require(throws: SchemaViolation.self) { try read(text) }
    #expect(violation.text == message)
  }

  @Test(arguments: [
    (#"{}"#, "plan.price: expected exactly one of 'amount', 'display', 'free'"),
    (#"{"fre":true}"#, "plan.price: expected exactly one of 'amount', 'display', 'free'; did you mean 'free'?"),
    (#"{"free":true,"display":"x"}"#, "plan.price: expected exactly one of 'amount', 'display', 'free'"),
    (#"{"free":false}"#, "plan.price.free: expected true"),
    (#"{"cents":999}"#, "plan.price: expected exactly one of 'amount', 'display', 'free'"),
    (#"{"display":""}"#, "plan.price.display: expected a text to show"),
    (#"{"amount":1,"currencyCode":"US"}"#, "plan.price.currencyCode: expected a currency code of three letters"),
    (#"{"amount":1,"currencyCode":"USDX"}"#, "plan.price.currencyCode: expected a currency code of three letters"),
    (#"{"amount":1,"currencyCode":"ÄU"}"#, "plan.price.currencyCode: expected a currency code of three letters"),
    (#"{"amount":"NaN","currencyCode":"USD"}"#, "plan.price.amount: expected a number, got a string"),
    (#"{"amount":"9.99"}"#, "plan.price.currencyCode: missing; expected a currency code of three letters"),
    (#"{"amount":"nine","currencyCode":"USD"}"#, "plan.price.amount: expected a number, got a string"),
    (#"{"amount":1,"currencyCode":""}"#, "plan.price.currencyCode: expected a currency code of three letters"),
    (#"{"amount":1,"currencyCode":"US1"}"#, "plan.price.currencyCode: expected a currency code of three letters"),
  ])
  func `a price has exactly one form`(price: String, message: String) throws {
    let text = #"{"name":"Plus","price":\#(price),"status":{"noRenewal":true}}"#
    let violation = try #require(throws: SchemaViolation.self) { try read(text) }
    #expect(violation.text == message)
  }

  @Test(arguments: [
    (
      #"{"renews":"2026-02-30"}"#,
      "plan.status.renews: expected a date that exists, YYYY-MM-DD or an RFC 3339 instant"
    ),
    (#"{"ends":null}"#, "plan.status.ends: expected a string, got null"),
    (#"{"ends":0}"#, "plan.status.ends: expected a string, got an integer"),
    (
      #"{"expired":"2026-11-02"}"#,
      "plan.status: expected exactly one of 'renews', 'trial', 'ends', 'paymentIssue', 'noRenewal'"
    ),
    (
      #"{"renews":"2026-11-02","trial":"2026-11-02"}"#,
      "plan.status: expected exactly one of 'renews', 'trial', 'ends', 'paymentIssue', 'noRenewal'"
    ),
    (#"{"noRenewal":false}"#, "plan.status.noRenewal: expected true"),
  ])
  func `a status has exactly one form`(status: String, message: String) throws {
    let text = #"{"name":"Plus","price":{"free":true},"status":\#(status)}"#
    let violation = try #require(throws: SchemaViolation.self) { try read(text) }
    #expect(violation.text == message)
  }

  @Test(arguments: [
    "2026-13-02", "2026-02-30", "2027-02-29", "2026-11-02T24:00:00Z", "2026-11-02T10:00:60Z", "Nov 2", "",
  ])
  func `no date is taken that does not exist`(date: String) throws {
    for tag in ["renews", "trial", "ends", "paymentIssue"] {
      let text = #"{"name":"Plus","price":{"free":true},"status":{"\#(tag)":"\#(date)"}}"#
      let violation = try #require(throws: SchemaViolation.self) { try read(text) }
      #expect(
        violation.text
          == "plan.status.\(tag): expected a date that exists, YYYY-MM-DD or an RFC 3339 instant")
    }
  }

  @Test(arguments: ["NaN", "1e400", "-1e400", "Infinity"])
  func `what is no number is not even JSON`(number: String) {
    #expect(throws: JSONParseFailure.self) { try read(Self.meter(#""used":\#(number),"limit":1"#)) }
  }

  @Test(arguments: [
    #""used":1e20,"limit":null"#, #""used":1,"limit":1e37"#, #""used":9223372036854775808.0,"limit":2"#,
  ])
  func `what was written can be read again`(members: String) throws {
    let plan = try read(Self.meter(members))
    #expect(try read(plan.jsonText.description) == plan)
  }

  @Test(arguments: [("0", Level.nearLimit), ("1", .normal), ("\"0.50\"", .normal), ("null", .normal)])
  func `a warning share is anything from nothing to all`(warnAt: String, level: Level) throws {
    let meters = try read(Self.meter(#""used":0,"limit":1,"warnAt":\#(warnAt)"#)).meters.value
    #expect(meters?.first?.level == level)
  }

  @Test func `the published schema is JSON without duplicate members`() throws {
    let text = JSONText { PlanUsage.schema.write(to: &$0) }
    let limit = try JSONDocument(parsing: text).view["properties"]?["meters"]?["anyOf"]?[0]?["items"]?["properties"]?[
      "limit"]
    #expect(limit?["anyOf"]?[0]?["description"]?.string == "a number of at least 0")
  }
}
