import AccountModel
import HostAdapters
import RPCShell
import Testing

@testable import PlanPlugin

/// `plan.previewUpgrade`: what an upgrade would cost, from whoever would do it.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanPreviewTests {
  private static let data = #"{"action":"upgrade"}"#
  private static let failureText = "The price couldn't be looked up. Try again."
  private static let whole =
    #"{"name":"Studio","dueNow":{"amount":"16.79","currencyCode":"USD"},"credit":{"amount":"3.20","currencyCode":"USD"},"nextCharge":{"price":{"amount":19.99,"currencyCode":"USD"},"on":"2026-11-02"},"effectiveDate":"2026-10-20T09:00:00Z"}"#

  private static func result(
    _ dueNow: String, _ text: String, name: String = "null", credit: (String, String)? = nil,
    next: (String, String)? = nil, effective: (String, String) = ("null", "Starts now")
  ) -> String {
    #"{"name":\#(name),"dueNow":\#(dueNow),"dueNowText":"\#(text)","#
      + #""credit":\#(credit?.0 ?? "null"),"creditText":\#(credit.map { "\"\($0.1)\"" } ?? "null"),"#
      + #""nextCharge":\#(next?.0 ?? "null"),"nextChargeText":\#(next.map { "\"\($0.1)\"" } ?? "null"),"#
      + #""effectiveDate":\#(effective.0),"effectiveText":"\#(effective.1)"}"#
  }

  private func rig(_ preview: String, environment: Environment = Environment()) -> PlanRig {
    PlanRig(handler: ScriptedPreview(.success(JSONText(trusted: Array(preview.utf8)))), environment: environment)
  }

  // MARK: What it says

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String { given }
    var given: String
    var result: String
    var environment = Environment()
  }

  private static let rows = [
    Row(
      given: whole,
      result: result(
        #"{"amount":"16.79","currencyCode":"USD"}"#, "$16.79", name: "\"Studio\"",
        credit: (#"{"amount":"3.20","currencyCode":"USD"}"#, "$3.20"),
        next: (#"{"price":{"amount":19.99,"currencyCode":"USD"},"on":"2026-11-02"}"#, "$19.99 on Nov 2"),
        effective: (#""2026-10-20T09:00:00Z""#, "Starts Oct 20"))),
    Row(given: #"{"dueNow":{"free":true}}"#, result: result(#"{"free":true}"#, "Free")),
    Row(
      given:
        #"{"name":null,"dueNow":{"display":"\u001b[31m9,99 €"},"credit":null,"nextCharge":null,"effectiveDate":null}"#,
      result: result(#"{"display":"\u001b[31m9,99 €"}"#, "9,99 €")),
    Row(
      given: #"{"dueNow":{"amount":1200,"currencyCode":"jpy"},"nextCharge":{"price":{"free":true}}}"#,
      result: result(
        #"{"amount":1200,"currencyCode":"jpy"}"#, "¥1,200", next: (#"{"price":{"free":true}}"#, "Free"))),
    Row(
      given: #"{"dueNow":{"amount":9.99,"currencyCode":"EUR"},"effectiveDate":"2027-11-02T23:30:00Z"}"#,
      result: result(
        #"{"amount":9.99,"currencyCode":"EUR"}"#, "9,99\u{A0}€",
        effective: (#""2027-11-02T23:30:00Z""#, "Starts 3. Nov. 2027")),
      environment: Environment(locale: "de_DE", timeZone: "Europe/Berlin")),
  ]

  @Test(arguments: rows)
  func `what the handler says is answered with its texts, and nothing changes`(row: Row) throws {
    let rig = rig(row.given, environment: row.environment)
    try rig.call("plan.get")
    let before = rig.take(1)
    try rig.call("plan.previewUpgrade")
    #expect(rig.take(1) == [PlanLines.reply(row.result)])
    try rig.call("plan.get")
    #expect(rig.take(1) == before)
  }

  @Test(arguments: [
    ("null", "preview: expected an object, got null"), ("{}", "preview.dueNow: missing; expected an object"),
    (
      #"{"dueNow":{"amount":"9.99"}}"#,
      "preview.dueNow.currencyCode: missing; expected a currency code of three letters"
    ),
    (
      #"{"dueNow":{"free":true},"nextCharge":{"price":{"free":true},"on":"2026-02-30"}}"#,
      "preview.nextCharge.on: expected a date that exists, YYYY-MM-DD or an RFC 3339 instant"
    ),
  ])
  func `an answer of a wrong shape fails, with the detail on stderr`(given: String, detail: String) throws {
    let rig = rig(given)
    try rig.call("plan.previewUpgrade")
    #expect(
      rig.take(2) == [
        "log: onUpgrade: " + detail,
        PlanLines.refusal(100, Self.failureText, #"{"action":"upgrade","handler":"exec"}"#),
      ])
  }

  @Test func `members that are the handler's own are named on stderr and ignored`() throws {
    let rig = rig(#"{"dueNow":{"free":true},"tax":1}"#)
    try rig.call("plan.previewUpgrade")
    #expect(
      rig.take(2) == [
        "log: onUpgrade: ignored preview.tax: unknown member",
        PlanLines.reply(Self.result(#"{"free":true}"#, "Free")),
      ])
  }

  @Test(arguments: [
    (ActionFailure(message: "Card declined."), 100, "Card declined.", #"{"action":"upgrade","handler":"exec"}"#),
    (ActionFailure(message: nil), 100, failureText, #"{"action":"upgrade","handler":"exec"}"#),
    (ActionFailure.handlerGone, 106, failureText, data),
    (
      ActionFailure(message: nil, kind: .notAvailable), 103, "The handler of onUpgrade ('exec') offers no preview", data
    ),
  ])
  func `a handler that fails`(failure: ActionFailure, code: Int, text: String, data: String) throws {
    let rig = PlanRig(handler: ScriptedPreview(.failure(failure)))
    try rig.call("plan.previewUpgrade")
    #expect(rig.take(1) == [PlanLines.refusal(code, text, data)])
  }

  // MARK: Guards

  @Test func `there is nothing to preview without an offer, a handler, or a handler that offers it`() throws {
    for (rig, code, text) in [
      (PlanRig(plan: nil, handler: ScriptedPreview(.success(.null))), 102, "The plan is still loading"),
      (PlanRig(plan: .top, handler: ScriptedPreview(.success(.null))), 103, "There is nothing above the plan Studio"),
      (PlanRig(), 103, "No handler is bound to onUpgrade"),
      (PlanRig(handler: ScriptedHandler()), 103, "The handler of onUpgrade ('exec') offers no preview"),
    ] {
      try rig.call("plan.previewUpgrade")
      #expect(rig.take(1) == [PlanLines.refusal(code, text, Self.data)])
    }
  }

  @Test func `nothing is previewed while an upgrade runs, and a preview keeps no upgrade waiting`() throws {
    var environment = Environment()
    environment.hostActions = [.onUpgrade]
    let rig = PlanRig(environment: environment)
    try rig.call("plan.previewUpgrade")
    try rig.call("plan.upgrade", id: "2")
    #expect(rig.received(3).map(\.method) == ["host.previewUpgrade", "plan.state", "host.onUpgrade"])
    try rig.call("plan.previewUpgrade", id: "3")
    #expect(rig.received(1)[0].errorCode == 101)
  }

  // MARK: Whom it asks

  @Test func `the built-in account knows what follows and when it renews`() throws {
    let account = LocalAccount(catalogue: [.plus, .top], store: MemoryStore(.plus, executor: LoopExecutor()))
    let rig = PlanRig(handler: account)
    try rig.call("plan.previewUpgrade")
    let price = #"{"amount":"19.99","currencyCode":"USD"}"#
    #expect(
      rig.take(1) == [
        PlanLines.reply(
          Self.result(
            price, "$19.99", name: "\"Studio\"", next: (#"{"price":\#(price),"on":"2026-11-02"}"#, "$19.99 on Nov 2")))
      ])
  }

  @Test(
    arguments: [
      (.trial(DateValue("2026-10-30")!), #"{"free":true}"#, #""2026-11-02""#),
      (.noRenewal, #"{"amount":"19.99","currencyCode":"USD"}"#, nil),
    ] as [(Status, String, String?)])
  func `a trial costs nothing at first, and what does not renew nothing later`(
    status: Status, dueNow: String, next: String?
  ) throws {
    var above = PlanUsage.top
    above.status = status
    let account = LocalAccount(catalogue: [.plus, above], store: MemoryStore(.plus, executor: LoopExecutor()))
    let rig = PlanRig(handler: account)
    try rig.call("plan.previewUpgrade")
    let answer = rig.received(1)[0]
    #expect(answer.at("result.dueNow") == dueNow)
    #expect(answer.at("result.nextCharge.on") == next)
  }

  /// A rig in which the host looks up a price.
  private func asking() throws -> (rig: PlanRig, call: PlanRig.Call) {
    var environment = Environment()
    environment.hostActions = [.onUpgrade]
    let rig = PlanRig(environment: environment)
    let call = try rig.call("plan.previewUpgrade")
    let request = rig.received(1)[0]
    #expect(request.method == "host.previewUpgrade")
    #expect(
      try request.json["params"]?.members.map(\.name)
        == ["action", "timeout", "locale", "timeZone", "preview", "plan"])
    #expect(request.at("params.action") == "\"onUpgrade\"" && request.at("params.preview") == "true")
    #expect(request.at("params.plan") == PlanLines.plus && request.at("params.timeout") == "60")
    return (rig, call)
  }

  @Test func `a host that does upgrades is asked for their price`() throws {
    let (rig, _) = try asking()
    rig.answer(Self.whole)
    #expect(rig.received(1)[0].at("result.nextChargeText") == "\"$19.99 on Nov 2\"")
  }

  @Test func `a host that does not know the question offers none`() throws {
    let (rig, _) = try asking()
    rig.answer(.error(code: -32601, message: "Method not found"))
    #expect(
      rig.take(1) == [PlanLines.refusal(103, "The handler of onUpgrade ('host') offers no preview", Self.data)])
  }

  @Test(arguments: [
    (7, "Not in your country.", 100, "Not in your country."), (-32603, "Internal error", 100, failureText),
    (-32800, "Request cancelled", 100, failureText),
  ])
  func `a host that fails`(code: Int, message: String, answered: Int, text: String) throws {
    let (rig, _) = try asking()
    rig.answer(.error(code: code, message: message))
    let answer = try #require(rig.received(1).last)
    #expect(answer.errorCode == answered && answer.errorMessage == text)
  }

  @Test func `a cancel and the time limit are passed on to the host`() throws {
    for (isCancel, code) in [(true, -32800), (false, 105)] {
      let (rig, call) = try asking()
      if isCancel { call.stop(.cancelled) } else { rig.pass(.seconds(60)) }
      #expect(rig.received(1)[0].method == "$/cancelRequest")
      rig.answer(.error(code: -32800, message: "Request cancelled"))
      #expect(rig.received(1)[0].errorCode == code)
    }
  }
}

/// A handler that only previews.
private struct ScriptedPreview: UpgradePreviewing {
  let adapter = "exec"
  let preview: Result<JSONText, ActionFailure>

  init(_ preview: Result<JSONText, ActionFailure>) { self.preview = preview }

  func run(
    _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult {
    throw ActionFailure(message: "This is no upgrade")
  }

  func previewUpgrade(_ call: ActionCall, host: PluginHost) async throws -> JSONText { try preview.get() }
}
