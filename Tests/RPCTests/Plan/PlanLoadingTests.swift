import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// An account that it takes time to read, or that cannot be read.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanLoadingTests {
  private let handlers = (upgrade: ScriptedHandler(), restore: ScriptedHandler())

  private func rig(_ plan: PlanUsage? = .plus, prepare: (ScriptedStore) -> Void) -> PlanRig {
    PlanRig(plan: plan, handler: handlers.upgrade, restore: handlers.restore, prepare: prepare)
  }

  private static let file = #"{"file":"/var/account.db"}"#

  // MARK: One load for all

  @Test func `calls wait for the one load, and begin in their order`() throws {
    let rig = rig { $0.delay(.load) }
    try rig.call("plan.upgrade", id: "1")
    try rig.call("plan.upgrade", id: "2")
    try rig.call("plan.get", id: "3")
    try rig.call("plan.set", id: "4", params: #"{"plan":\#(PlanLines.plus(storage: "8.3"))}"#)
    #expect(rig.lines.isEmpty && handlers.upgrade.calls.isEmpty)
    rig.store.answer()
    rig.run()
    let lines = rig.received(5)
    #expect(lines.filter { $0.method != nil }.map { $0.at("params.cause") } == ["\"upgrade\"", "\"set\""])
    #expect(lines[0].text == PlanLines.working)
    let replies = lines.filter { $0.method == nil }
    #expect(replies.map(\.id) == ["2", "3", "4"])
    #expect(replies[0].errorCode == 101)
    #expect(replies[1].at("result.revision") == "1", "it was asked before the plan was handed over")
    #expect(rig.plansAsked == 1 && handlers.upgrade.calls.count == 1)
  }

  @Test func `a call that comes when the account is there begins behind those that waited`() throws {
    let rig = rig { $0.delay(.load) }
    try rig.call("plan.upgrade")
    rig.store.answer()
    try rig.begin("plan.restore", id: "2")
    rig.run()
    #expect(rig.received(2).map(\.errorCode) == [nil, 101])
  }

  @Test(arguments: [("plan.get", "get"), ("plan.upgrade", "upgrade"), ("plan.history", "history")])
  func `a call that is cancelled while it waits never begins`(method: String, action: String) throws {
    let rig = rig { $0.delay(.load) }
    try rig.call(method).stop(.cancelled)
    #expect(rig.take(1) == [PlanLines.refusal(-32800, "Request cancelled", #"{"action":"\#(action)"}"#)])
    rig.store.answer()
    #expect(try rig.shown("revision") == "0")
    #expect(handlers.upgrade.calls.isEmpty && rig.store.written.isEmpty)
  }

  @Test func `one that is cancelled in the moment in which the account is there does not begin either`() throws {
    let rig = rig { $0.delay(.load) }
    let call = try rig.call("plan.upgrade")
    rig.store.answer()
    call.stop(.cancelled)
    rig.run()
    #expect(rig.take(1) == [PlanLines.refusal(-32800, "Request cancelled", #"{"action":"upgrade"}"#)])
    #expect(rig.store.written.isEmpty && handlers.upgrade.calls.isEmpty)
  }

  @Test func `a plan that is handed over while the account is read is not undone by it`() throws {
    let rig = rig { $0.delay(.load) }
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.top)}"#)
    rig.store.answer()
    _ = rig.take(2)
    #expect(try rig.shown("state.summary.name") == "\"Studio\"")
    #expect(rig.keptPlan == .top)
  }

  @Test func `what was kept says when it was read, and older news is ignored`() throws {
    let rig = rig { _ = $0.keep(.plus, asOf: DateValue("2026-10-18T12:00:00Z")) }
    #expect(try rig.shown("state.summary.asOf") == "\"2026-10-18T12:00:00Z\"")
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.top),"asOf":"2026-10-18T11:00:00Z"}"#)
    #expect(rig.take(1) == [PlanLines.reply(#"{"revision":0,"ignored":true}"#)])
  }

  // MARK: Without a copy

  @Test(arguments: [false, true])
  func `an account that cannot be read is named, and looked for again at the next call`(isLate: Bool) throws {
    let rig = rig { store in
      store.fail(.load, .broken)
      if isLate { store.delay(.load) }
    }
    try rig.call("plan.get")
    rig.store.answer()
    #expect(rig.take(1) == [PlanLines.refusal(109, StoreFailure.broken.message, Self.file)])
    rig.store.fail(.load, nil)
    try rig.call("plan.get")
    rig.store.answer()
    #expect(rig.take(1) == [PlanLines.get])
    #expect(rig.plansAsked == 2)
  }

  @Test(arguments: ["upgrade", "manage", "restore"])
  func `nothing is done to an account that cannot be read`(action: String) throws {
    let rig = rig { $0.fail(.load, .broken) }
    try rig.call("plan." + action)
    #expect(
      rig.take(1) == [
        PlanLines.refusal(
          109, StoreFailure.broken.message, #"{"action":"\#(action)","file":"/var/account.db"}"#)
      ])
    #expect(handlers.upgrade.calls.isEmpty && handlers.restore.calls.isEmpty && rig.store.written.isEmpty)
  }

  @Test func `the host's plan is shown even so, and kept once that can be done`() throws {
    let rig = rig {
      $0.fail(.load, .broken)
      $0.fail(.keep, .full)
    }
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.top)}"#)
    let lines = rig.received(3)
    #expect(lines[0].text == "log: plan: \(StoreFailure.full.message)")
    #expect(lines[1].at("params.state.summary.stale") == "false")
    #expect(lines[2].text == PlanLines.reply(#"{"revision":1}"#))
    #expect(try rig.shown("state.summary.stale") == "false")
    rig.store.fail(.load, nil)
    #expect(try rig.shown("state.summary.name") == "\"Studio\"", "what is on disk is older")
    rig.store.fail(.keep, nil)
    try rig.call("plan.upgrade", id: "2")
    rig.store.tell()
    #expect(rig.keptPlan == .top)
    #expect(try rig.shown("state.summary.name") == "\"Studio\"")
  }

  // MARK: With a copy

  private static let noon = DateValue("2026-10-18T12:00:00Z")!

  @Test(arguments: [false, true])
  func `the last good copy is shown as such, and nothing is done to it`(isLate: Bool) throws {
    let rig = rig { store in
      store.fail(.load, .broken(lastGood: .plus, asOf: Self.noon))
      if isLate { store.delay(.load) }
    }
    try rig.call("plan.get")
    rig.store.answer()
    let lines = rig.received(2)
    #expect(lines[0].text == "log: plan: \(StoreFailure.broken.message)")
    #expect(lines[1].at("result.state.summary.stale") == "true")
    #expect(lines[1].at("result.state.summary.asOf") == "\"2026-10-18T12:00:00Z\"")
    #expect(lines[1].at("result.state.plan") == PlanLines.plus)
    try rig.call("plan.upgrade")
    rig.store.answer()
    #expect(rig.received(1).map(\.errorCode) == [109])
    #expect(handlers.upgrade.calls.isEmpty)
  }

  @Test(arguments: [false, true])
  func `what can be read again is one event, by the next call or by news of it`(byNews: Bool) throws {
    let rig = rig { $0.fail(.load, .broken(lastGood: .plus)) }
    try rig.call("plan.get")
    _ = rig.take(2)
    rig.store.fail(.load, nil)
    if byNews { rig.store.tell() } else { try rig.call("plan.restore", id: "2") }
    let event = rig.received(1)[0]
    #expect(event.at("params.cause") == "\"account\"")
    #expect(event.at("params.requestId") == nil)
    #expect(try event.json["params"]?["state"]?.members.map(\.name) == ["summary"])
    #expect(event.at("params.state.summary.stale") == "false")
    #expect(handlers.restore.calls.count == (byNews ? 0 : 1))
  }

  @Test func `an account that was read and cannot be read any more is stale, and said once`() throws {
    let rig = rig { _ in }
    try rig.call("plan.get")
    _ = rig.take(1)
    rig.store.fail(.load, .broken)
    for _ in 1...2 { rig.store.tell() }
    let lines = rig.received(2)
    #expect(lines.count == 2 && lines[0].text == "log: plan: \(StoreFailure.broken.message)")
    #expect(lines[1].at("params.state.summary.stale") == "true")
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.plus(storage: "8.3"))}"#)
    #expect(rig.received(2)[0].at("params.state.summary.stale") == "false", "the host knows better")
    #expect(try rig.shown("state.summary.stale") == "false")
  }
}
