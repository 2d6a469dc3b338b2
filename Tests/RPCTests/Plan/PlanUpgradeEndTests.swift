import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// How upgrades end that do not go the straight way.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanUpgradeEndTests {
  private func upgrading(_ rig: PlanRig, token: String? = nil) throws -> PlanRig.Call {
    let call = try rig.call("plan.upgrade", token: token)
    _ = rig.take(1)
    return call
  }

  private func failedEvent(_ message: String, revision: Int = 2) -> String {
    PlanLines.failed.replacing("Card declined.", with: message)
      .replacing(#""revision":2"#, with: #""revision":\#(revision)"#)
  }

  private static let defaultText = "The upgrade didn't go through. Try again."

  private static let defaultReply =
    #"{"jsonrpc":"2.0","id":1,"error":{"code":100,"message":"\#(defaultText)","data":{"action":"upgrade","handler":"exec"}}}"#

  struct PlainError: Error {}

  @Test(arguments: [PlainError(), ActionFailure(message: nil), ActionFailure(message: " \u{1B}[0m\n")] as [any Error])
  func `a failure without a text shows the default one`(error: any Error) throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    handler.fail(error)
    #expect(rig.take(2) == [failedEvent(Self.defaultText), Self.defaultReply])
  }

  @Test func `a failure's text is shown on one line without control characters`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    handler.fail(ActionFailure(message: "\u{1B}[31mCard\ndeclined.\u{7}\r\n"))
    #expect(rig.take(2)[0] == PlanLines.failed)
  }

  @Test func `an outcome of failed is a failure with its message`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    var result = ActionResult(outcome: .failed)
    result.message = "Card declined."
    handler.succeed(result)
    #expect(rig.take(2)[0] == PlanLines.failed)
  }

  @Test func `a success that comes after the cancel is kept`() throws {
    let handler = ScriptedHandler(heedsCancel: false)
    let rig = PlanRig(handler: handler)
    try upgrading(rig).stop(.cancelled)
    rig.run(until: { rig.clock.sleeping.contains(.seconds(2)) })
    handler.succeed(with: PlanUsage.top.jsonText)
    #expect(rig.take(2) == [PlanLines.done, PlanLines.completed])
  }

  @Test func `a handler deaf to the cancel is given up, and its late answer dropped`() throws {
    let handler = ScriptedHandler(heedsCancel: false)
    let rig = PlanRig(handler: handler)
    try upgrading(rig).stop(.cancelled)
    rig.pass(.seconds(2))
    #expect(rig.take(2) == [PlanLines.resting, PlanLines.requestCancelled])
    handler.succeed(with: PlanUsage.top.jsonText)
    try rig.call("plan.get", id: "2")
    #expect(rig.take(1)[0].contains(#""plan":{"name":"Plus""#))
  }

  /// Reports once more when it has ended, whoever still listens.
  private struct LateReporter: ActionHandler {
    let handler: ScriptedHandler
    var adapter: String { handler.adapter }

    func run(
      _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
    ) async throws -> ActionResult {
      let result = try await handler.run(call, host: host, progress: progress)
      progress(ActionProgress(fraction: 1, message: "All done"))
      return result
    }
  }

  @Test func `what a handler reports after it was given up is dropped`() throws {
    let handler = ScriptedHandler(heedsCancel: false)
    let rig = PlanRig(handler: LateReporter(handler: handler))
    try upgrading(rig, token: "7").stop(.cancelled)
    rig.pass(.seconds(2))
    #expect(
      rig.take(3) == [
        PlanLines.resting, PlanLines.progress("7", #"{"kind":"end"}"#), PlanLines.requestCancelled,
      ])
    handler.succeed()
    #expect(try rig.shown("revision") == "2")
    #expect(rig.lines.isEmpty)
  }

  @Test func `the time limit ends in a failure`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    rig.pass(.seconds(600))
    #expect(
      rig.take(2) == [
        failedEvent(Self.defaultText),
        #"{"jsonrpc":"2.0","id":1,"error":{"code":105,"message":"timed out","data":{"action":"upgrade","seconds":600}}}"#,
      ])
  }

  @Test func `the end of the session is quiet`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    try upgrading(rig).stop(.drained)
    let lines = rig.take(2)
    #expect(lines[0] == PlanLines.resting)
    #expect(lines[1].hasPrefix(#"{"jsonrpc":"2.0","id":1,"error":{"code":105,"#))
    #expect(lines[1].hasSuffix(#""data":{"action":"upgrade"}}}"#))
  }

  @Test func `a handler that cannot says why under its own code`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    handler.fail(ActionFailure(message: "Not in your country.", kind: .notAvailable))
    #expect(
      rig.take(2) == [
        failedEvent("Not in your country."),
        PlanLines.refusal(103, "Not in your country.", #"{"action":"upgrade"}"#),
      ])
  }

  @Test func `what was only presented to the person is not bought yet`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    handler.succeed(.giving(.presented, plan: PlanLines.top))
    #expect(rig.received(2).last?.text == PlanLines.reply(#"{"outcome":"pending","revision":2}"#))
    #expect(try rig.shown("state.upgrade.phase") == "\"pending\"")
    #expect(try rig.shown("state.summary.name") == "\"Plus\"")
  }

  @Test func `a handler that went away is 106`() throws {
    let handler = ScriptedHandler(adapter: "host")
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    handler.fail(ActionFailure.handlerGone)
    #expect(
      rig.take(2) == [
        failedEvent(Self.defaultText),
        #"{"jsonrpc":"2.0","id":1,"error":{"code":106,"message":"\#(Self.defaultText)","data":{"action":"upgrade"}}}"#,
      ])
  }

  @Test func `pending stays, is announced, and gives way to the next attempt`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    handler.succeed(ActionResult(outcome: .pending))
    #expect(
      rig.take(2) == [
        #"{"jsonrpc":"2.0","method":"plan.state","params":{"revision":2,"cause":"upgrade","requestId":1,"state":{"upgrade":{"title":"Upgrade to Studio","detail":"100 GB and more exports","phase":"pending","progress":null,"message":"Waiting for approval","tone":"secondary"}},"motion":[{"target":"upgrade","curve":"snappy"}],"announcement":{"text":"Waiting for approval","politeness":"polite"}}}"#,
        #"{"jsonrpc":"2.0","id":1,"result":{"outcome":"pending","revision":2}}"#,
      ])
    #expect(rig.sleeping.isEmpty)
    try rig.call("plan.upgrade", id: "2")
    #expect(rig.take(1)[0].contains(#""phase":"working","progress":null,"message":null,"tone":null"#))
  }

  @Test(arguments: [
    (
      PlanLines.plus.replacing(#""limit":1000"#, with: #""limit":"lots""#),
      "onUpgrade: plan.meters[1].limit: expected a number, got a string"
    ),
    ("[]", "onUpgrade: plan: expected an object, got an array"),
    (#"{"name":"Studio"}"#, "onUpgrade: plan.price: missing; expected an object"),
  ])
  func `a plan of a wrong shape fails the upgrade, with the detail on stderr`(plan: String, detail: String) throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    handler.succeed(with: JSONText(trusted: Array(plan.utf8)))
    #expect(rig.take(3) == ["log: " + detail, failedEvent(Self.defaultText), Self.defaultReply])
  }

  @Test func `members that only the handler knows are named on stderr and left out`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    let plan = PlanUsage.top.jsonText.description.replacing(#"{"name""#, with: #"{"seats":4,"name""#)
    handler.succeed(with: JSONText(trusted: Array(plan.utf8)))
    #expect(rig.take(3) == ["log: onUpgrade: ignored plan.seats: unknown member", PlanLines.done, PlanLines.completed])
  }

  @Test func `without a plan in the result the same offer comes back after the hold`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    handler.succeed()
    let lines = rig.take(2)
    #expect(lines[0].contains(#""state":{"upgrade":{"title":"Upgrade to Studio""#))
    #expect(lines[0].contains(#""phase":"done""#))
    rig.pass(.milliseconds(1200))
    #expect(rig.take(1)[0].contains(#""state":{"upgrade":{"title":"Upgrade to Studio""#))
  }

  @Test func `a new attempt during the hold begins at once`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try upgrading(rig)
    handler.succeed()
    _ = rig.take(2)
    rig.run(until: { rig.sleeping == [.milliseconds(1200)] })
    try rig.call("plan.upgrade", id: "2")
    #expect(rig.take(1)[0].contains(#""phase":"working""#))
    rig.run(until: { rig.sleeping == [.seconds(600)] })
    rig.clock.advance(by: .milliseconds(1200))
    handler.fail(CancellationError())
    #expect(rig.take(2)[1] == #"{"jsonrpc":"2.0","id":2,"result":{"outcome":"cancelled","revision":4}}"#)
  }
}
