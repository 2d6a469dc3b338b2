import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// Other sessions at the same account, and what is kept for them.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanOtherSessionsTests {
  private let handler = ScriptedHandler()

  /// A rig whose state is known.
  private func rig(prepare: (ScriptedStore) -> Void = { _ in }) throws -> PlanRig {
    let rig = PlanRig(handler: handler, restore: handler, prepare: prepare)
    try rig.call("plan.get")
    _ = rig.take(1)
    return rig
  }

  // MARK: Their changes

  @Test func `what another session keeps is one event`() throws {
    let rig = try rig()
    #expect(rig.store.isWatched)
    rig.store.changeElsewhere(.top, asOf: DateValue("2026-10-19"))
    let events = rig.received(1)
    #expect(events.count == 1 && events[0].at("params.cause") == "\"account\"")
    #expect(events[0].at("params.requestId") == nil)
    #expect(try events[0].json["params"]?["state"]?.members.map(\.name) == ["plan", "summary", "usage", "upgrade"])
    #expect(events[0].at("params.state.summary.asOf") == "\"2026-10-19\"")
    #expect(rig.store.written.isEmpty, "it is kept already")
  }

  @Test func `news of what is known already is no event`() throws {
    let rig = try rig()
    rig.store.changeElsewhere(.plus)
    #expect(rig.lines.isEmpty && rig.plansAsked == 2)
    #expect(try rig.shown("revision") == "0")
  }

  @Test func `before anybody looks nothing is watched`() throws {
    let rig = PlanRig()
    #expect(!rig.store.isWatched)
  }

  @Test func `nobody waits while the account is read again`() throws {
    let rig = try rig()
    rig.store.delay(.load)
    rig.store.changeElsewhere(.top)
    #expect(try rig.shown("state.summary.name") == "\"Plus\"")
    rig.store.answer()
    #expect(rig.received(1)[0].at("params.state.summary.name") == "\"Studio\"")
  }

  @Test func `while something is done here it is shown afterwards`() throws {
    let rig = try rig()
    try rig.call("plan.restore")
    _ = rig.take(1)
    rig.store.changeElsewhere(.top)
    #expect(rig.lines.isEmpty && rig.plansAsked == 1)
    handler.succeed()
    let lines = rig.received(3)
    #expect(lines.map { $0.at("params.cause") ?? "reply" } == ["\"restore\"", "\"account\"", "reply"])
    #expect(lines[1].at("params.state.summary.name") == "\"Studio\"")
  }

  @Test func `an upgrade's end is not split by news of it`() throws {
    let rig = try rig { $0.delay(.end) }
    try rig.call("plan.upgrade")
    _ = rig.take(1)
    handler.succeed(with: PlanUsage.top.jsonText)
    rig.run()
    rig.store.tell()
    rig.store.answer()
    let lines = rig.take(2)
    #expect(lines == [PlanLines.done, PlanLines.completed])
    #expect(rig.lines.isEmpty)
  }

  @Test(arguments: ["set", "upgrade"])
  func `what was read before something was done here does not undo it`(method: String) throws {
    let rig = try rig()
    rig.store.delay(.load)
    rig.store.changeElsewhere(.plus, asOf: DateValue("2026-10-18"))
    if method == "set" {
      try rig.call("plan.set", params: #"{"plan":\#(PlanLines.top)}"#)
    } else {
      try rig.call("plan.upgrade")
      handler.succeed(with: PlanUsage.top.jsonText)
    }
    _ = rig.take(2)
    rig.store.answer()
    rig.run()
    #expect(try rig.shown("state.summary.name") == "\"Studio\"")
    rig.store.answer()
    rig.run()
    #expect(try rig.shown("state.summary.name") == "\"Studio\"")
    #expect(rig.plansAsked == 3, "it is read once more")
  }

  @Test func `after the end of input nothing is read any more`() throws {
    let rig = try rig()
    rig.with { $0.settle() }
    rig.store.changeElsewhere(.top)
    #expect(rig.plansAsked == 1 && rig.lines.isEmpty)
    #expect(rig.with { $0.isSettled })
  }

  // MARK: What they leave open

  @Test func `an attempt that another session left open is gone on with under its key`() throws {
    let rig = try rig()
    rig.store.willStart(.unfinished(key: "theirs"))
    try rig.call("plan.upgrade")
    rig.run()
    #expect(handler.calls.map(\.idempotencyKey) == ["theirs"])
    let asked = rig.store.written
    #expect(asked.count == 2 && asked[1] == "begin onUpgrade theirs" && asked[0] != asked[1])
    handler.succeed(with: PlanUsage.top.jsonText)
    #expect(rig.received(3).last?.at("result.outcome") == "\"completed\"")
    #expect(rig.store.written.last == "end theirs completed Studio")
  }

  @Test func `that a session was killed in the midst of it is seen within a second`() throws {
    let rig = try rig()
    let idle = rig.sleeping
    rig.store.remember(.upgrade("theirs"), nil)
    rig.store.tell()
    rig.run()
    #expect(rig.lines.isEmpty, "it is at work, for all that is known")
    rig.pass(.seconds(1), isQuiet: true)
    rig.run(until: { rig.plansAsked == 3 })
    #expect(rig.lines.isEmpty)
    rig.store.forget("theirs")
    rig.store.interrupt(.upgrade("theirs"))
    rig.pass(.seconds(1))
    let event = rig.received(1)[0]
    #expect(event.at("params.state.upgrade.phase") == "\"failed\"")
    #expect(rig.sleeping == idle)
    try rig.call("plan.upgrade")
    rig.run()
    #expect(handler.calls.map(\.idempotencyKey) == ["theirs"])
  }

  // MARK: What is kept

  @Test func `plans that come faster than they are kept leave only the newest waiting`() throws {
    let rig = try rig { $0.delay(.keep) }
    for used in ["8.3", "8.4", "8.5"] {
      try rig.call("plan.set", params: #"{"plan":\#(PlanLines.plus(storage: used))}"#)
    }
    #expect(
      rig.received(6).filter { $0.method == nil }.map(\.errorCode) == [nil, nil, nil], "nobody waits for the disk")
    #expect(!rig.with { $0.isSettled }, "but the session does")
    rig.store.answer()
    rig.run()
    rig.store.answer()
    rig.run()
    #expect(rig.store.written == ["keep Plus", "keep Plus"])
    #expect(rig.keptPlan?.meters.value?[0].used == DecimalNumber(number: "8.5"))
    #expect(rig.with { $0.isSettled })
  }

  @Test func `a plan that an action brings is kept behind the host's, and in its place where that still waits`() throws
  {
    let rig = try rig()
    try rig.call("plan.upgrade", params: #"{"idempotencyKey":"k"}"#)
    rig.store.delay(.keep, .end)
    for used in ["8.3", "8.4"] {
      try rig.call("plan.set", params: #"{"plan":\#(PlanLines.plus(storage: used))}"#)
    }
    handler.succeed(with: PlanUsage.top.jsonText)
    for _ in 1...3 {
      rig.run()
      rig.store.answer()
    }
    rig.run()
    #expect(rig.store.written == ["begin onUpgrade k", "keep Plus", "end k completed Studio"])
    #expect(rig.keptPlan == .top)
  }

  @Test func `what cannot be kept is told once for each reason, and again after it could`() throws {
    let rig = try rig()
    func logs(_ failure: StoreFailure?) throws -> Int {
      rig.store.fail(.keep, failure)
      try rig.call("plan.set", params: #"{"plan":\#(PlanLines.plus),"asOf":"2026-10-19"}"#)
      return rig.received(1).filter { $0.text.hasPrefix("log: plan: ") }.count
    }
    let failures: [StoreFailure?] = [.full, .full, .broken, .broken, nil, .broken]
    #expect(try failures.map(logs) == [1, 0, 1, 0, 0, 1])
  }
}
