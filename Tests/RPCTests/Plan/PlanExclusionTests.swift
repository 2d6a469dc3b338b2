import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// What does not start: beside another action, while nothing is known, where there is nothing to do.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanExclusionTests {
  private let handlers = (upgrade: ScriptedHandler(), manage: ScriptedHandler(), restore: ScriptedHandler())

  private func rig(_ plan: PlanUsage? = .plus, custom: Set<HostAction> = []) -> PlanRig {
    PlanRig(
      plan: plan, handler: handlers.upgrade, manage: handlers.manage, restore: handlers.restore, custom: custom)
  }

  private func handler(_ action: String) -> ScriptedHandler {
    switch action {
    case "upgrade": handlers.upgrade
    case "manage": handlers.manage
    default: handlers.restore
    }
  }

  private static let busy = [
    "upgrade": "An upgrade is already running", "manage": "Subscription management is already opening",
    "restore": "A restore is already running",
  ]

  // MARK: Beside another

  @Test(arguments: [
    ("upgrade", "upgrade"), ("upgrade", "restore"), ("restore", "restore"), ("restore", "upgrade"),
    ("manage", "manage"),
  ])
  func `an action is refused while it or its rival runs, and starts after that`(running: String, other: String) throws {
    let rig = rig()
    try rig.call("plan." + running)
    let before = rig.take(running == "manage" ? 0 : 1).count
    let calls = handler(other).calls.count
    try rig.call("plan." + other, id: "2")
    #expect(
      rig.take(1) == [
        PlanLines.refusal(
          101, Self.busy[running]!, #"{"action":"\#(other)","running":"\#(running)"}"#, id: "2")
      ])
    #expect(handler(other).calls.count == calls)
    handler(running).fail(CancellationError())
    _ = rig.take(before + 1)
    try rig.call("plan." + other, id: "3")
    #expect(handler(other).calls.count == calls + 1)
  }

  @Test(arguments: ["upgrade", "restore"])
  func `managing is on its own, before and beside`(other: String) throws {
    for order in [["manage", other], [other, "manage"]] {
      let rig = rig()
      for (id, action) in order.enumerated() { try rig.call("plan." + action, id: "\(id)") }
      #expect(rig.received(1).allSatisfy { $0.errorCode == nil })
      handlers.manage.succeed(.giving(.presented))
      handler(other).fail(CancellationError())
      let replies = rig.received(3).filter { $0.method == nil }
      #expect(Set(replies.map { $0.at("result.outcome") }) == ["\"presented\"", "\"cancelled\""])
    }
  }

  @Test(arguments: ["upgrade", "restore"])
  func `one that was told to stop still runs until it has ended`(action: String) throws {
    let deaf = ScriptedHandler(heedsCancel: false)
    let rig = PlanRig(handler: deaf, restore: deaf)
    try rig.call("plan." + action).stop(.cancelled)
    _ = rig.take(1)
    try rig.call("plan.upgrade", id: "2")
    #expect(rig.received(1).map(\.errorCode) == [101])
    rig.pass(.seconds(2))
    _ = rig.take(2)
    try rig.call("plan.upgrade", id: "3")
    #expect(rig.received(1)[0].at("params.state.upgrade.phase") == "\"working\"")
  }

  @Test(arguments: [("upgrade", "restore"), ("restore", "upgrade")])
  func `what waits for approval or is held as done is in nobody's way`(first: String, second: String) throws {
    for end in [ActionResult(), ActionResult(outcome: .pending)] {
      let rig = rig()
      try rig.call("plan." + first)
      handler(first).succeed(end)
      let shown = rig.received(3)[1].at("params.state.\(first)")
      try rig.call("plan." + second, id: "2")
      #expect(rig.received(1)[0].at("params.state.\(second).phase") == "\"working\"")
      #expect(try rig.shown("state." + first) == shown, "it stays as it was")
    }
  }

  @Test(arguments: ["upgrade", "restore"])
  func `a key joins the action it was given to only`(action: String) throws {
    let rig = rig()
    try rig.call("plan." + action, params: action == "upgrade" ? #"{"idempotencyKey":"k"}"# : "{}")
    _ = rig.take(1)
    try rig.call("plan.restore", id: "2")
    #expect(rig.received(1).map(\.errorCode) == [101])
  }

  @Test(arguments: ["plan.manage", "plan.restore"])
  func `keys are for upgrades`(method: String) throws {
    let rig = rig()
    try rig.call(method, params: #"{"idempotencyKey":"k"}"#)
    #expect(
      rig.take(1) == [
        PlanLines.refusal(-32602, "idempotencyKey: unknown member", #"{"path":"idempotencyKey"}"#)
      ])
  }

  @Test(arguments: [
    (#"{"idempotencyKey":""}"#, "idempotencyKey: expected a string that is not empty"),
    (#"{"idempotencyKey":7}"#, "idempotencyKey: expected a string, got an integer"),
    (
      #"{"idempotencyKey":"\#(String(repeating: "k", count: 256))"}"#,
      "idempotencyKey: expected at most 255 bytes, got 256"
    ),
    (#"{"idempotencyKey":"a\r\nb: c"}"#, "idempotencyKey: expected a string without control characters"),
    (#"{"idempotencyKey":"\u0085"}"#, "idempotencyKey: expected a string without control characters"),
  ])
  func `a key is a short string`(params: String, message: String) throws {
    let rig = rig()
    try rig.call("plan.upgrade", params: params)
    #expect(rig.take(1) == [PlanLines.refusal(-32602, message, #"{"path":"idempotencyKey"}"#)])
    #expect(handlers.upgrade.calls.isEmpty)
  }

  // MARK: While nothing is known

  @Test(arguments: ["upgrade", "manage", "restore"])
  func `nothing starts while the plan is loading`(action: String) throws {
    let rig = rig(nil, custom: [.onUpgrade, .onManage, .onRestore])
    try rig.call("plan." + action)
    #expect(rig.take(1) == [PlanLines.refusal(102, "The plan is still loading", #"{"action":"\#(action)"}"#)])
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.plus)}"#)
    try rig.call("plan.set", params: #"{"plan":null}"#)
    _ = rig.take(4)
    try rig.call("plan." + action)
    #expect(rig.received(1).map(\.errorCode) == [102])
    #expect(handler(action).calls.isEmpty)
  }

  @Test func `what runs is named before it is said that nothing is known`() throws {
    let rig = rig()
    try rig.call("plan.upgrade")
    try rig.call("plan.set", params: #"{"plan":null}"#)
    _ = rig.take(3)
    try rig.call("plan.restore", id: "2")
    #expect(rig.received(1).map(\.errorCode) == [101])
  }

  @Test func `a plan that is being refreshed can be acted on`() throws {
    let rig = rig()
    try rig.call("plan.set", params: #"{"refreshing":true}"#)
    _ = rig.take(2)
    try rig.call("plan.restore", id: "2")
    #expect(rig.received(1)[0].at("params.state.restore.phase") == "\"working\"")
  }

  // MARK: Where there is nothing to do

  @Test(
    arguments: [
      (PlanUsage.plus, "upgrade", "No handler is bound to onUpgrade"),
      (.plus, "manage", "No handler is bound to onManage"), (.plus, "restore", "No handler is bound to onRestore"),
      (.once, "manage", "There is no subscription to manage: the plan Lifetime does not renew"),
      (.once, "upgrade", "There is nothing above the plan Lifetime"),
      (.once, "restore", "No handler is bound to onRestore"),
    ])
  func `without a handler nothing is available`(plan: PlanUsage, action: String, message: String) throws {
    let rig = PlanRig(plan: plan)
    try rig.call("plan." + action)
    #expect(rig.take(1) == [PlanLines.refusal(103, message, #"{"action":"\#(action)"}"#)])
    #expect(try rig.shown("revision") == "0")
  }

  @Test(arguments: [
    (PlanUsage.once, "manage", "There is no subscription to manage: the plan Lifetime does not renew"),
    (.top, "upgrade", "There is nothing above the plan Studio"),
  ])
  func `a handler is not asked for what the plan does not offer`(
    plan: PlanUsage, action: String, message: String
  ) throws {
    let rig = rig(plan)
    try rig.call("plan." + action)
    #expect(rig.take(1) == [PlanLines.refusal(103, message, #"{"action":"\#(action)"}"#)])
    #expect(handler(action).calls.isEmpty)
  }

  @Test func `during the hold of an upgrade to the top plan there is nothing above it`() throws {
    let rig = rig()
    try rig.call("plan.upgrade")
    handlers.upgrade.succeed(with: PlanUsage.top.jsonText)
    _ = rig.take(3)
    try rig.call("plan.upgrade", id: "2")
    #expect(rig.received(1).map(\.errorCode) == [103])
    rig.pass(.milliseconds(1200))
    #expect(rig.take(1) == [PlanLines.folded])
  }
}
