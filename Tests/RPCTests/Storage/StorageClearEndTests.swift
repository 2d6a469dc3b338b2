import AccountModel
import RPCShell
import StoragePlugin
import Testing

/// How a clear ends, what is shown and said of it, and the hold after it.
@Suite(.timeLimit(.usualMinutes(1)))
struct StorageClearEndTests {
  /// A rig in which a clear runs; its first event was taken.
  private func clearing(
    _ rig: StorageRig = StorageRig(), token: String? = nil, id: String? = "1"
  ) throws -> (rig: StorageRig, call: StorageRig.Call) {
    let call = try rig.call("storage.clearCache", id: id, params: #"{"confirmed":true}"#, token: token)
    _ = rig.take(1)
    return (rig, call)
  }

  private static let failure = "The cache wasn't cleared. Try again."

  private func failed(_ text: String, id: String? = "1") -> String {
    StorageLines.clearEvent(
      2, StorageLines.clear("failed", note: text, tone: "danger"), id: id, feedback: "error", says: text)
  }

  // MARK: Success

  @Test(
    arguments: [
      (nil, nil, "Cleared 1.2 GB.", 1_200_000_000), (900_000_000, nil, "Cleared 900 MB.", 900_000_000),
      (0, nil, "Cleared 0 bytes.", 0), (5, "Swept.", "Swept.", 5), (nil, "Swept.", "Swept.", 1_200_000_000),
      (nil, " \n", "Cleared 1.2 GB.", 1_200_000_000), (nil, "One\ntwo\u{1B}[1m", "One two", 1_200_000_000),
    ] as [(Int?, String?, String, Int)])
  func `a clear says what the handler freed, else what was confirmed`(
    bytes: Int?, message: String?, note: String, cleared: Int
  ) throws {
    let (rig, _) = try clearing()
    rig.clearer.succeed(.giving(message: message, clearedBytes: bytes))
    #expect(
      rig.take(2) == [
        StorageLines.clearEvent(
          2, StorageLines.clear("done", note: note, tone: "secondary"), feedback: "success", says: note),
        StorageLines.reply(#"{"outcome":"completed","clearedBytes":\#(cleared)}"#),
      ])
  }

  @Test(arguments: [ActionResult.Outcome.presented, .pending])
  func `a clear that is not done yet rests`(outcome: ActionResult.Outcome) throws {
    let (rig, _) = try clearing()
    rig.clearer.succeed(.giving(outcome, usage: StorageUsage.cleared.jsonText))
    #expect(
      rig.take(2) == [
        StorageLines.clearEvent(2, StorageLines.clear("idle")),
        StorageLines.reply(#"{"outcome":"\#(outcome.rawValue)"}"#),
      ])
    #expect(rig.sleeping.isEmpty)
  }

  @Test func `a usage with members of its own is taken over, and they are named`() throws {
    let (rig, _) = try clearing()
    let usage = StorageUsage.cleared.jsonText.description.dropLast() + #","mine":1}"#
    rig.clearer.succeed(.giving(usage: JSONText(trusted: Array(usage.utf8))))
    let lines = rig.received(3)
    #expect(lines[0].text.hasPrefix("log: onClearCache: ignored usage.mine"))
    #expect(lines[1].at("params.state.usage.cache") == "0")
    #expect(lines[1].at("params.state.clear.phase") == #""done""#)
  }

  @Test(arguments: [#"{"downloads":[],"cache":-1,"photos":0,"other":0}"#, "[]", "{}"])
  func `a usage of a wrong shape fails the clear with its own text`(usage: String) throws {
    let (rig, _) = try clearing()
    rig.clearer.succeed(.giving(usage: JSONText(trusted: Array(usage.utf8))))
    let lines = rig.take(3)
    #expect(lines[0].hasPrefix("log: onClearCache: usage"))
    #expect(
      lines.dropFirst() == [
        failed(Self.failure),
        StorageLines.refusal(100, Self.failure, #"{"action":"clearCache","handler":"exec"}"#),
      ])
  }

  // MARK: Failure

  @Test(arguments: [
    ("Disk is locked.", "Disk is locked."), (nil, failure), ("", failure), ("  ", failure),
    ("One\ntwo\u{7}", "One two"),
  ])
  func `a failure is shown with its own text, else with the default`(message: String?, text: String) throws {
    let (rig, _) = try clearing()
    rig.clearer.fail(ActionFailure(message: message, data: [.init("exitStatus", JSONText(integer: 1))]))
    #expect(
      rig.take(2) == [
        failed(text),
        StorageLines.refusal(100, text, #"{"action":"clearCache","handler":"exec","exitStatus":1}"#),
      ])
    #expect(rig.sleeping.isEmpty)
    #expect(try rig.shown("state.usage.cache") == "1200000000")
  }

  @Test func `an error of another kind never shows its type`() throws {
    struct Odd: Error {}
    let (rig, _) = try clearing()
    rig.clearer.fail(Odd())
    #expect(rig.take(2)[0] == failed(Self.failure))
  }

  @Test func `a handler that went away has failed with the default text`() throws {
    let (rig, _) = try clearing()
    rig.clearer.fail(ActionFailure.handlerGone)
    #expect(
      rig.take(2) == [failed(Self.failure), StorageLines.refusal(106, Self.failure, #"{"action":"clearCache"}"#)])
  }

  @Test func `a failure stays until the next attempt, or until it is waved away`() throws {
    let (rig, _) = try clearing()
    rig.clearer.fail(ActionFailure(message: "No"))
    _ = rig.take(2)
    try rig.set(.sample { $0.photos = 5 })
    #expect(try rig.shown("state.clear.note") == #""No""#)
    _ = rig.received()
    try rig.call("storage.dismiss", params: #"{"action":"remove"}"#)
    #expect(rig.take(1) == [StorageLines.reply(#"{"revision":3}"#)])
    try rig.call("storage.dismiss", params: #"{"action":"clearCache"}"#)
    #expect(
      rig.take(2) == [
        StorageLines.clearEvent(4, StorageLines.clear("idle"), cause: "dismiss"),
        StorageLines.reply(#"{"revision":4}"#),
      ])
    try rig.call("storage.dismiss", params: #"{"action":"clearCache"}"#)
    #expect(rig.take(1) == [StorageLines.reply(#"{"revision":4}"#)])
  }

  @Test func `another attempt begins without the message`() throws {
    let (rig, _) = try clearing()
    rig.clearer.fail(ActionFailure(message: "No"))
    _ = rig.take(2)
    try rig.call("storage.clearCache", params: #"{"confirmed":true}"#)
    #expect(rig.take(1) == [StorageLines.clearEvent(3, StorageLines.clear("working"))])
  }

  // MARK: Backing out

  @Test(arguments: [true, false])
  func `backing out is quiet`(throwing: Bool) throws {
    let (rig, _) = try clearing()
    if throwing { rig.clearer.fail(CancellationError()) } else { rig.clearer.succeed(.giving(.cancelled)) }
    #expect(
      rig.take(2) == [
        StorageLines.clearEvent(2, StorageLines.clear("idle")), StorageLines.reply(#"{"outcome":"cancelled"}"#),
      ])
  }

  @Test func `a cancelled request is quiet and answered as cancelled`() throws {
    let (rig, call) = try clearing()
    call.stop(.cancelled)
    #expect(
      rig.take(2) == [
        StorageLines.clearEvent(2, StorageLines.clear("idle")),
        StorageLines.refusal(-32800, "Request cancelled", #"{"action":"clearCache"}"#),
      ])
  }

  @Test func `a success after the cancel is kept`() throws {
    let (rig, call) = try clearing(StorageRig(heedsCancel: false))
    call.stop(.cancelled)
    rig.run(until: { rig.sleeping.contains(.seconds(2)) })
    rig.clearer.succeed(.giving(usage: StorageUsage.cleared.jsonText))
    let lines = rig.received(2)
    #expect(lines[0].at("params.state.clear.phase") == #""done""#)
    #expect(lines[1].at("result.outcome") == #""completed""#)
  }

  @Test func `a handler that does not end is given up, and what it says then is dropped`() throws {
    let (rig, call) = try clearing(StorageRig(heedsCancel: false))
    call.stop(.cancelled)
    rig.pass(.seconds(2))
    #expect(rig.take(2)[1] == StorageLines.refusal(-32800, "Request cancelled", #"{"action":"clearCache"}"#))
    rig.clearer.succeed(.giving(usage: StorageUsage.cleared.jsonText))
    rig.run()
    #expect(rig.lines.isEmpty)
    #expect(try rig.shown("state.usage.cache") == "1200000000")
  }

  @Test func `a clear that takes too long has failed`() throws {
    let (rig, _) = try clearing()
    rig.pass(.seconds(60))
    #expect(
      rig.take(2) == [
        failed(Self.failure), StorageLines.refusal(105, "timed out", #"{"action":"clearCache","seconds":60}"#),
      ])
  }

  @Test func `a clear that the end of the session cuts off is quiet`() throws {
    let (rig, call) = try clearing()
    rig.with { $0.settle() }
    call.stop(.drained)
    #expect(
      rig.take(2) == [
        StorageLines.clearEvent(2, StorageLines.clear("idle")),
        StorageLines.refusal(105, "the session ended before this was finished", #"{"action":"clearCache"}"#),
      ])
    #expect(rig.with { $0.isSettled })
  }

  // MARK: Progress

  @Test func `reports are shown on the button and sent on`() throws {
    let rig = StorageRig()
    rig.clearer.willReport([
      ActionProgress(fraction: 0.4, message: "Half"), ActionProgress(fraction: nil), ActionProgress(fraction: 7),
    ])
    try rig.call("storage.clearCache", params: #"{"confirmed":true}"#, token: "7")
    let lines = rig.take(8)
    #expect(lines[0] == StorageLines.clearEvent(1, StorageLines.clear("working")))
    #expect(
      lines[1] == PlanLines.progress("7", #"{"kind":"begin","title":"Clear cache","cancellable":true,"percentage":0}"#))
    #expect(
      lines[2]
        == StorageLines.clearEvent(
          2, StorageLines.clear("working", progress: "0.4", note: "Half", tone: "secondary"), isMoving: false))
    #expect(lines[3] == PlanLines.progress("7", #"{"kind":"report","message":"Half","percentage":40}"#))
    #expect(
      lines[4]
        == StorageLines.clearEvent(
          3, StorageLines.clear("working", note: "Half", tone: "secondary"), isMoving: false))
    #expect(lines[5] == PlanLines.progress("7", #"{"kind":"report"}"#))
    #expect(Received(text: lines[6]).at("params.state.clear.progress") == "1")
    #expect(lines[7] == PlanLines.progress("7", #"{"kind":"report","percentage":100}"#))
    rig.clearer.succeed()
    let end = rig.take(3)
    #expect(end[1] == PlanLines.progress("7", #"{"kind":"end"}"#))
    #expect(end[2].contains(#""outcome":"completed""#))
  }

  // MARK: Measuring again

  @Test func `what was measured is measured again, and shown in the same event`() throws {
    let backend = ScriptedBackend()
    let (rig, _) = try clearing(try .measured(backend))
    rig.clearer.succeed()
    rig.run(until: { backend.waitingMeasures == 1 })
    #expect(rig.lines.isEmpty)
    try rig.call("storage.clearCache", id: "2", params: #"{"confirmed":true}"#)
    #expect(rig.received(1)[0].errorCode == 101)
    backend.deliver(.cleared)
    let lines = rig.received(2)
    #expect(lines[0].at("params.state.usage.cache") == "0")
    #expect(lines[0].at("params.state.clear.note") == #""Cleared 1.2 GB.""#)
    #expect(lines[0].at("params.state.summary.stale") == "false")
    #expect(backend.measureCount == 2)
  }

  @Test func `a failure is measured, too: some of it may be gone`() throws {
    let backend = ScriptedBackend()
    let (rig, _) = try clearing(try .measured(backend))
    rig.clearer.fail(ActionFailure(message: "Cleared 900 MB. 300 MB couldn't be removed."))
    rig.run(until: { backend.waitingMeasures == 1 })
    backend.deliver(.sample { $0.cache = 300_000_000 })
    let lines = rig.received(2)
    #expect(lines[0].at("params.state.usage.cache") == "300000000")
    #expect(lines[0].at("params.state.clear.note") == #""Cleared 900 MB. 300 MB couldn't be removed.""#)
    #expect(lines[1].errorCode == 100)
  }

  @Test func `figures that cannot be measured again are stale`() throws {
    let backend = ScriptedBackend()
    let (rig, _) = try clearing(try .measured(backend))
    rig.clearer.succeed()
    rig.run(until: { backend.waitingMeasures == 1 })
    backend.failMeasure("no such directory")
    let lines = rig.received(3)
    #expect(lines[0].text == "log: storage: no such directory")
    #expect(lines[1].at("params.state.summary.stale") == "true")
    #expect(lines[1].at("params.state.clear.phase") == #""done""#)
  }

  @Test func `what the host hands over while that is measured stays`() throws {
    let backend = ScriptedBackend()
    let (rig, _) = try clearing(try .measured(backend))
    rig.clearer.succeed()
    rig.run(until: { backend.waitingMeasures == 1 })
    try rig.set(.sample { $0.cache = 5 }, id: "2")
    _ = rig.take(2)
    backend.deliver(.cleared)
    let lines = rig.received(2)
    #expect(lines[0].at("params.state.usage") == nil)
    #expect(lines[0].at("params.state.clear.phase") == #""done""#)
    #expect(try rig.shown("state.usage.cache") == "5")
  }

  @Test func `what the host handed over is the host's to bring up to date`() throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend)
    try rig.set(.sample { $0.cache = 5 })
    _ = rig.received()
    _ = try clearing(rig)
    rig.clearer.succeed()
    #expect(rig.received(2)[1].at("result.clearedBytes") == "5")
    #expect(backend.measureCount == 1)
  }
}
