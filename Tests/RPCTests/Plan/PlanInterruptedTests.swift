import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// Sessions that were killed while an action ran.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanInterruptedTests {
  private let handler = ScriptedHandler()
  private static let message = "The upgrade was interrupted. Try again to finish it."

  private func rig(_ intents: Intent..., plan: PlanUsage = .plus) -> PlanRig {
    PlanRig(plan: plan, handler: handler, restore: handler) { store in
      for intent in intents { store.interrupt(intent) }
    }
  }

  private func keys() -> [String] { handler.calls.map(\.idempotencyKey) }

  @Test func `an interrupted upgrade is shown, done by nobody, and finished under its key`() throws {
    let rig = rig(.upgrade("k"))
    try rig.call("plan.get")
    let line = rig.received(1)[0]
    #expect(
      line.at("result.state.upgrade")
        == "{\(PlanLines.upgradeSection("failed", message: Self.message, tone: "danger").dropFirst(11))")
    #expect(line.at("result.revision") == "0")
    #expect(handler.calls.isEmpty && rig.store.written.isEmpty)
    try rig.call("plan.upgrade")
    handler.succeed(with: PlanUsage.top.jsonText)
    #expect(keys() == ["k"])
    #expect(rig.take(3) == [PlanLines.working, PlanLines.done, PlanLines.completed])
    #expect(rig.store.written == ["begin onUpgrade k", "end k completed Studio"])
  }

  @Test func `an interrupted restore says so, too`() throws {
    let rig = rig(.restore("k"))
    #expect(try rig.shown("state.restore.phase") == "\"failed\"")
    #expect(try rig.shown("state.restore.message") == "\"The restore was interrupted. Try again to finish it.\"")
    try rig.call("plan.restore")
    #expect(keys() == ["k"])
  }

  @Test(arguments: [
    (Intent.upgrade("k", digest: #"["onUpgrade","Basic","Upgrade to Plus"]"#), PlanUsage.plus),
    (.upgrade("k", at: PlanRig.today - 86_400), .plus), (.upgrade("k"), .top),
  ])
  func `what was about something else, or is long ago, is left to the journal`(intent: Intent, plan: PlanUsage) throws {
    let rig = rig(intent, plan: plan)
    #expect(try rig.shown("state.upgrade.message") ?? "null" == "null")
    try rig.call("plan.upgrade")
    #expect(!keys().contains("k"))
  }

  @Test func `of two the newer one is finished`() throws {
    let rig = rig(.upgrade("k", at: PlanRig.today - 60), .upgrade("l"))
    try rig.call("plan.upgrade")
    #expect(keys() == ["l"])
  }

  @Test func `who dismisses it does not see it again, here or in the next session`() throws {
    let rig = rig(.upgrade("k"))
    try rig.call("plan.dismiss", params: #"{"action":"upgrade"}"#)
    #expect(
      rig.take(2) == [PlanLines.upgrade("idle", 1, cause: "dismiss"), PlanLines.reply(#"{"revision":1}"#)])
    #expect(rig.store.written == ["end k cancelled"])
    rig.store.tell()
    #expect(try rig.shown("state.upgrade.phase") == "\"idle\"")
    try rig.call("plan.upgrade")
    #expect(keys() != ["k"])
  }

  @Test func `who begins something else does not come back to it`() throws {
    let rig = rig(.restore("k"), .upgrade("l"))
    try rig.call("plan.upgrade", params: #"{"idempotencyKey":"m"}"#)
    #expect(rig.store.written == ["begin onUpgrade m", "end l cancelled"])
    handler.fail(ActionFailure(message: "No."))
    rig.run()
    try rig.call("plan.upgrade", id: "2")
    #expect(keys() == ["m", "m"])
    #expect(try rig.shown("state.restore.phase") == "\"failed\"", "the other one is still open")
  }

  @Test func `an interruption in another session is told when the account changes, and once`() throws {
    let rig = rig()
    try rig.call("plan.get")
    _ = rig.take(1)
    rig.store.interrupt(.upgrade("k"))
    rig.store.tell()
    #expect(
      rig.take(1) == [
        PlanLines.upgrade("failed", 1, cause: "account", id: nil, message: Self.message, tone: "danger")
      ])
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.plus(storage: "8.3"))}"#)
    #expect(rig.received(2)[0].at("params.state.upgrade.phase") == "\"idle\"")
    rig.store.tell()
    #expect(try rig.shown("state.upgrade.phase") == "\"idle\"")
    try rig.call("plan.upgrade")
    #expect(keys() == ["k"])
  }

  @Test func `one that another session finished is not shown any more`() throws {
    let rig = rig(.upgrade("k"))
    try rig.call("plan.get")
    _ = rig.take(1)
    _ = rig.store.end("k", IntentOutcome(.completed, time: PlanRig.today))
    rig.store.tell()
    #expect(rig.take(1) == [PlanLines.upgrade("idle", 1, cause: "account", id: nil)])
  }

  @Test func `what is cut off with the session is left for the next one to tell`() throws {
    let rig = rig()
    try rig.call("plan.upgrade", params: #"{"idempotencyKey":"k"}"#).stop(.drained)
    _ = rig.take(3)
    #expect(rig.store.written == ["begin onUpgrade k"])
  }
}
