import AccountModel
import RPCShell
import StoragePlugin
import Testing

/// Removing downloads: several at once, each on its own.
@Suite(.timeLimit(.usualMinutes(1)))
struct StorageRemoveTests {
  @discardableResult
  private func remove(
    _ rig: StorageRig, _ download: String, id: String? = "1", token: String? = nil
  ) throws -> StorageRig.Call {
    try rig.call("storage.remove", id: id, params: #"{"id":"\#(download)"}"#, token: token)
  }

  private static let failure = "The download wasn't removed. Try again."

  // MARK: Guards

  @Test func `without a handler nothing is removed`() throws {
    let rig = StorageRig(unbound: [.onRemove])
    try remove(rig, "d1")
    #expect(rig.take(1) == [StorageLines.refusal(103, "No handler is bound to onRemove", #"{"action":"remove"}"#)])
  }

  @Test func `an unknown download is not found`() throws {
    let rig = StorageRig()
    try remove(rig, "d9")
    #expect(
      rig.take(1) == [StorageLines.refusal(104, "There is no download 'd9'", #"{"action":"remove","id":"d9"}"#)])
    #expect(rig.remover.calls.isEmpty)
  }

  @Test func `nothing is removed before anything is known`() throws {
    let rig = StorageRig(usage: nil)
    try remove(rig, "d1")
    #expect(rig.take(1) == [StorageLines.refusal(102, "What takes room is not known yet", #"{"action":"remove"}"#)])
  }

  @Test func `what is not known yet is measured first`() throws {
    let backend = ScriptedBackend()
    let rig = StorageRig(usage: nil, backend: backend)
    try remove(rig, "d1")
    try remove(rig, "d9", id: "2")
    #expect(backend.measureCount == 1)
    backend.deliver(.sample)
    let lines = rig.received(2)
    #expect(lines.contains { $0.errorCode == 104 && $0.id == "2" })
    rig.run(until: { rig.remover.calls.count == 1 })
  }

  @Test(arguments: ["{}", #"{"id":""}"#, #"{"id":7}"#, #"{"id":"d1","dry":true}"#])
  func `wrong parameters are refused`(params: String) throws {
    let rig = StorageRig()
    try rig.call("storage.remove", params: params)
    #expect(rig.received(1)[0].errorCode == -32602)
  }

  // MARK: One

  @Test func `the handler gets the whole download, the row waits, and leaves with the usage`() throws {
    let rig = StorageRig()
    try remove(rig, "d1")
    let begin = rig.received(1)[0]
    #expect(begin.sections == ["downloads"])
    #expect(begin.at("params.cause") == #""remove""# && begin.at("params.requestId") == "1")
    #expect(begin.at("params.state.downloads.rows.0.removing") == "true")
    #expect(begin.at("params.state.downloads.rows.1.removing") == "false")
    #expect(begin.at("params.motion") == nil)
    let call = try #require(rig.remover.calls.first)
    #expect(call.action == .onRemove)
    #expect(
      call.details.map(\.value.description) == [
        #"{"id":"d1","title":"Episode 12","detail":"Audio · 52 min","symbol":"waveform","bytes":52400000}"#
      ])
    #expect(call.details.map(\.name) == ["download"])
    rig.remover.succeed()
    let end = rig.received(2)
    #expect(end[0].at("params.state.downloads.rows.0.removing") == "false")
    #expect(end[0].at("params.state.downloads.count") == "3")
    #expect(end[0].at("params.announcement") == #"{"text":"Removed Episode 12","politeness":"polite"}"#)
    #expect(end[0].at("params.feedback") == nil)
    #expect(end[1].text == StorageLines.reply(#"{"outcome":"completed"}"#))
    try rig.set(.without("d1"))
    let left = rig.received(2)[0]
    #expect(left.at("params.state.downloads.count") == "2")
    #expect(left.sections == ["usage", "summary", "bar", "legend", "downloads"])
  }

  @Test func `a usage that comes back is shown in the event of the end`() throws {
    let rig = StorageRig()
    try remove(rig, "d1")
    rig.remover.succeed(.giving(usage: StorageUsage.without("d1").jsonText))
    let event = rig.received(3)[1]
    #expect(event.at("params.state.downloads.count") == "2")
    #expect(event.at("params.announcement.text") == #""Removed Episode 12""#)
  }

  @Test func `editing closes itself when the last download goes`() throws {
    let rig = StorageRig(usage: .without("d2", "d3"))
    try rig.call("storage.setEditing", params: #"{"editing":true}"#)
    try remove(rig, "d1")
    rig.remover.succeed(.giving(usage: StorageUsage.without("d1", "d2", "d3").jsonText))
    let event = rig.received(5)[3]
    #expect(event.at("params.state.downloads.editing") == "false")
    #expect(event.at("params.state.downloads.editLabel") == "null")
    #expect(event.at("params.state.downloads.rowActions") == "[]")
    #expect(event.at("params.state.downloads.rows") == "[]")
  }

  @Test func `reports are shown in the row and sent on`() throws {
    let rig = StorageRig()
    rig.remover.willReport([ActionProgress(fraction: 0.25, message: "Deleting")])
    try remove(rig, "d2", token: #""t""#)
    let lines = rig.received(4)
    #expect(lines[1].at("params.value.title") == #""Remove download""#)
    #expect(lines[2].at("params.state.downloads.rows.1.progress") == "0.25")
    #expect(lines[3].at("params.value") == #"{"kind":"report","message":"Deleting","percentage":25}"#)
    rig.remover.succeed()
    let end = rig.received(3)
    #expect(end[0].at("params.state.downloads.rows.1.progress") == "null")
    #expect(end[1].at("params.value.kind") == #""end""#)
  }

  // MARK: Several

  @Test func `several go at once, each with its own end`() throws {
    let rig = StorageRig()
    try remove(rig, "d1")
    try remove(rig, "d2", id: "2")
    #expect(rig.remover.calls.count == 2)
    let both = rig.received(2)[1]
    #expect(both.at("params.state.downloads.rows.0.removing") == "true")
    #expect(both.at("params.state.downloads.rows.1.removing") == "true")
    rig.remover.succeed()
    let second = rig.received(2)
    #expect(second[0].at("params.requestId") == "2" && second[1].id == "2")
    #expect(second[0].at("params.state.downloads.rows.0.removing") == "true")
    rig.remover.fail(ActionFailure(message: "In use"))
    #expect(rig.received(2)[1].errorMessage == "In use")
  }

  @Test func `a clear and a removal are independent`() throws {
    let rig = StorageRig()
    try remove(rig, "d1")
    try rig.call("storage.clearCache", id: "2", params: #"{"confirmed":true}"#)
    #expect(rig.clearer.calls.count == 1 && rig.remover.calls.count == 1)
  }

  @Test(arguments: [true, false])
  func `a call for the same download joins, and gets the same answer`(succeeds: Bool) throws {
    let rig = StorageRig()
    try remove(rig, "d1")
    try remove(rig, "d1", id: "2")
    try remove(rig, "d1", id: "3")
    #expect(rig.take(1).count == 1)
    if succeeds { rig.remover.succeed() } else { rig.remover.fail(ActionFailure(message: "No")) }
    let replies = rig.received(4).dropFirst()
    #expect(replies.compactMap(\.id).sorted() == ["1", "2", "3"])
    #expect(replies.allSatisfy { succeeds ? $0.at("result.outcome") == #""completed""# : $0.errorCode == 100 })
    #expect(rig.remover.calls.count == 1)
  }

  @Test func `a call that joins as the removal ends gets its answer, too`() throws {
    let rig = StorageRig()
    try remove(rig, "d1")
    rig.remover.fail(ActionFailure(message: "No"))
    try rig.begin("storage.remove", id: "2", params: #"{"id":"d1"}"#)
    let lines = rig.received(4)
    #expect(lines.filter { $0.errorMessage == "No" }.compactMap(\.id).sorted() == ["1", "2"])
    #expect(rig.remover.calls.count == 1)
  }

  @Test func `a call that joined and is cancelled leaves the removal alone`() throws {
    let rig = StorageRig()
    try remove(rig, "d1")
    let call = try remove(rig, "d1", id: "2")
    _ = rig.take(1)
    call.stop(.cancelled)
    #expect(rig.take(1) == [StorageLines.refusal(-32800, "Request cancelled", #"{"action":"remove"}"#, id: "2")])
    rig.remover.succeed()
    #expect(rig.received(2)[1].at("result.outcome") == #""completed""#)
  }

  @Test func `a call joins even when the row has left already`() throws {
    let rig = StorageRig()
    try remove(rig, "d1")
    try rig.set(.without("d1"), id: "\"s\"")
    try remove(rig, "d1", id: "2")
    _ = rig.take(3)
    rig.remover.succeed()
    let lines = rig.received(3)
    #expect(lines[0].at("params.announcement.text") == #""Removed Episode 12""#)
    #expect(lines.dropFirst().compactMap(\.id).sorted() == ["1", "2"])
  }

  @Test func `what is being cancelled cannot be joined`() throws {
    let rig = StorageRig(heedsCancel: false)
    let call = try remove(rig, "d1")
    _ = rig.take(1)
    call.stop(.cancelled)
    try remove(rig, "d1", id: "2")
    #expect(
      rig.take(1) == [
        StorageLines.refusal(
          101, "The download is being removed already", #"{"action":"remove","running":"remove"}"#, id: "2")
      ])
    rig.pass(.seconds(2))
    let lines = rig.received(2)
    #expect(lines[0].at("params.state.downloads.rows.0.removing") == "false")
    #expect(lines[1].errorCode == -32800)
    try remove(rig, "d1", id: "3")
    #expect(rig.remover.calls.count == 2)
  }

  // MARK: Other ends

  @Test func `backing out and cancelling are quiet`() throws {
    let rig = StorageRig()
    try remove(rig, "d1")
    rig.remover.succeed(.giving(.cancelled))
    let backedOut = rig.received(3)
    #expect(backedOut[1].at("params.announcement") == nil)
    #expect(backedOut[2].text == StorageLines.reply(#"{"outcome":"cancelled"}"#))
    try remove(rig, "d1", id: "2").stop(.cancelled)
    let cancelled = rig.received(3)
    #expect(cancelled[1].at("params.announcement") == nil)
    #expect(cancelled[1].at("params.state.downloads.message") == "null")
    #expect(cancelled[2].errorCode == -32800)
  }

  @Test func `a removal that takes too long has failed`() throws {
    let rig = StorageRig()
    try remove(rig, "d1")
    rig.pass(.seconds(60))
    let lines = rig.received(3)
    #expect(lines[1].at("params.state.downloads.message") == "\"\(Self.failure)\"")
    #expect(lines[2].text == StorageLines.refusal(105, "timed out", #"{"action":"remove","seconds":60}"#))
  }

  // MARK: Failure

  @Test func `failures are kept by download, and the latest is shown`() throws {
    let rig = StorageRig()
    for (download, text) in [("d1", "One"), ("d2", "Two"), ("d1", "Three")] {
      try remove(rig, download)
      rig.remover.fail(ActionFailure(message: text))
      _ = rig.take(3)
    }
    #expect(try rig.shown("state.downloads.message") == #""Three""#)
    #expect(try rig.shown("state.downloads.tone") == #""danger""#)
    #expect(try rig.shown("state.downloads.errors") == #"{"d2":"Two","d1":"Three"}"#)
    try rig.call("storage.dismiss", params: #"{"action":"remove","id":"d1"}"#)
    let event = rig.received(2)[0]
    #expect(event.at("params.cause") == #""dismiss""#)
    #expect(event.at("params.state.downloads.message") == #""Two""#)
    try rig.call("storage.dismiss", params: #"{"action":"remove","id":"d9"}"#)
    #expect(rig.lines.count == 1)
    _ = rig.take(1)
    try rig.call("storage.dismiss", params: #"{"action":"remove"}"#)
    #expect(rig.received(2)[0].at("params.state.downloads.errors") == "{}")
    #expect(try rig.shown("state.downloads.tone") == "null")
  }

  @Test(arguments: [("In use.", "In use."), (nil, failure), ("\n", failure)])
  func `a failure is told with its own text, else with the default`(message: String?, text: String) throws {
    let rig = StorageRig()
    try remove(rig, "d1")
    rig.remover.fail(ActionFailure(message: message))
    let lines = rig.received(3)
    #expect(lines[1].at("params.state.downloads.message") == "\"\(text)\"")
    #expect(lines[1].at("params.announcement") == #"{"text":"\#(text)","politeness":"assertive"}"#)
    #expect(lines[1].at("params.feedback") == nil)
    #expect(lines[2].text == StorageLines.refusal(100, text, #"{"action":"remove","handler":"exec"}"#))
  }

  @Test func `another attempt begins without its message, and a row that leaves takes it along`() throws {
    let rig = StorageRig()
    try remove(rig, "d1")
    rig.remover.fail(ActionFailure(message: "One"))
    _ = rig.take(3)
    try remove(rig, "d2")
    rig.remover.fail(ActionFailure(message: "Two"))
    _ = rig.take(3)
    try remove(rig, "d1")
    #expect(rig.received(1).last?.at("params.state.downloads.errors") == #"{"d2":"Two"}"#)
    try rig.set(.without("d2"))
    #expect(rig.received(2)[0].at("params.state.downloads.errors") == "{}")
  }
}
