import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// Actions that the host does itself.
@Suite(.timeLimit(.usualMinutes(1)))
struct HostAdapterTests {
  private static let call =
    #"{"action":"onUpgrade","idempotencyKey":"k","timeout":600,"locale":"en_US","timeZone":"UTC","plan":\#(PlanLines.plus)}"#
  private static let cancel = #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1000001}}"#
  private static let defaultText = "The upgrade didn't go through. Try again."

  private static func claiming(_ actions: HostAction...) -> Environment {
    var environment = Environment()
    environment.hostActions = actions
    return environment
  }

  /// A rig in which the host works on an upgrade.
  private func upgrading(token: String? = nil) throws -> (rig: PlanRig, call: PlanRig.Call) {
    let rig = PlanRig(environment: Self.claiming(.onUpgrade))
    let call = try rig.call("plan.upgrade", params: #"{"idempotencyKey":"k"}"#, token: token)
    let lines = rig.take(token == nil ? 2 : 3)
    #expect(lines.first == PlanLines.working)
    #expect(lines.last == #"{"jsonrpc":"2.0","id":1000001,"method":"host.onUpgrade","params":\#(Self.call)}"#)
    return (rig, call)
  }

  private static func failed(_ text: String) -> [String] {
    [
      PlanLines.upgrade("failed", 2, message: text, tone: "danger", feedback: "error", says: text),
      PlanLines.refusal(100, text, #"{"action":"upgrade","handler":"host"}"#),
    ]
  }

  // MARK: Answers

  @Test func `the host's plan is shown and answered`() throws {
    let (rig, _) = try upgrading()
    rig.answer(#"{"plan":\#(PlanLines.top)}"#)
    #expect(rig.take(2) == [PlanLines.done, PlanLines.completed])
  }

  @Test(arguments: ["null", "{}", #"{"outcome":"completed","message":"Thanks!"}"#, #"{"outcome":null}"#])
  func `an answer without a plan is done, too`(result: String) throws {
    let (rig, _) = try upgrading()
    rig.answer(result)
    #expect(
      rig.take(2) == [PlanLines.upgrade("done", 2, feedback: "success", says: "Upgrade complete"), PlanLines.completed])
  }

  @Test(arguments: [
    HostAnswer.result(JSONText(trusted: Array(#"{"outcome":"cancelled","message":"m"}"#.utf8))),
    .error(code: -32800, message: "Request cancelled"),
  ])
  func `a person who backs out at the host's is left in peace`(answer: HostAnswer) throws {
    let (rig, _) = try upgrading()
    rig.answer(answer)
    #expect(rig.take(2) == [PlanLines.resting, PlanLines.cancelled])
  }

  @Test(arguments: ["pending", "presented"])
  func `what is not decided yet waits for approval`(outcome: String) throws {
    let (rig, _) = try upgrading()
    rig.answer(#"{"outcome":"\#(outcome)"}"#)
    #expect(
      rig.take(2) == [
        PlanLines.upgrade(
          "pending", 2, message: "Waiting for approval", tone: "secondary", says: "Waiting for approval"),
        PlanLines.reply(#"{"outcome":"pending","revision":2}"#),
      ])
  }

  @Test(arguments: [
    (7, "Card declined.", "Card declined."), (-31999, "\u{1B}[1mCard\ndeclined.\n", "Card declined."),
    (7, " \n", defaultText),
  ])
  func `an error of the host's own is shown`(code: Int, message: String, text: String) throws {
    let (rig, _) = try upgrading()
    rig.answer(.error(code: code, message: message))
    #expect(rig.take(2) == Self.failed(text))
  }

  @Test(arguments: [-32603, -32601, -32000, -32768])
  func `an error of the host's protocol is for stderr`(code: Int) throws {
    let (rig, _) = try upgrading()
    rig.answer(.error(code: code, message: "Internal error"))
    #expect(rig.take(3) == ["log: host.onUpgrade: error \(code): Internal error"] + Self.failed(Self.defaultText))
  }

  @Test(arguments: [
    (#"{"outcome":"failed","message":"Card declined."}"#, "Card declined."), (#"{"outcome":"failed"}"#, defaultText),
  ])
  func `a failure says its own text or the default one`(result: String, text: String) throws {
    let (rig, _) = try upgrading()
    rig.answer(result)
    #expect(rig.take(2) == Self.failed(text))
  }

  @Test(arguments: [
    ("[]", "host.onUpgrade: result: expected an object, got an array"),
    (
      #"{"outcome":"canceled"}"#,
      "host.onUpgrade: result.outcome: expected one of 'completed', 'presented', 'pending', 'cancelled', 'failed', got 'canceled'; did you mean 'cancelled'?"
    ),
    (#"{"message":1}"#, "host.onUpgrade: result.message: expected a string, got an integer"),
    (#"{"plan":{"name":"x"}}"#, "onUpgrade: plan.price: missing; expected an object"),
  ])
  func `an answer of a wrong shape fails the action, with the detail on stderr`(result: String, detail: String) throws {
    let (rig, _) = try upgrading()
    rig.answer(result)
    #expect(rig.take(3) == ["log: " + detail] + Self.failed(Self.defaultText))
  }

  @Test func `members that are the host's own are named on stderr and ignored`() throws {
    let (rig, _) = try upgrading()
    rig.answer(#"{"receipt":1,"plan":\#(PlanLines.top)}"#)
    #expect(
      rig.take(3) == [
        "log: host.onUpgrade: ignored result.receipt: unknown member", PlanLines.done, PlanLines.completed,
      ])
  }

  @Test func `a host that has gone is 106`() throws {
    let (rig, _) = try upgrading()
    rig.answer(.gone)
    #expect(
      rig.take(2) == [
        Self.failed(Self.defaultText)[0], PlanLines.refusal(106, Self.defaultText, #"{"action":"upgrade"}"#),
      ])
  }

  // MARK: On the way

  @Test func `the host's reports are shown and passed on`() throws {
    let (rig, _) = try upgrading(token: "0")
    rig.report(ActionProgress(fraction: 0.4, message: "Waiting for the bank"))
    let lines = rig.received(2)
    #expect(lines[0].at("params.state.upgrade.progress") == "0.4")
    #expect(lines[0].at("params.state.upgrade.message") == "\"Waiting for the bank\"")
    #expect(
      lines[1].text == PlanLines.progress("0", #"{"kind":"report","message":"Waiting for the bank","percentage":40}"#))
  }

  @Test func `a cancel is passed on, and what the host answers to it counts`() throws {
    let (rig, call) = try upgrading()
    call.stop(.cancelled)
    #expect(rig.take(1) == [Self.cancel])
    rig.answer(.error(code: -32800, message: "Request cancelled"))
    #expect(rig.take(2) == [PlanLines.resting, PlanLines.requestCancelled])
  }

  @Test func `nobody joins what was told to stop`() throws {
    let (rig, call) = try upgrading()
    call.stop(.cancelled)
    _ = rig.take(1)
    try rig.call("plan.upgrade", id: "2", params: #"{"idempotencyKey":"k"}"#)
    #expect(rig.received(1)[0].errorCode == 101)
  }

  @Test func `a success that crosses the cancel is kept`() throws {
    let (rig, call) = try upgrading()
    call.stop(.cancelled)
    #expect(rig.take(1) == [Self.cancel])
    rig.answer(#"{"plan":\#(PlanLines.top)}"#)
    #expect(rig.take(2) == [PlanLines.done, PlanLines.completed])
  }

  @Test func `a host deaf to the cancel is given up, and its late answer dropped without a word`() throws {
    let (rig, call) = try upgrading()
    call.stop(.cancelled)
    _ = rig.take(1)
    rig.pass(.seconds(2))
    #expect(rig.take(2) == [PlanLines.resting, PlanLines.requestCancelled])
    rig.answer(#"{"plan":\#(PlanLines.top)}"#)
    #expect(rig.lines.isEmpty)
    #expect(try rig.shown("state.summary.name") == "\"Plus\"")
  }

  @Test func `the time limit tells the host to stop`() throws {
    let (rig, _) = try upgrading()
    rig.pass(.seconds(600))
    #expect(rig.take(1) == [Self.cancel])
    rig.answer(.error(code: -32800, message: "Request cancelled"))
    #expect(rig.take(2)[1] == PlanLines.refusal(105, "timed out", #"{"action":"upgrade","seconds":600}"#))
  }

  // MARK: Taking over

  @Test func `managing goes to the host with its group, and its page comes back`() throws {
    var plan = PlanUsage.plus
    plan.subscriptionGroupID = .value("21439")
    let rig = PlanRig(plan: plan, environment: Self.claiming(.onManage))
    try rig.call("plan.manage")
    let request = rig.received(1)[0]
    #expect(request.method == "host.onManage")
    #expect(request.at("params.timeout") == "60")
    #expect(request.at("params.subscriptionGroupId") == "\"21439\"")
    rig.answer(#"{"outcome":"presented","url":"https://billing.example/me"}"#)
    #expect(rig.take(1) == [PlanLines.reply(#"{"outcome":"presented","url":"https://billing.example/me"}"#)])
  }

  @Test func `what is taken over after a state was sent is one event`() throws {
    let rig = PlanRig(handler: ScriptedHandler(), manage: ScriptedHandler())
    #expect(try rig.shown("state.manage.custom") == "false")
    rig.with { $0.environmentChanged(Self.claiming(.onManage, .onRestore)) }
    let event = rig.received(1)[0]
    #expect(event.at("params.cause") == "\"initialize\"")
    #expect(event.at("params.state.manage") == #"{"label":"Manage subscription","visible":true,"custom":true}"#)
    #expect(event.at("params.state.restore.custom") == "true")
  }

  @Test func `what is not taken over stays where it was bound`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler, environment: Self.claiming(.onRestore))
    try rig.call("plan.upgrade")
    #expect(rig.take(1) == [PlanLines.working])
    #expect(handler.calls.count == 1)
  }
}
