import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

@Suite(.timeLimit(.usualMinutes(1)))
struct PlanRestoreTests {
  private let handler = ScriptedHandler()
  private static let defaultText = "Couldn't reach the App Store. Try again."
  private static let done = PlanLines.restore(
    "done", 2, message: "Purchases restored", tone: "success", feedback: "success", says: "Purchases restored")
  private static let completed = PlanLines.reply(#"{"outcome":"completed"}"#)

  private static func failed(_ text: String) -> String {
    PlanLines.restore("failed", 2, message: text, tone: "danger", feedback: "error", says: text)
  }

  private static func failure(_ text: String) -> String {
    PlanLines.refusal(100, text, #"{"action":"restore","handler":"exec"}"#)
  }

  /// A rig in which a restore runs; its first event was taken.
  private func restoring(
    _ handler: ScriptedHandler? = nil, plan: PlanUsage = .plus, token: String? = nil
  ) throws -> (rig: PlanRig, call: PlanRig.Call) {
    let rig = PlanRig(plan: plan, restore: handler ?? self.handler)
    let call = try rig.call("plan.restore", token: token)
    #expect(rig.take(1)[0] == PlanLines.restore("working", 1))
    return (rig, call)
  }

  // MARK: Done

  @Test(arguments: [nil, 1, 3, Int.max])
  func `what was restored is said for three seconds`(count: Int?) throws {
    let (rig, _) = try restoring()
    handler.succeed(.giving(restored: count))
    let answer = count.map { PlanLines.reply(#"{"outcome":"completed","restored":\#($0)}"#) }
    #expect(rig.take(2) == [Self.done, answer ?? Self.completed])
    rig.pass(.seconds(3))
    #expect(rig.take(1) == [PlanLines.restore("idle", 3, id: nil)])
    #expect(rig.sleeping.isEmpty)
  }

  @Test func `nothing to restore is told from something, and is nothing to feel`() throws {
    let (rig, _) = try restoring()
    handler.succeed(.giving(restored: 0))
    #expect(
      rig.take(2) == [
        PlanLines.restore("done", 2, message: "Nothing to restore", tone: "secondary", says: "Nothing to restore"),
        PlanLines.reply(#"{"outcome":"completed","restored":0}"#),
      ])
    rig.pass(.seconds(3))
    #expect(rig.take(1) == [PlanLines.restore("idle", 3, id: nil)])
  }

  @Test(arguments: [PlanUsage.once, .top])
  func `plans that do not renew or are the highest are restored, too`(plan: PlanUsage) throws {
    let (rig, _) = try restoring(plan: plan)
    handler.succeed()
    #expect(rig.take(2) == [Self.done, Self.completed])
  }

  // MARK: A plan that comes back

  @Test func `what came back is an event of its own, before the reply, and is kept`() throws {
    let (rig, _) = try restoring()
    handler.succeed(.giving(plan: PlanLines.top))
    let lines = rig.received(3)
    #expect(lines[0].text == Self.done)
    #expect(lines[1].at("params.cause") == "\"account\"")
    #expect(lines[1].at("params.revision") == "3")
    #expect(lines[1].at("params.requestId") == "1")
    #expect(try lines[1].json["params"]?["state"]?.members.map(\.name) == ["plan", "summary", "usage", "upgrade"])
    #expect(lines[1].at("params.feedback") == nil)
    #expect(lines[1].at("params.announcement") == nil)
    #expect(lines[2].text == Self.completed)
    #expect(rig.keptPlan == .top)
    rig.pass(.seconds(3))
    #expect(rig.take(1) == [PlanLines.restore("idle", 4, id: nil)])
  }

  @Test(arguments: [PlanLines.plus, "null"])
  func `the plan that is shown already, or none, is no second event`(plan: String) throws {
    let (rig, _) = try restoring()
    handler.succeed(.giving(plan: plan))
    #expect(rig.take(2) == [Self.done, Self.completed])
  }

  @Test(arguments: [ActionResult.Outcome.pending, .cancelled, .failed])
  func `a plan counts only with success`(outcome: ActionResult.Outcome) throws {
    let (rig, _) = try restoring()
    handler.succeed(.giving(outcome, plan: PlanLines.top, restored: 1))
    let lines = rig.received(2)
    #expect(lines.count == 2 && lines[1].at("result.restored") == nil)
    #expect(try rig.shown("state.summary.name") == "\"Plus\"")
    #expect(rig.keptPlan == .plus)
  }

  @Test func `a plan of a wrong shape fails the restore, with the detail on stderr`() throws {
    let (rig, _) = try restoring()
    handler.succeed(.giving(plan: #"{"name":"Studio"}"#, restored: 1))
    #expect(
      rig.take(3) == [
        "log: onRestore: plan.price: missing; expected an object", Self.failed(Self.defaultText),
        Self.failure(Self.defaultText),
      ])
    #expect(rig.keptPlan == .plus)
  }

  @Test func `members that only the handler knows are named on stderr and left out`() throws {
    let (rig, _) = try restoring()
    handler.succeed(.giving(plan: PlanLines.top.replacing(#"{"name""#, with: #"{"seats":4,"name""#)))
    let lines = rig.received(4)
    #expect(lines[0].text == "log: onRestore: ignored plan.seats: unknown member")
    #expect(lines[2].at("params.state.plan") == PlanLines.top)
  }

  // MARK: Failure

  @Test(
    arguments: [
      (ActionFailure(message: "Sign in first."), "Sign in first."),
      (ActionFailure(message: "\u{1B}[31mSign in\nfirst.\u{7}"), "Sign in first."),
      (ActionFailure(message: nil), defaultText), (ActionFailure(message: " \n"), defaultText),
      (PlanUpgradeEndTests.PlainError(), defaultText),
    ] as [(any Error, String)])
  func `a failure shows the handler's own text, else the default one`(error: any Error, text: String) throws {
    let (rig, _) = try restoring()
    handler.fail(error)
    #expect(rig.take(2) == [Self.failed(text), Self.failure(text)])
    #expect(rig.sleeping.isEmpty, "it stays")
  }

  @Test func `an outcome of failed is a failure with its message`() throws {
    let (rig, _) = try restoring()
    handler.succeed(.giving(.failed, message: "Sign in first."))
    #expect(rig.take(2) == [Self.failed("Sign in first."), Self.failure("Sign in first.")])
  }

  @Test func `a restore that never ends becomes a failure`() throws {
    let (rig, _) = try restoring()
    rig.pass(.seconds(60))
    #expect(
      rig.take(2) == [
        Self.failed(Self.defaultText),
        PlanLines.refusal(105, "timed out", #"{"action":"restore","seconds":60}"#),
      ])
  }

  @Test(arguments: [(ActionFailure.handlerGone, 106), (ActionFailure(message: nil, kind: .notAvailable), 103)])
  func `a handler that is gone, or cannot, shows the default text under its own code`(
    failure: ActionFailure, code: Int
  ) throws {
    let (rig, _) = try restoring()
    handler.fail(failure)
    #expect(
      rig.take(2) == [
        Self.failed(Self.defaultText), PlanLines.refusal(code, Self.defaultText, #"{"action":"restore"}"#),
      ])
  }

  // MARK: Backing out, waiting

  @Test(
    arguments: [.failure(CancellationError()), .success(ActionResult(outcome: .cancelled))]
      as [Result<ActionResult, any Error>])
  func `backing out of the sign-in is quiet`(end: Result<ActionResult, any Error>) throws {
    let (rig, _) = try restoring()
    handler.end(end)
    #expect(rig.take(2) == [PlanLines.restore("idle", 2), PlanLines.reply(#"{"outcome":"cancelled"}"#)])
  }

  @Test func `a cancelled request is quiet and answered as cancelled`() throws {
    let (rig, call) = try restoring()
    call.stop(.cancelled)
    #expect(
      rig.take(2) == [
        PlanLines.restore("idle", 2), PlanLines.refusal(-32800, "Request cancelled", #"{"action":"restore"}"#),
      ])
  }

  @Test func `the end of the session is quiet`() throws {
    let (rig, call) = try restoring()
    call.stop(.drained)
    let lines = rig.received(2)
    #expect(lines[0].text == PlanLines.restore("idle", 2))
    #expect(lines[1].errorCode == 105 && lines[1].at("error.data") == #"{"action":"restore"}"#)
  }

  @Test func `a success that comes after the cancel is kept`() throws {
    let handler = ScriptedHandler(heedsCancel: false)
    let (rig, call) = try restoring(handler)
    call.stop(.cancelled)
    rig.run(until: { rig.clock.sleeping.contains(.seconds(2)) })
    handler.succeed(.giving(plan: PlanLines.top))
    #expect(rig.received(3).map { $0.at("params.cause") } == ["\"restore\"", "\"account\"", nil])
    #expect(rig.keptPlan == .top)
  }

  @Test func `a handler deaf to the cancel is given up, and its late answer dropped`() throws {
    let handler = ScriptedHandler(heedsCancel: false)
    let (rig, call) = try restoring(handler)
    call.stop(.cancelled)
    rig.pass(.seconds(2))
    #expect(rig.received(2).map(\.errorCode) == [nil, -32800])
    handler.succeed(.giving(plan: PlanLines.top))
    #expect(try rig.shown("state.summary.name") == "\"Plus\"")
    #expect(rig.keptPlan == .plus)
  }

  @Test func `pending stays until the next attempt`() throws {
    let (rig, _) = try restoring()
    handler.succeed(ActionResult(outcome: .pending))
    #expect(
      rig.take(2) == [
        PlanLines.restore(
          "pending", 2, message: "Waiting for approval", tone: "secondary", says: "Waiting for approval"),
        PlanLines.reply(#"{"outcome":"pending"}"#),
      ])
    #expect(rig.sleeping.isEmpty)
    try rig.call("plan.restore", id: "2")
    #expect(rig.take(1) == [PlanLines.restore("working", 3, id: "2")])
  }

  @Test func `a new attempt during the hold begins at once, and its own hold counts`() throws {
    let (rig, _) = try restoring()
    handler.succeed()
    _ = rig.take(2)
    rig.run(until: { rig.sleeping == [.seconds(3)] })
    rig.clock.advance(by: .seconds(2))
    try rig.call("plan.restore", id: "2")
    #expect(rig.take(1) == [PlanLines.restore("working", 3, id: "2")])
    handler.succeed()
    _ = rig.take(2)
    rig.run(until: { rig.sleeping == [.seconds(3)] })
    rig.clock.advance(by: .seconds(1))
    #expect(try rig.shown("state.restore.phase") == "\"done\"")
    rig.pass(.seconds(2))
    #expect(rig.take(1) == [PlanLines.restore("idle", 5, id: nil)])
  }

  // MARK: Progress

  @Test(arguments: ["0", "\"\"", "\"t\""])
  func `progress is shown and sent, from begin to end, all before the reply`(token: String) throws {
    handler.willReport([ActionProgress(fraction: 0.5, message: "Asking the store")])
    let rig = PlanRig(restore: handler)
    try rig.call("plan.restore", token: token)
    handler.succeed(.giving(plan: PlanLines.top))
    let lines = rig.received(8)
    #expect(
      lines[1].text
        == PlanLines.progress(
          token, #"{"kind":"begin","title":"Restore purchases","cancellable":true,"percentage":0}"#))
    #expect(lines[2].at("params.state.restore.progress") == "0.5")
    #expect(lines[2].at("params.state.restore.message") == "\"Asking the store\"")
    #expect(lines[2].at("params.motion") == nil, "the phase is the same")
    #expect(
      lines[3].text == PlanLines.progress(token, #"{"kind":"report","message":"Asking the store","percentage":50}"#))
    #expect(lines[4].at("params.state.restore.progress") == "null")
    #expect(lines[5].at("params.cause") == "\"account\"")
    #expect(lines[6].text == PlanLines.progress(token, #"{"kind":"end"}"#))
    #expect(lines[7].text == Self.completed)
  }

  // MARK: The call

  @Test func `the handler gets the plan as given, a key and how the person reads`() throws {
    let rig = PlanRig(restore: handler, environment: Environment(locale: "de_DE", timeZone: "Europe/Berlin"))
    try rig.call("plan.restore")
    let call = try #require(handler.calls.first)
    #expect(call.action == .onRestore && call.timeout == 60)
    #expect(call.locale == "de_DE" && call.timeZone == "Europe/Berlin")
    #expect(call.idempotencyKey.utf8.count == 36)
    #expect(call.details == [.init("plan", JSONText(trusted: Array(PlanLines.plus.utf8)))])
  }

  @Test func `a notification is seen in events only`() throws {
    let rig = PlanRig(restore: handler)
    try rig.call("plan.restore", id: nil)
    handler.fail(ActionFailure(message: "Sign in first."))
    #expect(
      rig.take(3) == [
        PlanLines.restore("working", 1, id: nil),
        Self.failed("Sign in first.").replacing(#""requestId":1,"#, with: ""), "log: Sign in first.",
      ])
  }
}
