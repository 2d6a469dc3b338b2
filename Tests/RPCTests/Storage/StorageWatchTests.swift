import AccountModel
import RPCShell
import StoragePlugin
import Testing

/// Following what others change on disk.
@Suite(.timeLimit(.usualMinutes(1)))
struct StorageWatchTests {
  /// A measured rig that waits for changes.
  private func watching(_ backend: ScriptedBackend) throws -> StorageRig {
    let rig = try StorageRig.measured(backend)
    rig.run(until: { backend.waitingWatches == 1 })
    return rig
  }

  private func notice(_ rig: StorageRig, _ backend: ScriptedBackend) {
    backend.notice()
    rig.run(until: { backend.waitingUpdates == 1 })
  }

  private static func changes(_ change: (inout StorageChanges) -> Void) -> StorageUpdate {
    var changes = StorageChanges(totals: .sample)
    change(&changes)
    return .parts(changes)
  }

  @Test func `a change is shown without anybody asking`() throws {
    let backend = ScriptedBackend(isWatching: true)
    let rig = try watching(backend)
    notice(rig, backend)
    #expect(backend.updatedIDs == [nil])
    rig.setTime(StorageRig.today + 60)
    backend.deliver(Self.changes { $0.cache = 0 })
    let event = rig.received(1)[0]
    #expect(event.at("params.cause") == #""watch""#)
    #expect(event.at("params.requestId") == nil)
    #expect(event.at("params.state.usage.cache") == "0")
    #expect(event.at("params.state.usage.asOf") == #""2026-10-19T00:01:00Z""#)
    #expect(event.at("params.announcement") == nil)
  }

  @Test func `there are at most four looks a second`() throws {
    let backend = ScriptedBackend(isWatching: true)
    let rig = try watching(backend)
    notice(rig, backend)
    backend.deliver(Self.changes { $0.cache = 1 })
    _ = rig.take(1)
    rig.run(until: { rig.clock.sleeping.contains(.milliseconds(250)) })
    #expect(backend.waitingWatches == 0)
    rig.clock.advance(by: .milliseconds(249))
    rig.run()
    #expect(backend.waitingWatches == 0)
    rig.clock.advance(by: .milliseconds(1))
    rig.run(until: { backend.waitingWatches == 1 })
    #expect(backend.watchCount == 2)
  }

  @Test func `looking takes a fifth of the time at most`() throws {
    let backend = ScriptedBackend(isWatching: true)
    let rig = try watching(backend)
    notice(rig, backend)
    rig.clock.advance(by: .seconds(2))
    backend.deliver(Self.changes { $0.cache = 1 })
    _ = rig.take(1)
    rig.run(until: { rig.clock.sleeping.contains(.seconds(8)) })
  }

  @Test(arguments: [0, 1, 2])
  func `nothing is said where nothing changed`(kind: Int) throws {
    let backend = ScriptedBackend(isWatching: true)
    let rig = try watching(backend)
    notice(rig, backend)
    rig.setTime(StorageRig.today + 60)
    switch kind {
    case 0: backend.deliver(Self.changes { _ in })
    case 1:
      backend.deliver(
        Self.changes { changes in
          changes.downloads = StorageUsage.sample.downloads
          changes.removed = ["nobody"]
          changes.cache = 1_200_000_000
        })
    default: backend.deliver(.whole(StorageMeasure(usage: .sample, totals: .sample)))
    }
    rig.run(until: { rig.clock.sleeping.contains(.milliseconds(250)) })
    #expect(rig.lines.isEmpty)
    #expect(try rig.shown("state.usage.asOf") == #""2026-10-19T00:00:00Z""#)
  }

  @Test func `parts that changed against each other are shown, though the total is the same`() throws {
    let backend = ScriptedBackend(isWatching: true)
    let rig = try watching(backend)
    notice(rig, backend)
    backend.deliver(
      Self.changes { changes in
        changes.cache = 1_100_000_000
        changes.photos = 1_200_000_000
      })
    let event = rig.received(1)[0]
    #expect(event.sections == ["usage", "bar", "legend"])
  }

  @Test func `a new download comes last`() throws {
    let backend = ScriptedBackend(isWatching: true)
    let rig = try watching(backend)
    notice(rig, backend)
    backend.deliver(
      Self.changes { changes in
        changes.removed = ["d1"]
        changes.downloads = [Download(id: "d4", title: "New", bytes: 1)]
      })
    #expect(rig.received(1)[0].at("params.state.downloads.rows.2.id") == #""d4""#)
  }

  @Test func `a download that came back is there once`() throws {
    let backend = ScriptedBackend(isWatching: true)
    let rig = try watching(backend)
    notice(rig, backend)
    backend.deliver(Self.changes { $0.removed = ["d1"] })
    rig.pass(.milliseconds(250), isQuiet: true)
    rig.run(until: { backend.waitingWatches == 1 })
    notice(rig, backend)
    backend.deliver(Self.changes { $0.downloads = [StorageUsage.sample.downloads[0]] })
    let event = rig.received(2)[1]
    #expect(event.at("params.state.downloads.count") == "3")
    #expect(event.at("params.state.downloads.rows.2.id") == #""d1""#)
    // The same downloads, found again, are nothing new.
    rig.pass(.milliseconds(250), isQuiet: true)
    rig.run(until: { backend.waitingWatches == 1 })
    notice(rig, backend)
    let downloads = StorageUsage.sample.downloads
    let same = StorageUsage.sample { $0.downloads = [downloads[1], downloads[2], downloads[0]] }
    backend.deliver(.whole(StorageMeasure(usage: same, totals: .sample)))
    rig.run(until: { rig.clock.sleeping.contains(.milliseconds(250)) })
    #expect(rig.lines.isEmpty)
  }

  @Test func `what cannot be read is told once, shown as stale, and read again later`() throws {
    let backend = ScriptedBackend(isWatching: true)
    let rig = try watching(backend)
    notice(rig, backend)
    backend.failUpdate("gone")
    let lines = rig.received(2)
    #expect(lines[0].text == "log: storage: gone")
    #expect(lines[1].sections == ["summary"])
    for _ in 1...2 {
      rig.pass(.milliseconds(250), isQuiet: true)
      rig.run(until: { backend.waitingWatches == 1 })
      notice(rig, backend)
      if rig.with({ _ in backend.updatedIDs.count }) == 2 { backend.failUpdate("gone") }
      rig.run()
      #expect(rig.lines.isEmpty)
    }
    // Nothing but that has changed.
    backend.deliver(Self.changes { _ in })
    let back = rig.received(1)[0]
    #expect(back.sections == ["summary"] && back.at("params.state.summary.stale") == "false")
  }

  @Test func `figures that the host handed over are left alone, until they are measured again`() throws {
    let backend = ScriptedBackend(isWatching: true)
    let rig = try watching(backend)
    try rig.set(.sample { $0.cache = 5 })
    _ = rig.received()
    notice(rig, backend)
    backend.deliver(Self.changes { $0.cache = 6 })
    rig.pass(.milliseconds(250), isQuiet: true)
    #expect(rig.lines.isEmpty)
    #expect(try rig.shown("state.usage.cache") == "5")
    rig.run(until: { backend.waitingWatches == 1 })
    notice(rig, backend)
    backend.failUpdate("gone")
    rig.run(until: { rig.clock.sleeping.contains(.milliseconds(250)) })
    #expect(rig.lines.isEmpty)
  }

  @Test func `the watch ends with the input`() throws {
    let backend = ScriptedBackend(isWatching: true)
    let rig = try watching(backend)
    rig.with { $0.settle() }
    rig.run(until: { backend.waitingWatches == 0 })
    #expect(rig.with { $0.isSettled })
    #expect(rig.lines.isEmpty)
  }

  @Test func `the watch does not begin after the input has ended`() throws {
    let backend = ScriptedBackend(isWatching: true)
    let rig = StorageRig(usage: nil, backend: backend)
    try rig.call("storage.get")
    rig.with { $0.settle() }
    backend.deliver(.sample)
    _ = rig.take(1)
    #expect(backend.watchCount == 0)
  }

  @Test func `a backend that does not watch is not asked`() throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend)
    rig.run()
    #expect(backend.watchCount == 0)
  }
}
