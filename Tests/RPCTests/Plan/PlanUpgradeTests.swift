import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

@Suite(.timeLimit(.usualMinutes(1)))
struct PlanUpgradeTests {
  /// A rig in which an upgrade runs; its first event was taken.
  private func upgrading(_ rig: PlanRig, params: String = "{}", token: String? = nil) throws -> PlanRig.Call {
    let call = try rig.call("plan.upgrade", params: params, token: token)
    #expect(rig.take(1).first == PlanLines.working)
    return call
  }

  // MARK: The sequences of the protocol

  @Test func `an upgrade that returns a plan shows it, replies, and folds after its hold`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    handler.succeed(with: PlanUsage.top.jsonText)
    #expect(rig.take(2) == [PlanLines.done, PlanLines.completed])
    rig.pass(.milliseconds(1200))
    #expect(rig.take(1) == [PlanLines.folded])
    #expect(rig.sleeping.isEmpty)
  }

  @Test func `a failure shows the handler's own text`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    handler.fail(
      ActionFailure(message: "Card declined.", data: [.init("exitStatus", JSONText { $0.integer(1) })]))
    #expect(rig.take(2) == [PlanLines.failed, PlanLines.failure])
  }

  @Test(arguments: [true, false])
  func `backing out is quiet`(throwing: Bool) throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    if throwing { handler.fail(CancellationError()) } else { handler.succeed(ActionResult(outcome: .cancelled)) }
    #expect(rig.take(2) == [PlanLines.resting, PlanLines.cancelled])
  }

  @Test func `a cancelled request is quiet and answered as cancelled`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    try upgrading(rig).stop(.cancelled)
    #expect(rig.take(2) == [PlanLines.resting, PlanLines.requestCancelled])
  }

  // MARK: The call

  @Test func `the handler gets the plan as given, the key and how the person reads`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler, environment: Environment(locale: "de_DE", timeZone: "Europe/Berlin"))
    try rig.call("plan.upgrade", params: #"{"idempotencyKey":"k1"}"#)
    let call = try #require(handler.calls.first)
    #expect(call.action == .onUpgrade)
    #expect(call.idempotencyKey == "k1")
    #expect(call.timeout == 600)
    #expect(call.locale == "de_DE")
    #expect(call.timeZone == "Europe/Berlin")
    #expect(call.details == [.init("plan", JSONText(trusted: Array(PlanLines.plus.utf8)))])
  }

  @Test func `a call without a key gets one of its own`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    handler.fail(CancellationError())
    _ = rig.take(2)
    try rig.call("plan.upgrade")
    let keys = handler.calls.map(\.idempotencyKey)
    #expect(keys.count == 2 && keys[0] != keys[1])
    #expect(keys.allSatisfy { $0.utf8.count == 36 && $0 == $0.lowercased() })
  }

  // MARK: Guards

  @Test(arguments: ["{}", #"{"idempotencyKey":"other"}"#])
  func `a second upgrade is refused while one runs`(params: String) throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig, params: #"{"idempotencyKey":"k1"}"#)
    try rig.call("plan.upgrade", id: "2", params: params)
    #expect(
      rig.take(1) == [
        #"{"jsonrpc":"2.0","id":2,"error":{"code":101,"message":"An upgrade is already running","data":{"action":"upgrade","running":"upgrade"}}}"#
      ])
    #expect(handler.calls.count == 1)
  }

  @Test func `the same key joins the upgrade that runs and gets its answer`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig, params: #"{"idempotencyKey":"k1"}"#)
    try rig.call("plan.upgrade", id: "2", params: #"{"idempotencyKey":"k1"}"#)
    try rig.call("plan.upgrade", id: "3", params: #"{"idempotencyKey":"k1"}"#)
    handler.succeed(with: PlanUsage.top.jsonText)
    let lines = rig.take(4)
    #expect(lines[0] == PlanLines.done)
    let replies = (1...3).map { #"{"jsonrpc":"2.0","id":\#($0),"result":{"outcome":"completed","revision":2}}"# }
    #expect(lines.dropFirst().sorted() == replies)
    #expect(handler.calls.count == 1)
  }

  @Test(arguments: [("\u{E9}", "e\u{301}"), ("\u{2126}", "\u{3A9}")])
  func `keys that only look the same are two intents`(one: String, other: String) throws {
    let rig = PlanRig(handler: ScriptedHandler())
    _ = try upgrading(rig, params: #"{"idempotencyKey":"\#(one)"}"#)
    try rig.call("plan.upgrade", id: "2", params: #"{"idempotencyKey":"\#(other)"}"#)
    #expect(rig.take(1)[0].contains(#""code":101"#))
  }

  @Test func `a joined call that is cancelled leaves the upgrade alone`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig, params: #"{"idempotencyKey":"k1"}"#)
    try rig.call("plan.upgrade", id: "2", params: #"{"idempotencyKey":"k1"}"#).stop(.cancelled)
    #expect(
      rig.take(1) == [
        #"{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"Request cancelled","data":{"action":"upgrade"}}}"#
      ])
    handler.succeed(with: PlanUsage.top.jsonText)
    #expect(rig.take(2) == [PlanLines.done, PlanLines.completed])
  }

  @Test func `nothing starts while the plan is loading`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(plan: nil, handler: handler)
    try rig.call("plan.upgrade")
    #expect(
      rig.take(1) == [
        #"{"jsonrpc":"2.0","id":1,"error":{"code":102,"message":"The plan is still loading","data":{"action":"upgrade"}}}"#
      ])
  }

  @Test(arguments: [
    (nil, "There is nothing above the plan Studio"),
    (
      "To start over, restart the session (--demo starts afresh)",
      "There is nothing above the plan Studio. To start over, restart the session (--demo starts afresh)"
    ),
  ])
  func `the top plan has no upgrade`(hint: String?, message: String) throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(plan: .top, handler: handler, startOverHint: hint)
    try rig.call("plan.upgrade")
    #expect(
      rig.take(1) == [
        #"{"jsonrpc":"2.0","id":1,"error":{"code":103,"message":"\#(message)","data":{"action":"upgrade"}}}"#
      ])
    #expect(handler.calls.isEmpty)
  }

  @Test func `without a handler there is no upgrade`() throws {
    let rig = PlanRig()
    try rig.call("plan.upgrade")
    #expect(
      rig.take(1) == [
        #"{"jsonrpc":"2.0","id":1,"error":{"code":103,"message":"No handler is bound to onUpgrade","data":{"action":"upgrade"}}}"#
      ])
  }

  @Test func `plan.get answers while an upgrade runs`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    try rig.call("plan.get", id: "2")
    let line = try #require(rig.take(1).first)
    #expect(line.hasPrefix(#"{"jsonrpc":"2.0","id":2,"result":{"revision":1,"state":{"plan":{"name":"Plus""#))
    #expect(line.contains(#""phase":"working""#))
  }
}
