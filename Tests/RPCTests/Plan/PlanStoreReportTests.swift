import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// What people reported of buying twice, of losing track, and of pages that flash; as conversations.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanStoreReportTests {
  private let handler = ScriptedHandler()

  @Test(arguments: [false, true])
  func `whoever clicks twice buys once`(isSlow: Bool) throws {
    let rig = PlanRig(handler: handler) { if isSlow { $0.delay(.load, .history, .begin, .end) } }
    try rig.begin("plan.upgrade", id: "1")
    try rig.begin("plan.upgrade", id: "2")
    for _ in 1...3 {
      rig.run()
      rig.store.answer()
    }
    rig.run()
    #expect(handler.calls.count == 1)
    #expect(rig.received(2).filter { $0.errorCode == 101 }.map(\.id) == ["2"])
  }

  @Test func `whoever clicks twice with one key buys once and hears it twice`() throws {
    let rig = PlanRig(handler: handler) { $0.delay(.load, .history, .begin, .end) }
    for id in ["1", "2"] { try rig.begin("plan.upgrade", id: id, params: #"{"idempotencyKey":"k"}"#) }
    for _ in 1...3 {
      rig.run()
      rig.store.answer()
    }
    rig.run()
    handler.succeed(with: PlanUsage.top.jsonText)
    rig.run()
    rig.store.answer()
    let replies = rig.received(4).filter { $0.method == nil }
    #expect(Set(replies.map(\.id)) == ["1", "2"])
    #expect(replies.allSatisfy { $0.at("result.outcome") == "\"completed\"" } && handler.calls.count == 1)
  }

  @Test(arguments: [#"{"idempotencyKey":"k1"}"#, "{}"])
  func `whoever is killed while paying pays under the same key afterwards`(params: String) throws {
    let rig = PlanRig(handler: handler) { $0.interrupt(.upgrade("k1")) }
    try rig.call("plan.upgrade", params: params)
    #expect(handler.calls.map(\.idempotencyKey) == ["k1"])
  }

  @Test func `whoever was charged and told of an error is not charged again`() throws {
    let charges = Charges()
    let rig = PlanRig(handler: charges)
    try rig.call("plan.upgrade")
    #expect(rig.received(3)[1].at("params.state.upgrade.phase") == "\"failed\"", "it can be tried again")
    try rig.call("plan.upgrade", id: "2")
    #expect(rig.received(3)[2].at("result.outcome") == "\"completed\"")
    #expect(charges.count == 1)
  }

  /// Takes money once for each key; the first time its answer is lost.
  private final class Charges: ActionHandler {
    let adapter = "exec"
    private let charged = Locked(Set<String>())
    var count: Int { charged.withLock(\.count) }

    func run(
      _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
    ) async throws -> ActionResult {
      guard charged.withLock({ !$0.insert(call.idempotencyKey).inserted }) else {
        throw ActionFailure(message: "network")
      }
      return .giving(plan: PlanLines.top)
    }
  }

  @Test func `what waits for approval is over when the plan comes from elsewhere`() throws {
    let rig = PlanRig(handler: handler)
    try rig.call("plan.upgrade")
    handler.succeed(.giving(.pending))
    #expect(rig.received(3)[1].at("params.state.upgrade.phase") == "\"pending\"")
    rig.store.changeElsewhere(.top)
    #expect(rig.received(1)[0].at("params.state.upgrade") == "null")
  }

  @Test func `whoever asks after the reply sees the plan that was bought`() throws {
    let rig = PlanRig(handler: handler) { $0.delay(.end) }
    try rig.call("plan.upgrade")
    handler.succeed(with: PlanUsage.top.jsonText)
    rig.run()
    #expect(try rig.shown("state.upgrade.phase") == "\"working\"", "both or none")
    #expect(try rig.shown("state.summary.name") == "\"Plus\"")
    rig.store.answer()
    _ = rig.take(3)
    #expect(try rig.shown("state.summary.name") == "\"Studio\"")
  }

  @Test func `nothing flashes while the account is read again`() throws {
    let rig = PlanRig()
    try rig.call("plan.get")
    rig.store.delay(.load)
    rig.store.changeElsewhere(.top)
    #expect(try rig.shown("state.loading") == "false")
    rig.store.answer()
    #expect(rig.received(2)[1].at("params.state.loading") == nil)
  }
}
