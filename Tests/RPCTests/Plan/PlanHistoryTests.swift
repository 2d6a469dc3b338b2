import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// What was done to an account.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanHistoryTests {
  private let handler = ScriptedHandler()

  private func rig(prepare: (ScriptedStore) -> Void = { _ in }) -> PlanRig {
    PlanRig(handler: handler, manage: handler, restore: handler, prepare: prepare)
  }

  private static func entry(_ action: String, _ key: String, _ outcome: String, _ time: String) -> String {
    #"{"time":"2026-10-\#(time)Z","action":"\#(action)","idempotencyKey":"\#(key)","outcome":"\#(outcome)"}"#
  }

  private func entries(_ rig: PlanRig, _ params: String = "{}") throws -> String? {
    try rig.call("plan.history", id: "\"h\"", params: params)
    return rig.received(1).last?.at("result.entries")
  }

  @Test func `without an action it is empty`() throws {
    #expect(try entries(rig()) == "[]")
  }

  @Test func `each action is told in one word, the newest first`() throws {
    let rig = rig { store in
      store.interrupt(.restore("r", at: PlanRig.today - 3600))
      store.remember(.upgrade("elsewhere", at: PlanRig.today - 60), nil)
    }
    let ends: [(String, PlanJournalTests.End)] = [
      ("a", .failed), ("b", .backedOut), ("c", .pending), ("d", .completed),
    ]
    for (at, (key, end)) in ends.enumerated() {
      rig.setTime(PlanRig.today + Double(at))
      let call = try rig.call("plan.upgrade", params: #"{"idempotencyKey":"\#(key)"}"#)
      handler.come(to: end, call, rig)
      _ = rig.take(3)
    }
    try rig.call("plan.upgrade", params: #"{"idempotencyKey":"e"}"#)
    _ = rig.take(1)
    let expected = [
      Self.entry("upgrade", "e", "running", "19T00:00:03"), Self.entry("upgrade", "d", "completed", "19T00:00:03"),
      Self.entry("upgrade", "c", "pending", "19T00:00:02"), Self.entry("upgrade", "b", "cancelled", "19T00:00:01"),
      Self.entry("upgrade", "a", "failed", "19T00:00:00"), Self.entry("upgrade", "elsewhere", "running", "18T23:59:00"),
      Self.entry("restore", "r", "interrupted", "18T23:00:00"),
    ]
    #expect(try entries(rig) == "[\(expected.joined(separator: ","))]")
    #expect(try entries(rig, #"{"limit":2}"#) == "[\(expected[..<2].joined(separator: ","))]")
  }

  @Test func `a key that was tried again is one entry`() throws {
    let rig = rig()
    for id in ["1", "2"] {
      try rig.call("plan.restore", id: id)
      handler.fail(ActionFailure(message: "No."))
      rig.run()
    }
    _ = rig.take(6)
    try rig.call("plan.history")
    #expect(try rig.received(1)[0].json["result"]?["entries"]?.count == 1)
  }

  @Test(arguments: [
    ("0", "limit: expected an integer from 1 to 10000, got 0"),
    ("10001", "limit: expected an integer from 1 to 10000, got 10001"),
    ("\"all\"", "limit: expected an integer, got a string"),
  ])
  func `a limit is a small number`(limit: String, message: String) throws {
    let rig = rig()
    try rig.call("plan.history", params: #"{"limit":\#(limit)}"#)
    #expect(rig.received(1)[0].errorCode == -32602)
    #expect(rig.store.asked.isEmpty)
  }

  @Test func `a journal that takes its time is waited for, and one that cannot be read is named`() throws {
    let rig = rig()
    try rig.call("plan.get")
    _ = rig.take(1)
    rig.store.delay(.history)
    try rig.call("plan.history")
    #expect(rig.lines.isEmpty)
    rig.store.fail(.history, .broken)
    rig.store.answer()
    #expect(rig.take(1) == [PlanLines.refusal(109, StoreFailure.broken.message, #"{"file":"/var/account.db"}"#)])
    rig.store.fail(.load, .broken(lastGood: .plus))
    rig.store.tell()
    _ = rig.take(2)
    try rig.call("plan.history")
    #expect(rig.received(1).map(\.errorCode) == [109])
  }
}
