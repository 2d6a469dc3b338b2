import RPCShell
import Testing

@testable import PlanPlugin

/// Messages that were read and are waved away.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanDismissTests {
  private let handlers = (upgrade: ScriptedHandler(), restore: ScriptedHandler())

  private func rig() -> PlanRig { PlanRig(handler: handlers.upgrade, restore: handlers.restore) }
  private func handler(_ action: String) -> ScriptedHandler {
    action == "upgrade" ? handlers.upgrade : handlers.restore
  }

  private func dismiss(_ rig: PlanRig, _ action: String, id: String? = "\"d\"") throws -> [String] {
    try rig.call("plan.dismiss", id: id, params: #"{"action":"\#(action)"}"#)
    return rig.take(1)
  }

  private static func rest(_ action: String, _ revision: Int, id: String? = "\"d\"") -> String {
    action == "upgrade"
      ? PlanLines.upgrade("idle", revision, cause: "dismiss", id: id)
      : PlanLines.restore("idle", revision, cause: "dismiss", id: id)
  }

  private static func reply(_ revision: Int) -> String { PlanLines.reply(#"{"revision":\#(revision)}"#, id: "\"d\"") }

  @Test(
    arguments: ["upgrade", "restore"],
    [.failure(ActionFailure(message: "No.")), .success(ActionResult(outcome: .pending))]
      as [Result<ActionResult, any Error>])
  func `a failure and a wait for approval are cleared, quietly and once`(
    action: String, end: Result<ActionResult, any Error>
  ) throws {
    let rig = rig()
    try rig.call("plan." + action)
    handler(action).end(end)
    _ = rig.take(3)
    #expect(try dismiss(rig, action) == [Self.rest(action, 3), Self.reply(3)])
    #expect(try dismiss(rig, action) == [Self.reply(3)])
  }

  @Test(arguments: ["upgrade", "restore"])
  func `what rests, works or is held as done stays as it is`(action: String) throws {
    let rig = rig()
    #expect(try dismiss(rig, action) == [Self.reply(0)])
    try rig.call("plan." + action)
    _ = rig.take(1)
    #expect(try dismiss(rig, action) == [Self.reply(1)])
    #expect(try rig.shown("state.\(action).phase") == "\"working\"")
    handler(action).succeed()
    _ = rig.take(2)
    #expect(try dismiss(rig, action) == [Self.reply(2)])
    #expect(try rig.shown("state.\(action).phase") == "\"done\"")
    rig.pass(action == "upgrade" ? .milliseconds(1200) : .seconds(3))
    #expect(rig.received(1)[0].at("params.state.\(action).phase") == "\"idle\"")
  }

  @Test(arguments: [("upgrade", "restore"), ("restore", "upgrade")])
  func `the other action's message stays`(one: String, other: String) throws {
    let rig = rig()
    for action in [one, other] {
      try rig.call("plan." + action)
      handler(action).fail(ActionFailure(message: "No."))
      _ = rig.take(3)
    }
    #expect(try dismiss(rig, one) == [Self.rest(one, 5), Self.reply(5)])
    #expect(try rig.shown("state.\(other).message") == "\"No.\"")
  }

  @Test func `a notification is an event without a request`() throws {
    let rig = rig()
    try rig.call("plan.restore")
    handlers.restore.fail(ActionFailure(message: "No."))
    _ = rig.take(3)
    #expect(try dismiss(rig, "restore", id: nil) == [Self.rest("restore", 3, id: nil)])
  }

  @Test func `while nothing is known there is nothing to clear`() throws {
    #expect(try dismiss(PlanRig(plan: nil), "upgrade") == [Self.reply(0)])
  }

  @Test(arguments: [
    ("{}", "action: missing; expected a string"),
    (#"{"action":null}"#, "action: expected a string, got null"),
    (#"{"action":"manage"}"#, "action: expected one of 'upgrade', 'restore', got 'manage'"),
    (#"{"action":"upgrad"}"#, "action: expected one of 'upgrade', 'restore', got 'upgrad'; did you mean 'upgrade'?"),
    (#"{"action":"upgrade","id":"x"}"#, "id: unknown member"),
  ])
  func `what has no message to clear is named`(params: String, message: String) throws {
    let rig = rig()
    try rig.call("plan.dismiss", params: params)
    let path = String(message.prefix { $0 != ":" })
    #expect(rig.take(1) == [PlanLines.refusal(-32602, message, #"{"path":"\#(path)"}"#)])
  }
}
