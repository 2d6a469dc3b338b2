import AccountModel
import RPCShell
import StoragePlugin
import Testing

/// What is looked at again after a removal, and what would go.
@Suite(.timeLimit(.usualMinutes(1)))
struct StorageUpdateTests {
  /// A measured rig in which the handler has just removed `d1`, and the backend is asked what that changed.
  private func removed(_ backend: ScriptedBackend, failing: Bool = false) throws -> StorageRig {
    let rig = try StorageRig.measured(backend)
    try rig.call("storage.remove", params: #"{"id":"d1"}"#)
    _ = rig.take(1)
    if failing { rig.remover.fail(ActionFailure(message: "No")) } else { rig.remover.succeed() }
    rig.run(until: { backend.waitingUpdates == 1 })
    #expect(backend.updatedIDs == ["d1"])
    #expect(rig.lines.isEmpty)
    return rig
  }

  private static func changes(_ change: (inout StorageChanges) -> Void) -> StorageUpdate {
    var changes = StorageChanges(totals: .sample)
    change(&changes)
    return .parts(changes)
  }

  @Test func `parts that changed are taken over with the end`() throws {
    let backend = ScriptedBackend()
    let rig = try removed(backend)
    backend.deliver(
      Self.changes { changes in
        changes.removed = ["d1"]
        changes.other = 500_000_000
      })
    let event = rig.received(2)[0]
    #expect(event.sections == ["usage", "summary", "bar", "legend", "downloads"])
    #expect(event.at("params.state.usage.total") == "4847600000")
    #expect(event.at("params.state.downloads.count") == "2")
    #expect(event.at("params.announcement.text") == #""Removed Episode 12""#)
    #expect(backend.measureCount == 1)
  }

  @Test func `what cannot be told apart is taken over as a whole`() throws {
    let backend = ScriptedBackend()
    let rig = try removed(backend)
    backend.deliver(.whole(StorageMeasure(usage: .without("d1", "d2"), totals: .sample)))
    #expect(rig.received(2)[0].at("params.state.downloads.count") == "1")
  }

  @Test func `figures that could not be looked at are stale, and the end is told nonetheless`() throws {
    let backend = ScriptedBackend()
    let rig = try removed(backend)
    backend.failUpdate("no such directory")
    let lines = rig.received(3)
    #expect(lines[0].text == "log: storage: no such directory")
    #expect(lines[1].at("params.state.summary.stale") == "true")
    #expect(lines[1].at("params.state.downloads.rows.0.removing") == "false")
    #expect(lines[2].at("result.outcome") == #""completed""#)
  }

  @Test func `a failed removal is looked at, too`() throws {
    let backend = ScriptedBackend()
    let rig = try removed(backend, failing: true)
    backend.deliver(
      Self.changes { changes in
        var half = StorageUsage.sample.downloads[0]
        half.bytes = 1_000_000
        changes.downloads = [half]
      })
    let lines = rig.received(2)
    #expect(lines[0].at("params.state.downloads.rows.0.sizeText") == #""1 MB""#)
    #expect(lines[0].at("params.state.downloads.message") == #""No""#)
    #expect(lines[1].errorCode == 100)
  }

  @Test func `a usage that comes back needs no look`() throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend)
    try rig.call("storage.remove", params: #"{"id":"d1"}"#)
    rig.remover.succeed(.giving(usage: StorageUsage.without("d1").jsonText))
    #expect(rig.received(3)[1].at("params.state.downloads.count") == "2")
    #expect(backend.updatedIDs.isEmpty)
    // From now on the figures are the host's.
    try rig.call("storage.remove", params: #"{"id":"d2"}"#)
    rig.remover.succeed()
    #expect(rig.received(3)[2].at("result.outcome") == #""completed""#)
    #expect(backend.updatedIDs.isEmpty)
  }

  @Test func `a cancel while the end is looked at does not lose the success`() throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend)
    let call = try rig.call("storage.remove", params: #"{"id":"d1"}"#)
    rig.remover.succeed()
    rig.run(until: { backend.waitingUpdates == 1 })
    call.stop(.cancelled)
    rig.run()
    backend.deliver(Self.changes { $0.removed = ["d1"] })
    #expect(rig.received(3)[2].at("result.outcome") == #""completed""#)
  }

  // MARK: Dry runs

  private static let preview = RemovalPreview(
    bytes: 12,
    entries: [.init(path: "/c/a", bytes: 12), .init(path: "/c/\u{FFFD}/", exactPath: [0x2F, 0xFF], bytes: 0)],
    kept: [StorageWarning(path: "/c/s", message: "in use")])

  @Test(arguments: [
    ("storage.clearCache", "", RemovalTarget.cache), ("storage.remove", #""id":"d1","#, .download(id: "d1")),
  ])
  func `a dry run says what would go, and touches nothing`(
    method: String, params: String, target: RemovalTarget
  ) throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend, custom: false)
    try rig.call(method, params: "{\(params)\"dryRun\":true}")
    #expect(rig.lines.isEmpty)
    backend.deliver(Self.preview)
    #expect(
      rig.take(1) == [
        StorageLines.reply(
          #"{"outcome":"dryRun","bytes":12,"entries":[{"path":"/c/a","bytes":12},{"path":"/c/\#u{FFFD}/","pathBase64":"L/8=","bytes":0}],"kept":[{"path":"/c/s","message":"in use"}]}"#
        )
      ])
    #expect(backend.previewed == [target])
    #expect(rig.clearer.calls.isEmpty && rig.remover.calls.isEmpty)
    #expect(try rig.shown("revision") == "0")
  }

  @Test(arguments: [("storage.clearCache", "", "clearCache"), ("storage.remove", #""id":"d1","#, "remove")])
  func `a dry run that fails says why`(method: String, params: String, action: String) throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend, custom: false)
    try rig.call(method, params: "{\(params)\"dryRun\":true}")
    backend.failPreview("no such directory")
    #expect(
      rig.take(1) == [
        StorageLines.refusal(100, "no such directory", #"{"action":"\#(action)","handler":"local"}"#)
      ])
    try rig.call(method, params: "{\(params)\"dryRun\":true}").stop(.cancelled)
    #expect(rig.take(1) == [StorageLines.refusal(-32800, "Request cancelled", #"{"action":"\#(action)"}"#)])
  }

  @Test(arguments: [("storage.clearCache", "", "clearCache"), ("storage.remove", #""id":"d1","#, "remove")])
  func `nobody else can tell beforehand`(method: String, params: String, action: String) throws {
    let backend = ScriptedBackend()
    for rig in [try StorageRig.measured(backend), StorageRig(custom: false)] {
      try rig.call(method, params: "{\(params)\"dryRun\":true}")
      #expect(
        rig.take(1) == [
          StorageLines.refusal(
            103, "Only the built-in adapter can tell beforehand what would go", #"{"action":"\#(action)"}"#)
        ])
    }
  }

  @Test func `a dry run of an unknown download is not found`() throws {
    let backend = ScriptedBackend()
    let rig = try StorageRig.measured(backend, custom: false)
    try rig.call("storage.remove", params: #"{"id":"d9","dryRun":true}"#)
    #expect(rig.received(1)[0].errorCode == 104)
    #expect(backend.previewed.isEmpty)
  }
}
