import AccountModel
import RPCShell
import StoragePlugin
import Testing

/// Measuring: one at a time, for all who wait for it.
@Suite(.timeLimit(.usualMinutes(1)))
struct StorageMeasureTests {
  private static let refreshing = #""refreshing":true"#
  private static let cancelled = #"{"action":"measure"}"#

  // MARK: The first figures

  @Test func `the first call measures, and sees revision 0 without an event`() throws {
    let backend = ScriptedBackend()
    let rig = StorageRig(usage: nil, backend: backend)
    try rig.call("storage.get")
    try rig.call("storage.get", id: "2")
    #expect(rig.lines.isEmpty)
    #expect(backend.measureCount == 1)
    rig.setTime(StorageRig.today + 1)
    backend.deliver(.sample)
    let lines = rig.received(2)
    #expect(lines.compactMap(\.id).sorted() == ["1", "2"])
    for line in lines {
      #expect(line.at("result.revision") == "0")
      #expect(line.at("result.state.usage.total") == "4800000000")
      #expect(line.at("result.state.usage.asOf") == #""2026-10-19T00:00:01Z""#)
      #expect(line.at("result.state.refreshing") == "false")
    }
  }

  @Test func `a measure that fails answers 100, stays loading, and is tried again`() throws {
    let backend = ScriptedBackend()
    let rig = StorageRig(usage: nil, backend: backend)
    try rig.call("storage.get")
    backend.failMeasure("storage.roots.cache[0]: no such directory")
    #expect(
      rig.take(1) == [
        StorageLines.refusal(
          100, "storage.roots.cache[0]: no such directory", #"{"action":"measure","handler":"local"}"#)
      ])
    try rig.call("storage.get", id: "2")
    #expect(backend.measureCount == 2)
    backend.deliver(.sample)
    #expect(rig.received(1)[0].at("result.state.loading") == "false")
  }

  @Test func `figures that were handed over need no measure`() throws {
    let backend = ScriptedBackend()
    let rig = StorageRig(usage: nil, backend: backend)
    try rig.set(.sample)
    try rig.call("storage.get", id: "2")
    #expect(rig.received(3)[2].at("result.state.usage.total") == "4800000000")
    #expect(backend.measureCount == 0)
  }

  @Test func `the rest of the block answers while the first figures are measured`() throws {
    let backend = ScriptedBackend()
    let rig = StorageRig(usage: nil, backend: backend)
    try rig.call("storage.get")
    try rig.call("storage.setOptions", id: "2", params: #"{"cellular":true}"#)
    let lines = rig.received(2)
    #expect(lines[0].at("params.revision") == "1" && lines[0].sections == ["options"])
    backend.deliver(.sample)
    let end = rig.received(2)
    #expect(end[0].at("params.cause") == #""measure""#)
    #expect(end[0].at("params.state.loading") == "false")
    #expect(end[1].at("result.revision") == "2")
  }

  // MARK: Measuring again

  @Test func `a measure shows that it runs, and what it found`() throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend)
    try rig.call("storage.measure")
    #expect(rig.take(1) == [StorageLines.event(1, "measure", [Self.refreshing])])
    rig.setTime(StorageRig.today + 60)
    backend.deliver(.cleared)
    let lines = rig.received(2)
    #expect(lines[0].at("params.requestId") == "1")
    #expect(lines[0].sections == ["usage", "refreshing", "summary", "bar", "legend", "clear"])
    #expect(lines[0].at("params.state.usage.asOf") == #""2026-10-19T00:01:00Z""#)
    #expect(lines[1].text == StorageLines.reply(#"{"revision":2}"#))
  }

  @Test func `callers share a measure`() throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend)
    try rig.call("storage.measure")
    try rig.call("storage.measure", id: "2")
    #expect(backend.measureCount == 2 && rig.lines.count == 1)
    backend.deliver(.sample)
    #expect(rig.received(4).dropFirst(2).compactMap(\.id).sorted() == ["1", "2"])
  }

  @Test func `without a backend there is nothing to measure with`() throws {
    let rig = StorageRig()
    try rig.call("storage.measure")
    #expect(
      rig.take(1) == [
        StorageLines.refusal(
          103, "Nothing can be measured here: storage.set hands figures over", Self.cancelled)
      ])
  }

  @Test func `a measure that fails leaves what was shown, as stale`() throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend)
    try rig.call("storage.measure")
    backend.failMeasure("gone")
    let lines = rig.received(3)
    #expect(lines[1].sections == ["refreshing", "summary"])
    #expect(lines[1].at("params.state.summary.stale") == "true")
    #expect(lines[2].errorCode == 100)
    try rig.call("storage.measure")
    backend.deliver(.sample)
    #expect(rig.received(3)[1].at("params.state.summary.stale") == "false")
  }

  @Test func `a caller that is cancelled leaves the measure to the others`() throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend)
    let first = try rig.call("storage.measure")
    try rig.call("storage.measure", id: "2")
    _ = rig.take(1)
    first.stop(.cancelled)
    #expect(rig.take(1) == [StorageLines.refusal(-32800, "Request cancelled", Self.cancelled)])
    #expect(backend.waitingMeasures == 1)
    backend.deliver(.cleared)
    let lines = rig.received(2)
    #expect(lines[0].at("params.requestId") == nil)
    #expect(lines[1].text == StorageLines.reply(#"{"revision":2}"#, id: "2"))
  }

  @Test func `when the last one leaves, the measure ends`() throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend)
    let call = try rig.call("storage.measure")
    _ = rig.take(1)
    call.stop(.cancelled)
    let lines = rig.take(2)
    #expect(lines.contains(StorageLines.event(2, "measure", [#""refreshing":false"#], id: nil)))
    #expect(lines.contains(StorageLines.refusal(-32800, "Request cancelled", Self.cancelled)))
    #expect(backend.waitingMeasures == 0)
    #expect(try rig.shown("state.summary.stale") == "false")
  }

  @Test func `who comes after everybody left gets figures nonetheless`() throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend)
    let call = try rig.call("storage.measure")
    // The next call comes before the one that was cancelled has left.
    call.stop(.cancelled)
    try rig.begin("storage.measure", id: "2")
    rig.run(until: { backend.waitingMeasures == 1 })
    rig.run()
    backend.deliver(.cleared)
    rig.run(until: { rig.lines.contains { $0.contains(#""id":2"#) } })
    let reply = rig.received().first { $0.id == "2" }
    #expect(reply?.errorCode == nil)
    #expect(try rig.shown("state.usage.cache") == "0")
  }

  @Test func `the end of the session cuts a measure off`() throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend)
    let call = try rig.call("storage.measure")
    _ = rig.take(1)
    rig.with { $0.settle() }
    call.stop(.drained)
    #expect(rig.received(2).contains { $0.errorCode == 105 })
  }

  @Test func `a measure is told step by step`() throws {
    let backend = ScriptedBackend()
    let rig = StorageRig(usage: nil, backend: backend)
    try rig.call("storage.measure", token: "5")
    #expect(
      rig.take(1) == [
        PlanLines.progress("5", #"{"kind":"begin","title":"Measure storage","cancellable":true,"percentage":0}"#)
      ])
    backend.report(ActionProgress(fraction: nil, message: "1,000 files"))
    #expect(rig.take(1) == [PlanLines.progress("5", #"{"kind":"report","message":"1,000 files"}"#)])
    backend.deliver(.sample)
    #expect(
      rig.take(2) == [PlanLines.progress("5", #"{"kind":"end"}"#), StorageLines.reply(#"{"revision":0}"#)])
  }

  // MARK: What changes meanwhile

  @Test func `figures that were overtaken are measured again`() throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend)
    try rig.call("storage.measure")
    try rig.set(.sample { $0.cache = 7 }, id: "2")
    #expect(rig.received(3)[1].sections == ["usage", "summary", "bar", "legend"])
    #expect(try rig.shown("state.refreshing") == "true")
    backend.deliver(.cleared)
    rig.run(until: { backend.waitingMeasures == 1 })
    #expect(rig.lines.isEmpty)
    #expect(backend.measureCount == 3)
    #expect(try rig.shown("state.usage.cache") == "7")
    backend.deliver(.sample { $0.cache = 8 })
    let lines = rig.received(2)
    #expect(lines[0].at("params.state.usage.cache") == "8")
    #expect(lines[0].at("params.state.refreshing") == "false")
  }

  @Test func `figures that are handed over end the loading of the first measure`() throws {
    let backend = ScriptedBackend()
    let rig = StorageRig(usage: nil, backend: backend)
    try rig.call("storage.get")
    try rig.set(.sample, id: "2")
    let lines = rig.received(2)
    #expect(lines[0].at("params.revision") == "1")
    #expect(lines[0].at("params.state.loading") == "false")
    backend.deliver(.cleared)
    rig.run(until: { backend.waitingMeasures == 1 })
    backend.deliver(.cleared)
    let end = rig.received(2)
    #expect(end[0].at("params.state.usage.cache") == "0")
    #expect(end[1].at("result.state.usage.cache") == "0")
  }

  @Test func `a removal during a measure makes it stale`() throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend)
    try rig.call("storage.measure")
    try rig.call("storage.remove", id: "2", params: #"{"id":"d1"}"#)
    rig.remover.succeed()
    rig.run(until: { backend.waitingUpdates == 1 })
    var changes = StorageChanges(totals: .sample)
    changes.removed = ["d1"]
    backend.deliver(.parts(changes))
    _ = rig.take(4)
    backend.deliver(.sample)
    rig.run(until: { backend.waitingMeasures == 1 })
    #expect(try rig.shown("state.downloads.count") == "2")
    backend.deliver(.without("d1"))
    _ = rig.take(2)
    #expect(try rig.shown("state.downloads.count") == "2")
  }
}
