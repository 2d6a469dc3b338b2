import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// What is written down of actions: before their handlers run, and before their replies.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanJournalTests {
  private let handlers = (upgrade: ScriptedHandler(), manage: ScriptedHandler(), restore: ScriptedHandler())

  private func rig(_ plan: PlanUsage = .plus, prepare: (ScriptedStore) -> Void = { _ in }) -> PlanRig {
    PlanRig(
      plan: plan, handler: handlers.upgrade, manage: handlers.manage, restore: handlers.restore, prepare: prepare)
  }

  private func handler(_ action: String) -> ScriptedHandler {
    switch action {
    case "upgrade": handlers.upgrade
    case "manage": handlers.manage
    default: handlers.restore
    }
  }

  private static let k = #"{"idempotencyKey":"k"}"#

  // MARK: Order

  @Test(arguments: [("upgrade", "onUpgrade"), ("manage", "onManage"), ("restore", "onRestore")])
  func `the handler runs once the intent is written, and the reply comes once the end is`(
    action: String, hostAction: String
  ) throws {
    let rig = rig { $0.delay(.begin, .end) }
    try rig.call("plan." + action)
    #expect(rig.store.written.count == 1 && rig.store.written[0].hasPrefix("begin \(hostAction) "))
    #expect(handler(action).calls.isEmpty && rig.lines.isEmpty, "nothing is shown before")
    rig.store.answer()
    rig.run()
    let key = try #require(handler(action).calls.first).idempotencyKey
    #expect(rig.store.written == ["begin \(hostAction) \(key)"])
    _ = rig.take(action == "manage" ? 0 : 1)
    handler(action).succeed()
    rig.run()
    #expect(rig.lines.isEmpty)
    #expect(rig.store.written == ["begin \(hostAction) \(key)", "end \(key) completed"])
    rig.store.answer()
    #expect(rig.received(action == "manage" ? 1 : 2).last?.at("result.outcome") == "\"completed\"")
  }

  @Test func `the plan that an action brings is written with its end`() throws {
    let rig = rig()
    try rig.call("plan.upgrade", params: Self.k)
    handlers.upgrade.succeed(with: PlanUsage.top.jsonText)
    _ = rig.take(3)
    #expect(rig.store.written == ["begin onUpgrade k", "end k completed Studio"])
    #expect(rig.keptPlan == .top)
  }

  @Test func `a plan that is known already is not written again`() throws {
    let rig = rig { _ = $0.keep(.plus, asOf: DateValue("2026-10-18")) }
    try rig.call("plan.restore")
    handlers.restore.succeed(with: PlanUsage.plus.jsonText)
    _ = rig.take(3)
    #expect(rig.store.written.last?.hasSuffix(" completed") == true)
    #expect(rig.store.record?.asOf?.text == "2026-10-18")
  }

  enum End: CaseIterable {
    case completed, pending, presented, backedOut, failed, notAvailable, gone, timedOut, stopped, drained

    /// What is written; nil where nobody knows how it ended.
    var name: String? {
      switch self {
      case .completed: "completed"
      case .pending, .presented: "pending"
      case .backedOut: "cancelled"
      case .failed, .notAvailable, .gone, .timedOut, .stopped: "failed"
      case .drained: nil
      }
    }
  }

  @Test(arguments: End.allCases)
  func `an end is written in one word`(end: End) throws {
    let rig = rig()
    let call = try rig.call("plan.upgrade", params: Self.k)
    handlers.upgrade.come(to: end, call, rig)
    _ = rig.take(3)
    #expect(rig.store.written.dropFirst() == (end.name.map { ["end k \($0)"] } ?? []))
  }

  // MARK: While the intent is being written

  @Test func `it counts as running while its intent is being written`() throws {
    let rig = rig { $0.delay(.begin) }
    try rig.call("plan.upgrade", params: Self.k)
    try rig.call("plan.upgrade", id: "2", params: #"{"idempotencyKey":"other"}"#)
    try rig.call("plan.restore", id: "3")
    #expect(rig.received(2).map { $0.at("error.data.running") } == ["\"upgrade\"", "\"upgrade\""])
    try rig.call("plan.upgrade", id: "4", params: Self.k)
    #expect(rig.lines.isEmpty, "the same key joins")
    rig.store.answer()
    rig.run()
    handlers.upgrade.succeed()
    #expect(Set(rig.received(4).compactMap(\.id)) == ["1", "4"])
    #expect(handlers.upgrade.calls.count == 1)
  }

  @Test func `one that is cancelled meanwhile is not done, and says so in the journal`() throws {
    let rig = rig { $0.delay(.begin) }
    try rig.call("plan.upgrade", params: Self.k, token: "7").stop(.cancelled)
    rig.store.answer()
    #expect(rig.take(1) == [PlanLines.requestCancelled])
    #expect(handlers.upgrade.calls.isEmpty && rig.store.written == ["begin onUpgrade k", "end k failed"])
    #expect(try rig.shown("revision") == "0")
  }

  @Test func `one that is cancelled while its end is being written has ended`() throws {
    let rig = rig { $0.delay(.end) }
    let call = try rig.call("plan.upgrade", params: Self.k)
    handlers.upgrade.succeed(with: PlanUsage.top.jsonText)
    rig.run()
    call.stop(.cancelled)
    rig.run()
    rig.store.answer()
    #expect(rig.take(3) == [PlanLines.working, PlanLines.done, PlanLines.completed])
  }

  @Test func `what a handler reports while its end is being written is dropped`() throws {
    let rig = rig { $0.delay(.end) }
    handlers.upgrade.willReport([ActionProgress(fraction: 0.5)])
    try rig.call("plan.upgrade")
    handlers.upgrade.succeed()
    rig.run()
    let shown = rig.take(2).count
    try rig.call("plan.restore", id: "2")
    #expect(rig.received(1).map(\.errorCode) == [101], "it still runs")
    rig.store.answer()
    #expect(shown == 2 && rig.received(2)[1].at("result.revision") == "3")
  }

  // MARK: The journal's word

  @Test(arguments: [IntentOutcome.Name.completed, .pending], [false, true])
  func `what was done before is answered and not done again`(outcome: IntentOutcome.Name, isLate: Bool) throws {
    let rig = rig { store in
      store.willStart(.ended(IntentOutcome(outcome, time: PlanRig.today)))
      if isLate { store.delay(.begin) }
    }
    try rig.call("plan.upgrade", params: Self.k)
    rig.store.answer()
    #expect(rig.take(1) == [PlanLines.reply(#"{"outcome":"\#(outcome.rawValue)","revision":0}"#)])
    #expect(handlers.upgrade.calls.isEmpty)
    rig.store.delay()
    try rig.call("plan.upgrade", id: "2")
    #expect(handlers.upgrade.calls.count == 1, "another one may start")
  }

  @Test func `what a done action said is said again`() throws {
    let members = [RPCError.Member("restored", JSONText(integer: 2))]
    let rig = rig { $0.willStart(.ended(IntentOutcome(.completed, members: members, time: 0))) }
    try rig.call("plan.restore")
    #expect(rig.take(1) == [PlanLines.reply(#"{"outcome":"completed","restored":2}"#)])
  }

  @Test func `a key that stands for something else is refused with what to do`() throws {
    let rig = rig { $0.willStart(.conflict) }
    try rig.call("plan.upgrade", params: Self.k)
    #expect(
      rig.take(1) == [
        PlanLines.refusal(
          107, "This idempotencyKey belongs to something else; send a new one with a new upgrade",
          #"{"action":"upgrade"}"#)
      ])
    #expect(handlers.upgrade.calls.isEmpty)
    #expect(try rig.shown("revision") == "0")
  }

  @Test(arguments: [
    (HostAction.onUpgrade, "An upgrade is already running in another session", "upgrade"),
    (.onRestore, "A restore is already running in another session", "restore"),
  ])
  func `another session's action keeps it out`(running: HostAction, message: String, name: String) throws {
    let rig = rig { $0.willStart(.busy(running)) }
    try rig.call("plan.upgrade")
    #expect(rig.take(1) == [PlanLines.refusal(101, message, #"{"action":"upgrade","running":"\#(name)"}"#)])
    try rig.call("plan.upgrade", id: "2")
    #expect(rig.take(1) == [PlanLines.working.replacing(#""requestId":1"#, with: #""requestId":2"#)])
  }

  @Test(arguments: ["conflict", "ended", "broken"])
  func `who joined gets the journal's word, too`(word: String) throws {
    let rig = rig { store in
      store.delay(.begin)
      switch word {
      case "conflict": store.willStart(.conflict)
      case "ended": store.willStart(.ended(IntentOutcome(.completed, time: 0)))
      default: store.fail(.begin, .full)
      }
    }
    for id in ["1", "2"] { try rig.call("plan.upgrade", id: id, params: Self.k) }
    rig.store.answer()
    rig.run()
    let replies = rig.received(2).filter { $0.method == nil }
    #expect(Set(replies.map(\.id)) == ["1", "2"])
    #expect(Set(replies.map { $0.at("error") ?? $0.at("result") }).count == 1)
  }

  // MARK: What cannot be written

  @Test(arguments: [
    ("upgrade", "The upgrade wasn't started. "), ("restore", "The restore wasn't started. "),
    ("manage", "Subscription management wasn't opened. "),
  ])
  func `an intent that cannot be written starts nothing, and says so`(action: String, text: String) throws {
    let rig = rig { $0.fail(.begin, .full) }
    try rig.call("plan." + action)
    let lines = rig.received(action == "manage" ? 1 : 2)
    let message = text + StoreFailure.full.message
    #expect(
      lines.last?.text
        == PlanLines.refusal(109, message, #"{"action":"\#(action)","file":"/var/account.db"}"#))
    #expect(handler(action).calls.isEmpty && rig.store.written.count == 1)
    guard action != "manage" else { return }
    #expect(lines[0].at("params.state.\(action).phase") == "\"failed\"")
    #expect(lines[0].at("params.state.\(action).message") == "\"\(message)\"")
    #expect(lines[0].at("params.feedback") == "\"error\"")
  }

  @Test(arguments: [false, true])
  func `an end that cannot be written is shown and answered, told once, and written at the next chance`(
    isLate: Bool
  ) throws {
    let rig = rig { store in
      store.fail(.end, .full)
      if isLate { store.delay(.end) }
    }
    try rig.call("plan.upgrade", params: Self.k)
    _ = rig.take(1)
    handlers.upgrade.succeed(with: PlanUsage.top.jsonText)
    rig.run()
    rig.store.answer()
    #expect(rig.take(3) == ["log: plan: \(StoreFailure.full.message)", PlanLines.done, PlanLines.completed])
    #expect(rig.keptPlan == .plus)
    rig.store.fail(.end, nil)
    rig.store.delay()
    try rig.call("plan.set", params: #"{"refreshing":true}"#)
    #expect(rig.keptPlan == .plus, "nothing was to be written")
    try rig.call("plan.restore", id: "2")
    #expect(rig.keptPlan == .top)
    #expect(rig.store.written.suffix(2).map { $0.prefix(15) } == ["end k completed", "begin onRestore"])
  }

  @Test(arguments: [false, true])
  func `nothing new begins before an end that waits`(isLate: Bool) throws {
    let rig = rig { $0.fail(.end, .full) }
    try rig.call("plan.upgrade", params: Self.k)
    handlers.upgrade.succeed(with: PlanUsage.top.jsonText)
    _ = rig.take(4)
    if isLate { rig.store.delay(.end) }
    try rig.call("plan.restore", id: "2")
    rig.store.answer()
    let lines = rig.received(2)
    #expect(lines.map(\.errorCode).last == 109)
    #expect(handlers.restore.calls.isEmpty && !rig.store.written.contains { $0.hasPrefix("begin onRestore") })
    #expect(lines.allSatisfy { !$0.text.hasPrefix("log") }, "it was told before")
  }

  @Test func `what waits to be written is tried once more at the end of the session, which waits for it`() throws {
    let rig = rig { $0.fail(.keep, .full) }
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.top)}"#)
    _ = rig.take(3)
    rig.store.fail(.keep, nil)
    rig.store.delay(.keep)
    rig.with { $0.settle() }
    #expect(!rig.with { $0.isSettled })
    rig.store.answer()
    rig.run()
    #expect(rig.with { $0.isSettled } && rig.keptPlan == .top)
  }
}

extension ScriptedHandler {
  /// Has the call end so.
  func come(to end: PlanJournalTests.End, _ call: PlanRig.Call, _ rig: PlanRig) {
    switch end {
    case .completed: succeed()
    case .pending: succeed(.giving(.pending))
    case .presented: succeed(.giving(.presented))
    case .backedOut: fail(CancellationError())
    case .failed: fail(ActionFailure(message: "Card declined."))
    case .notAvailable: fail(ActionFailure(message: nil, kind: .notAvailable))
    case .gone: fail(ActionFailure.handlerGone)
    case .timedOut: rig.pass(.seconds(600))
    case .stopped: call.stop(.cancelled)
    case .drained: call.stop(.drained)
    }
  }
}
