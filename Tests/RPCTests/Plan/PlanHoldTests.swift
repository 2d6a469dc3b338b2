import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// Checkmarks beside each other, the count of revisions, and the order of what comes.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanHoldTests {
  private let handlers = (upgrade: ScriptedHandler(), restore: ScriptedHandler())

  /// Both are done: an upgrade first, then a restore, in that moment or after some time.
  private func bothDone(after time: Duration = .zero, plan: JSONText? = nil) throws -> PlanRig {
    let rig = PlanRig(handler: handlers.upgrade, restore: handlers.restore)
    try rig.call("plan.upgrade")
    var result = ActionResult()
    result.plan = plan
    handlers.upgrade.succeed(result)
    _ = rig.take(3)
    rig.run(until: { rig.sleeping == [.milliseconds(1200)] })
    rig.clock.advance(by: time)
    try rig.call("plan.restore", id: "2")
    handlers.restore.succeed()
    _ = rig.take(3)
    rig.run(until: { rig.sleeping == [.milliseconds(1200) - time, .seconds(3)] })
    return rig
  }

  @Test(arguments: [Duration.zero, .milliseconds(1199)])
  func `two checkmarks end each in its time`(after: Duration) throws {
    let rig = try bothDone(after: after)
    rig.pass(.milliseconds(1200) - after)
    #expect(rig.take(1) == [PlanLines.upgrade("idle", 5, id: nil)])
    rig.pass(.seconds(3) - (.milliseconds(1200) - after))
    #expect(rig.take(1) == [PlanLines.restore("idle", 6, id: nil)])
    #expect(rig.with { $0.isSettled })
  }

  @Test func `the end of input ends two checkmarks at once`() throws {
    let rig = try bothDone()
    #expect(!rig.with { $0.isSettled })
    rig.with { $0.settle() }
    #expect(rig.take(2) == [PlanLines.upgrade("idle", 5, id: nil), PlanLines.restore("idle", 6, id: nil)])
    #expect(rig.with { $0.isSettled })
    #expect(rig.sleeping.isEmpty)
  }

  @Test func `the end of input leaves what fails or waits as it is`() throws {
    let rig = PlanRig(handler: handlers.upgrade, restore: handlers.restore)
    try rig.call("plan.upgrade")
    handlers.upgrade.fail(ActionFailure(message: "No."))
    _ = rig.take(3)
    try rig.call("plan.restore", id: "2")
    handlers.restore.succeed(ActionResult(outcome: .pending))
    _ = rig.take(3)
    rig.with { $0.settle() }
    #expect(rig.with { $0.isSettled })
    #expect(rig.lines.isEmpty)
  }

  @Test func `after the end of input a restore's account comes before its reply, and its fold after`() throws {
    let rig = PlanRig(restore: handlers.restore)
    try rig.call("plan.restore")
    rig.with { $0.settle() }
    handlers.restore.succeed(.giving(plan: PlanLines.top))
    let lines = rig.received(5)
    #expect(
      lines.map { $0.at("params.cause") } == ["\"restore\"", "\"restore\"", "\"account\"", nil, "\"restore\""])
    #expect(lines[4].text == PlanLines.restore("idle", 4, id: nil))
    #expect(rig.with { $0.isSettled })
  }

  // MARK: Revisions and requests

  @Test func `each transition counts one, and replies name the newest`() throws {
    let rig = PlanRig(handler: handlers.upgrade, restore: handlers.restore)
    try rig.call("plan.set", id: "1", params: #"{"plan":\#(PlanLines.plus(storage: "8.3"))}"#)
    try rig.call("plan.set", id: "2", params: #"{"plan":\#(PlanLines.plus(storage: "8.3"))}"#)
    try rig.call("plan.restore", id: "3")
    handlers.restore.fail(ActionFailure(message: "No."))
    var lines = rig.received(6)
    try rig.call("plan.dismiss", id: "4", params: #"{"action":"restore"}"#)
    try rig.call("plan.upgrade", id: "5")
    handlers.upgrade.succeed(with: PlanUsage.top.jsonText)
    lines += rig.received(5)
    let events = lines.filter { $0.method != nil }
    #expect(events.map { $0.at("params.revision") } == (1...6).map { "\($0)" })
    #expect(events.map { $0.at("params.requestId") } == ["1", "3", "3", "4", "5", "5"])
    let causes = ["set", "restore", "restore", "dismiss", "upgrade", "upgrade"]
    #expect(events.map { $0.at("params.cause") } == causes.map { "\"\($0)\"" })
    #expect(lines.map { $0.at("result.revision") }.compactMap(\.self) == ["1", "1", "4", "6"])
    #expect(try rig.shown("revision") == "6")
  }

  @Test func `an upgrade as a notification names no request in its events`() throws {
    let rig = PlanRig(handler: handlers.upgrade)
    try rig.call("plan.upgrade", id: nil)
    handlers.upgrade.succeed(with: PlanUsage.top.jsonText)
    #expect(rig.take(2) == [PlanLines.working, PlanLines.done].map { $0.replacing(#""requestId":1,"#, with: "") })
  }

  @Test func `a joined call's id is in no event`() throws {
    let rig = PlanRig(handler: handlers.upgrade)
    for id in ["1", "2"] { try rig.call("plan.upgrade", id: id, params: #"{"idempotencyKey":"k"}"#) }
    handlers.upgrade.fail(ActionFailure(message: "No."))
    let lines = rig.received(4)
    #expect(lines.map { $0.at("params.requestId") }.compactMap(\.self) == ["1", "1"])
    #expect(lines.filter { $0.method == nil }.map(\.errorMessage) == ["No.", "No."])
  }

  @Test(arguments: ["0", "\"\""])
  func `an upgrade's progress ends between its last event and its reply`(token: String) throws {
    let rig = PlanRig(handler: handlers.upgrade)
    try rig.call("plan.upgrade", token: token)
    handlers.upgrade.succeed(with: PlanUsage.top.jsonText)
    #expect(
      rig.take(5) == [
        PlanLines.working,
        PlanLines.progress(token, #"{"kind":"begin","title":"Upgrade to Studio","cancellable":true,"percentage":0}"#),
        PlanLines.done, PlanLines.progress(token, #"{"kind":"end"}"#), PlanLines.completed,
      ])
  }

  // MARK: What is kept

  @Test func `every plan that comes is kept, whoever brings it`() throws {
    let rig = PlanRig(handler: handlers.upgrade, manage: handlers.restore, restore: handlers.restore)
    func plan(_ name: String) -> String { PlanLines.plus.replacing("Plus", with: name) }
    func kept() -> String? { rig.keptPlan?.name }
    try rig.call("plan.set", params: #"{"plan":\#(plan("A"))}"#)
    #expect(kept() == "A")
    try rig.call("plan.upgrade")
    handlers.upgrade.succeed(.giving(plan: plan("B")))
    _ = rig.take(5)
    #expect(kept() == "B")
    try rig.call("plan.restore")
    handlers.restore.succeed(.giving(plan: plan("C")))
    _ = rig.take(4)
    #expect(kept() == "C")
    try rig.call("plan.manage")
    handlers.restore.succeed(.giving(plan: plan("D")))
    _ = rig.take(2)
    #expect(kept() == "D")
    try rig.call("plan.set", params: #"{"plan":null}"#)
    #expect(kept() == "D")
    #expect(rig.plansAsked == 1, "the store is read once")
  }
}
