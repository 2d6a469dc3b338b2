import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// Managing a subscription: no state of its own, only a reply.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanManageTests {
  private let handler = ScriptedHandler()
  private static let defaultText = "Couldn't open subscription management. Try again."
  private static let data = #"{"action":"manage"}"#

  private func managing(
    _ handler: ScriptedHandler? = nil, plan: PlanUsage = .plus, custom: Set<HostAction> = [], id: String? = "1"
  ) throws -> (rig: PlanRig, call: PlanRig.Call) {
    let rig = PlanRig(plan: plan, manage: handler ?? self.handler, custom: custom)
    let call = try rig.call("plan.manage", id: id)
    #expect(rig.lines.isEmpty, "nothing is drawn")
    return (rig, call)
  }

  // MARK: Ends

  @Test(
    arguments: [
      (ActionResult.giving(.presented), #"{"outcome":"presented"}"#),
      (
        .giving(.presented, url: "https://billing.example/me"),
        #"{"outcome":"presented","url":"https://billing.example/me"}"#
      ),
      (.giving(), #"{"outcome":"completed"}"#), (.giving(.pending), #"{"outcome":"pending"}"#),
      (.giving(.cancelled), #"{"outcome":"cancelled"}"#),
      (.giving(.cancelled, url: "https://billing.example/me"), #"{"outcome":"cancelled"}"#),
      (.giving(.presented, plan: PlanLines.top), #"{"outcome":"presented"}"#),
      (.giving(plan: PlanLines.plus), #"{"outcome":"completed"}"#),
    ])
  func `how it ended shows in the reply only`(result: ActionResult, answer: String) throws {
    let (rig, _) = try managing()
    handler.succeed(result)
    #expect(rig.take(1) == [PlanLines.reply(answer)])
    #expect(try rig.shown("revision") == "0")
    #expect(rig.keptPlan == .plus)
    #expect(rig.sleeping.isEmpty, "no hold")
  }

  @Test func `a plan in the result is an event of its own, before the reply, and is kept`() throws {
    let (rig, _) = try managing()
    handler.succeed(.giving(plan: PlanLines.top))
    let lines = rig.received(2)
    #expect(lines[0].at("params.cause") == "\"manage\"")
    #expect(lines[0].at("params.revision") == "1")
    #expect(lines[0].at("params.requestId") == "1")
    #expect(lines[0].at("params.state.plan") == PlanLines.top)
    #expect(lines[0].at("params.feedback") == nil)
    #expect(lines[0].at("params.announcement") == nil)
    #expect(lines[1].text == PlanLines.reply(#"{"outcome":"completed"}"#))
    #expect(rig.keptPlan == .top)
  }

  @Test(
    arguments: [
      (ActionFailure(message: "No browser."), 100, "No browser.", #"{"action":"manage","handler":"exec"}"#),
      (ActionFailure(message: nil), 100, defaultText, #"{"action":"manage","handler":"exec"}"#),
      (PlanUpgradeEndTests.PlainError(), 100, defaultText, #"{"action":"manage","handler":"exec"}"#),
      (
        ActionFailure(message: "No browser.", data: [.init("exitStatus", JSONText { $0.integer(3) })]), 100,
        "No browser.", #"{"action":"manage","handler":"exec","exitStatus":3}"#
      ),
      (ActionFailure(message: "There is no page.", kind: .notAvailable), 103, "There is no page.", data),
      (ActionFailure.handlerGone, 106, defaultText, data),
    ] as [(any Error, Int, String, String)])
  func `a failure is an error with the message, and no event`(
    error: any Error, code: Int, message: String, data: String
  ) throws {
    let (rig, _) = try managing()
    handler.fail(error)
    #expect(rig.take(1) == [PlanLines.refusal(code, message, data)])
    #expect(try rig.shown("revision") == "0")
  }

  @Test func `a plan of a wrong shape is a failure, with the detail on stderr`() throws {
    let (rig, _) = try managing()
    handler.succeed(.giving(plan: "7"))
    #expect(
      rig.take(2) == [
        "log: onManage: plan: expected an object, got an integer",
        PlanLines.refusal(100, Self.defaultText, #"{"action":"manage","handler":"exec"}"#),
      ])
  }

  @Test func `backing out and cancelling are no events`() throws {
    let (rig, call) = try managing()
    call.stop(.cancelled)
    #expect(rig.take(1) == [PlanLines.refusal(-32800, "Request cancelled", Self.data)])
    try rig.call("plan.manage", id: "2")
    handler.fail(CancellationError())
    #expect(rig.take(1) == [PlanLines.reply(#"{"outcome":"cancelled"}"#, id: "2")])
  }

  @Test func `the time limit and the end of the session are errors, and no events`() throws {
    let (rig, _) = try managing()
    rig.pass(.seconds(60))
    #expect(rig.take(1) == [PlanLines.refusal(105, "timed out", #"{"action":"manage","seconds":60}"#)])
    try rig.call("plan.manage", id: "2").stop(.drained)
    #expect(rig.received(1).map(\.errorCode) == [105])
  }

  @Test func `a success that comes after the cancel is kept`() throws {
    let handler = ScriptedHandler(heedsCancel: false)
    let (rig, call) = try managing(handler)
    call.stop(.cancelled)
    rig.run(until: { rig.clock.sleeping.contains(.seconds(2)) })
    handler.succeed(.giving(.presented))
    #expect(rig.take(1) == [PlanLines.reply(#"{"outcome":"presented"}"#)])
  }

  @Test func `a notification that succeeds says nothing, and one that fails a line`() throws {
    let (rig, _) = try managing(id: nil)
    handler.succeed(.giving(.presented))
    #expect(try rig.shown("revision") == "0")
    #expect(rig.lines.isEmpty)
    try rig.call("plan.manage", id: nil)
    handler.fail(ActionFailure(message: "No browser."))
    #expect(rig.take(1) == ["log: No browser."])
  }

  // MARK: Progress

  @Test func `progress is sent to who asked for it, and shown nowhere`() throws {
    handler.willReport([ActionProgress(fraction: 0.25, message: "Opening"), ActionProgress(fraction: nil)])
    let rig = PlanRig(manage: handler)
    try rig.call("plan.manage", token: "\"\"")
    handler.succeed(.giving(.presented))
    #expect(
      rig.take(5) == [
        PlanLines.progress(
          "\"\"", #"{"kind":"begin","title":"Manage subscription","cancellable":true,"percentage":0}"#),
        PlanLines.progress("\"\"", #"{"kind":"report","message":"Opening","percentage":25}"#),
        PlanLines.progress("\"\"", #"{"kind":"report"}"#), PlanLines.progress("\"\"", #"{"kind":"end"}"#),
        PlanLines.reply(#"{"outcome":"presented"}"#),
      ])
  }

  // MARK: The call

  @Test func `the store's group goes to who manages, and to nobody else`() throws {
    var plan = PlanUsage.plus
    plan.subscriptionGroupID = .value("21439")
    let (upgrade, restore) = (ScriptedHandler(), ScriptedHandler())
    let rig = PlanRig(plan: plan, handler: upgrade, manage: handler, restore: restore)
    try rig.call("plan.manage")
    try rig.call("plan.restore", id: "2").stop(.cancelled)
    _ = rig.take(3)
    try rig.call("plan.upgrade", id: "3")
    #expect(handler.calls[0].details == [.init("plan", plan.jsonText), .init("subscriptionGroupId", .string("21439"))])
    #expect(restore.calls[0].details == [.init("plan", plan.jsonText)])
    #expect(upgrade.calls[0].details == [.init("plan", plan.jsonText)])
    #expect(handler.calls[0].action == .onManage)
  }

  @Test(arguments: [Given<String>.absent, .null])
  func `without a group none is named`(group: Given<String>) throws {
    var plan = PlanUsage.plus
    plan.subscriptionGroupID = group
    _ = try managing(plan: plan)
    #expect(handler.calls[0].details == [.init("plan", plan.jsonText)])
  }

  @Test func `the group is not drawn`() throws {
    var plan = PlanUsage.plus
    plan.subscriptionGroupID = .value("21439")
    let rig = PlanRig(plan: plan, manage: handler)
    #expect(try rig.shown("state.manage") == #"{"label":"Manage subscription","visible":true,"custom":false}"#)
    #expect(try rig.shown("state.summary")?.contains("21439") == false)
  }

  @Test func `a handler of the host's own manages a plan that does not renew, too`() throws {
    let (rig, _) = try managing(plan: .once, custom: [.onManage])
    handler.succeed(.giving(.presented))
    #expect(rig.take(1) == [PlanLines.reply(#"{"outcome":"presented"}"#)])
    #expect(try rig.shown("state.manage") == #"{"label":"Manage subscription","visible":true,"custom":true}"#)
  }
}
