import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// Plans that come while an action runs, while its checkmark is held, and after it ended.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanSetDuringActionTests {
  private let handler = ScriptedHandler()

  private func set(_ rig: PlanRig, _ plan: String) throws -> [Received] {
    try rig.call("plan.set", id: "\"set\"", params: #"{"plan":\#(plan)}"#)
    return rig.received(1)
  }

  private func upgrading() throws -> PlanRig {
    let rig = PlanRig(handler: handler)
    try rig.call("plan.upgrade")
    _ = rig.take(1)
    return rig
  }

  private func done(plan: JSONText? = nil) throws -> PlanRig {
    let rig = try upgrading()
    var result = ActionResult()
    result.plan = plan
    handler.succeed(result)
    _ = rig.take(2)
    rig.run(until: { rig.sleeping == [.milliseconds(1200)] })
    return rig
  }

  private func sections(_ event: Received) throws -> [String]? {
    try event.json["params"]?["state"]?.members.map(\.name)
  }

  // MARK: Messages of attempts that ended

  @Test(
    arguments: ["upgrade", "restore"],
    [.failure(ActionFailure(message: "No.")), .success(ActionResult(outcome: .pending))]
      as [Result<ActionResult, any Error>])
  func `a message gives way to a plan that differs, and to no other`(
    action: String, end: Result<ActionResult, any Error>
  ) throws {
    let rig = PlanRig(handler: handler, restore: handler)
    try rig.call("plan." + action)
    handler.end(end)
    let phase = try #require(rig.received(3)[1].at("params.state.\(action).phase"))
    #expect(try set(rig, PlanLines.plus).map(\.text) == [PlanLines.reply(#"{"revision":2}"#, id: "\"set\"")])
    try rig.call("plan.set", params: #"{"refreshing":true}"#)
    #expect(try rig.shown("state.\(action).phase") == phase)
    _ = rig.take(2)
    let event = try set(rig, PlanLines.plus(storage: "8.3"))[0]
    #expect(event.at("params.state.\(action).phase") == "\"idle\"")
    #expect(event.at("params.state.\(action).message") == "null")
    #expect(event.at("params.motion")?.contains(PlanLines.snappy(action)) == true)
    #expect(event.at("params.feedback") == nil)
  }

  @Test func `approval that comes as the top plan rests and folds in one event`() throws {
    let rig = try upgrading()
    handler.succeed(ActionResult(outcome: .pending))
    _ = rig.take(2)
    let event = try set(rig, PlanLines.top)[0]
    #expect(try sections(event) == ["plan", "summary", "usage", "upgrade"])
    #expect(event.at("params.state.upgrade") == "null")
    #expect(event.at("params.motion")?.hasSuffix(PlanLines.snappy("upgrade") + "]") == true)
    #expect(rig.sleeping.isEmpty)
  }

  @Test func `a plan that an upgrade brings clears a restore's message in the same event`() throws {
    let restore = ScriptedHandler()
    let rig = PlanRig(handler: handler, restore: restore)
    try rig.call("plan.restore")
    restore.fail(ActionFailure(message: "No."))
    _ = rig.take(3)
    try rig.call("plan.upgrade", id: "2")
    handler.succeed(with: PlanUsage.top.jsonText)
    let event = rig.received(3)[1]
    #expect(try sections(event) == ["plan", "summary", "usage", "upgrade", "restore"])
    #expect(event.at("params.state.restore.phase") == "\"idle\"")
  }

  // MARK: While it works

  @Test func `a plan that comes while an upgrade works shows at once, and the offer folds after the hold`() throws {
    let rig = try upgrading()
    let event = try set(rig, PlanLines.top)[0]
    #expect(try sections(event) == ["plan", "summary", "usage"])
    #expect(event.at("params.requestId") == "\"set\"")
    #expect(try rig.shown("state.upgrade.phase") == "\"working\"")
    handler.succeed()
    #expect(
      rig.take(2) == [
        PlanLines.upgrade("done", 3, feedback: "success", says: "Upgrade complete"),
        PlanLines.reply(#"{"outcome":"completed","revision":3}"#),
      ])
    rig.pass(.milliseconds(1200))
    #expect(rig.take(1) == [PlanLines.folded.replacing(#""revision":3"#, with: #""revision":4"#)])
  }

  @Test func `a plan with another offer leaves the accepted one in place until the hold is over`() throws {
    let rig = try upgrading()
    _ = try set(rig, PlanLines.plus.replacing("Upgrade to Studio", with: "Go up"))
    #expect(try rig.shown("state.upgrade.title") == "\"Upgrade to Studio\"")
    #expect(try rig.shown("state.plan.upgrade.title") == "\"Go up\"")
    handler.succeed()
    #expect(rig.received(2)[0].at("params.state.upgrade.title") == "\"Upgrade to Studio\"")
    rig.pass(.milliseconds(1200))
    let event = rig.received(1)[0]
    #expect(event.at("params.state.upgrade.title") == "\"Go up\"")
    #expect(event.at("params.state.upgrade.phase") == "\"idle\"")
  }

  @Test func `after a failure the newest offer is there, with the message`() throws {
    let rig = try upgrading()
    _ = try set(rig, PlanLines.plus.replacing("Upgrade to Studio", with: "Go up"))
    handler.fail(ActionFailure(message: "Card declined."))
    let event = rig.received(2)[0]
    #expect(event.at("params.state.upgrade.title") == "\"Go up\"")
    #expect(event.at("params.state.upgrade.message") == "\"Card declined.\"")
  }

  @Test func `after a failure without an offer the one that failed stays, with the message`() throws {
    let rig = try upgrading()
    _ = try set(rig, PlanLines.top)
    handler.fail(ActionFailure(message: "Card declined."))
    let event = rig.received(2)[0]
    #expect(event.at("params.state.upgrade.title") == "\"Upgrade to Studio\"")
    #expect(event.at("params.state.upgrade.message") == "\"Card declined.\"")
    try rig.call("plan.dismiss", params: #"{"action":"upgrade"}"#)
    #expect(rig.received(2)[0].at("params.state.upgrade") == "null")
  }

  @Test func `a checkmark does not outlive the plan that it came with`() throws {
    let rig = try upgrading()
    handler.succeed()
    _ = rig.take(2)
    _ = try set(rig, "null")
    let event = try set(rig, PlanLines.plus)
    #expect(try rig.shown("state.upgrade.phase") == "\"idle\"")
    #expect(event.first?.at("params.state.upgrade.phase") == "\"idle\"")
    rig.pass(.milliseconds(1200), isQuiet: true)
    #expect(rig.lines.isEmpty)
  }

  @Test func `when the person backs out of an upgrade to a plan that has come, the button folds`() throws {
    let rig = try upgrading()
    _ = try set(rig, PlanLines.top)
    handler.fail(CancellationError())
    #expect(
      rig.take(2) == [
        PlanLines.event(3, "upgrade", [#""upgrade":null"#], motion: [PlanLines.snappy("upgrade")]),
        PlanLines.reply(#"{"outcome":"cancelled","revision":3}"#),
      ])
  }

  @Test func `a restore goes on whatever plan comes`() throws {
    let rig = PlanRig(restore: handler)
    try rig.call("plan.restore")
    _ = rig.take(1)
    #expect(try sections(try set(rig, PlanLines.top)[0]) == ["plan", "summary", "usage", "upgrade"])
    handler.succeed()
    #expect(rig.received(2)[0].at("params.state.restore.phase") == "\"done\"")
  }

  // MARK: While it holds

  @Test func `a plan that comes during the hold keeps the checkmark to its end, then the button folds`() throws {
    let rig = try done()
    rig.clock.advance(by: .milliseconds(700))
    #expect(try sections(try set(rig, PlanLines.top)[0]) == ["plan", "summary", "usage"])
    #expect(try rig.shown("state.upgrade.phase") == "\"done\"")
    #expect(rig.sleeping == [.milliseconds(500)], "the hold is not begun anew")
    rig.pass(.milliseconds(500))
    #expect(rig.take(1) == [PlanLines.folded.replacing(#""revision":3"#, with: #""revision":4"#)])
  }

  @Test func `a plan that comes during a restore's hold leaves what it says`() throws {
    let rig = PlanRig(restore: handler)
    try rig.call("plan.restore")
    handler.succeed()
    _ = rig.take(3)
    _ = try set(rig, PlanLines.top)
    #expect(try rig.shown("state.restore.message") == "\"Purchases restored\"")
    rig.pass(.seconds(3))
    #expect(rig.take(1) == [PlanLines.restore("idle", 4, id: nil)])
  }

  // MARK: Null

  @Test func `an upgrade that ends while nothing is known fills the meters with its plan`() throws {
    let rig = try upgrading()
    #expect(try set(rig, "null")[0].at("params.state.upgrade") == "null")
    handler.succeed(with: PlanUsage.top.jsonText)
    let lines = rig.received(2)
    #expect(
      lines[0].at("params.motion")
        == "[\(PlanLines.move("storage", "0", "0.082", "hero")),\(PlanLines.move("exports", "0", "0.0824", "hero"))]")
    #expect(lines[0].at("params.state.upgrade.phase") == "\"done\"")
    #expect(lines[0].at("params.feedback") == "\"success\"")
    #expect(lines[1].text == PlanLines.reply(#"{"outcome":"completed","revision":3}"#))
  }

  @Test func `an upgrade that goes on is there again when the plan is`() throws {
    let rig = try upgrading()
    _ = try set(rig, "null")
    let event = try set(rig, PlanLines.plus)[0]
    #expect(event.at("params.state.upgrade.phase") == "\"working\"")
    #expect(event.at("params.motion")?.contains("\"upgrade\"") == false)
    handler.fail(CancellationError())
    #expect(rig.take(2) == [PlanLines.upgrade("idle", 4), PlanLines.reply(#"{"outcome":"cancelled","revision":4}"#)])
  }

  @Test func `a hold that ends while nothing is known is no event`() throws {
    let rig = try done()
    _ = try set(rig, "null")
    rig.clock.advance(by: .milliseconds(1200))
    rig.run(until: { rig.with { $0.isSettled } })
    #expect(rig.lines.isEmpty)
    #expect(try rig.shown("revision") == "3")
    #expect(try set(rig, PlanLines.plus)[0].at("params.state.upgrade.phase") == "\"idle\"")
  }
}
