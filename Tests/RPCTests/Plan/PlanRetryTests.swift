import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// Which key an attempt goes by: whoever tries again means the same.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanRetryTests {
  private let handler = ScriptedHandler()

  private func rig(prepare: (ScriptedStore) -> Void = { _ in }) -> PlanRig {
    PlanRig(handler: handler, restore: handler, prepare: prepare)
  }

  private func keys() -> [String] { handler.calls.map(\.idempotencyKey) }

  private func fail(_ rig: PlanRig) {
    handler.fail(ActionFailure(message: "No."))
    rig.run()
  }

  /// An upgrade that failed under the key `k`.
  private func failed() throws -> PlanRig {
    let rig = rig()
    try rig.call("plan.upgrade", params: #"{"idempotencyKey":"k"}"#)
    handler.fail(ActionFailure(message: "No."))
    _ = rig.take(3)
    return rig
  }

  // MARK: The next call without a key

  @Test(arguments: PlanJournalTests.End.allCases.filter { $0 != .drained })
  func `after an end that is not known for sure the key stays, else there is a new one`(
    end: PlanJournalTests.End
  ) throws {
    let rig = rig()
    let call = try rig.call("plan.upgrade")
    handler.come(to: end, call, rig)
    _ = rig.take(3)
    try rig.call("plan.upgrade", id: "2")
    #expect(keys().count == 2)
    #expect((keys()[0] == keys()[1]) == (end.name == "failed"))
  }

  @Test func `a restore that failed is tried again under its key`() throws {
    let rig = rig()
    for id in ["1", "2", "3"] {
      try rig.call("plan.restore", id: id)
      fail(rig)
    }
    #expect(keys().count == 3 && Set(keys()).count == 1)
  }

  @Test func `the key that a caller gave stays, too, until something is done`() throws {
    let rig = try failed()
    try rig.call("plan.upgrade", id: "2")
    handler.succeed()
    rig.run()
    try rig.call("plan.upgrade", id: "3")
    #expect(keys()[..<2] == ["k", "k"] && keys()[2] != "k")
  }

  @Test func `a caller's own key is the one that counts`() throws {
    let rig = try failed()
    try rig.call("plan.upgrade", id: "2", params: #"{"idempotencyKey":"other"}"#)
    fail(rig)
    try rig.call("plan.upgrade", id: "3")
    #expect(keys() == ["k", "other", "other"])
  }

  @Test func `each action has its own`() throws {
    let rig = try failed()
    try rig.call("plan.restore", id: "2")
    handler.succeed()
    rig.run()
    try rig.call("plan.upgrade", id: "3")
    #expect(keys()[1] != "k" && keys()[2] == "k")
  }

  // MARK: Until

  @Test func `who dismisses it begins something new`() throws {
    let rig = try failed()
    try rig.call("plan.dismiss", id: "2", params: #"{"action":"upgrade"}"#)
    #expect(rig.store.written.last == "end k cancelled")
    try rig.call("plan.upgrade", id: "3")
    #expect(keys()[1] != "k")
  }

  @Test func `dismissing while it runs lets nothing go`() throws {
    let rig = try failed()
    try rig.call("plan.upgrade", id: "2")
    try rig.call("plan.dismiss", id: "3", params: #"{"action":"upgrade"}"#)
    fail(rig)
    try rig.call("plan.upgrade", id: "4")
    #expect(keys() == ["k", "k", "k"])
  }

  @Test(arguments: [
    (PlanLines.plus(storage: "8.3"), true), (PlanLines.plus.replacing("more exports", with: "5,000 exports"), true),
    (PlanLines.plus.replacing("Upgrade to Studio", with: "Upgrade to Pro"), false),
    (PlanLines.plus.replacing(#""name":"Plus""#, with: #""name":"Plus 2""#), false),
  ])
  func `another offer is another wish, other usage is not`(plan: String, isSame: Bool) throws {
    let rig = try failed()
    try rig.call("plan.set", id: "2", params: #"{"plan":\#(plan)}"#)
    try rig.call("plan.upgrade", id: "3")
    #expect((keys()[1] == "k") == isSame)
  }

  @Test(arguments: [(86_399.0, true), (86_400.0, false)])
  func `after a day it is something new`(later: Double, isSame: Bool) throws {
    let rig = try failed()
    rig.setTime(PlanRig.today + later)
    try rig.call("plan.upgrade", id: "2")
    #expect((keys()[1] == "k") == isSame)
  }

  @Test func `one that could not be begun keeps the key that was tried`() throws {
    let rig = try failed()
    rig.store.fail(.begin, .full)
    try rig.call("plan.upgrade", id: "2")
    rig.store.fail(.begin, nil)
    try rig.call("plan.upgrade", id: "3")
    #expect(keys() == ["k", "k"])
  }

  // MARK: The same key again

  @Test func `a key that is done is answered from the journal, whatever is offered now`() throws {
    let rig = rig()
    let params = #"{"idempotencyKey":"k"}"#
    try rig.call("plan.upgrade", params: params)
    handler.succeed(with: PlanUsage.top.jsonText)
    _ = rig.take(3)
    try rig.call("plan.upgrade", params: params)
    #expect(rig.take(1) == [PlanLines.completed], "on the top plan")
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.plus.replacing("Studio", with: "Pro"))}"#)
    _ = rig.take(2)
    try rig.call("plan.upgrade", params: params)
    #expect(rig.take(1) == [PlanLines.reply(#"{"outcome":"completed","revision":3}"#)], "with another offer")
    try rig.call("plan.set", params: #"{"plan":null}"#)
    _ = rig.take(2)
    try rig.call("plan.upgrade", params: params)
    #expect(rig.take(1) == [PlanLines.reply(#"{"outcome":"completed","revision":4}"#)], "while nothing is known")
    #expect(keys().count == 1)
  }

  @Test(arguments: ["failed", "unknown", "restored"])
  func `where there is nothing above, only an upgrade that is done is answered`(key: String) throws {
    let rig = PlanRig(plan: .top, handler: handler) { store in
      store.remember(.upgrade("failed"), .failed)
      store.remember(.restore("restored"), .completed)
    }
    try rig.call("plan.upgrade", params: #"{"idempotencyKey":"\#(key)"}"#)
    #expect(
      rig.take(1) == [PlanLines.refusal(103, "There is nothing above the plan Studio", #"{"action":"upgrade"}"#)])
  }

  @Test func `a key that failed stands for its offer only`() throws {
    let rig = try failed()
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.plus.replacing("Upgrade to Studio", with: "Go to Pro"))}"#)
    _ = rig.take(2)
    try rig.call("plan.upgrade", params: #"{"idempotencyKey":"k"}"#)
    #expect(rig.received(1).map(\.errorCode) == [107])
  }

  @Test func `one that failed here and was finished elsewhere is no failure any more`() throws {
    let rig = try failed()
    rig.store.willStart(.ended(IntentOutcome(.completed, time: 0)))
    try rig.call("plan.upgrade", id: "2")
    #expect(
      rig.take(2) == [
        PlanLines.upgrade("idle", 3, id: "2"), PlanLines.reply(#"{"outcome":"completed","revision":3}"#, id: "2"),
      ])
    try rig.call("plan.upgrade", id: "3")
    #expect(keys()[1] != "k")
  }

  // MARK: Sessions before this one

  @Test(
    arguments: [
      (Intent.upgrade("k"), .failed, true), (.upgrade("k"), .cancelled, false), (.upgrade("k"), .completed, false),
      (.upgrade("k"), .pending, false), (.upgrade("k"), nil, false),
      (.upgrade("k", at: PlanRig.today - 86_400), .failed, false),
      (.upgrade("k", digest: #"["onUpgrade","Plus","Upgrade to Pro"]"#), .failed, false),
    ] as [(Intent, IntentOutcome.Name?, Bool)])
  func `what failed in another session is tried again under its key`(
    intent: Intent, outcome: IntentOutcome.Name?, isSame: Bool
  ) throws {
    let rig = rig { $0.remember(intent, outcome) }
    #expect(try rig.shown("state.upgrade.phase") == (outcome == .pending ? "\"pending\"" : "\"idle\""))
    try rig.call("plan.upgrade")
    #expect((keys() == ["k"]) == isSame)
  }

  @Test func `only the newest attempt counts`() throws {
    let rig = rig { store in
      store.remember(.upgrade("k"), .failed)
      store.remember(.upgrade("l"), .completed)
    }
    try rig.call("plan.upgrade")
    #expect(keys().count == 1 && keys() != ["k"])
  }
}
