import AccountModel
import RPCShell
import Testing

/// Every text and figure that the block shows.
@Suite(.timeLimit(.usualMinutes(1)))
struct StorageTextTests {
  private static let gone = "null"

  /// What is shown at some places for a usage.
  private func expect(
    _ rig: StorageRig, _ expected: [(path: String, value: String?)], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for (path, value) in expected {
      #expect(try rig.shown("state." + path) == value, "\(path)", sourceLocation: sourceLocation)
    }
  }

  @Test func `nothing is shown while nothing is known, but for the options`() throws {
    let rig = StorageRig(usage: nil)
    try expect(
      rig,
      [
        ("usage", "null"), ("loading", "true"), ("refreshing", "false"), ("summary", "null"), ("bar", "null"),
        ("legend", "null"), ("downloads", "null"), ("options.quality", #""standard""#),
        (
          "clear",
          #"{"label":"Clear cache","enabled":false,"phase":"idle","progress":null,"note":null,"noteTone":null}"#
        ),
      ])
  }

  // MARK: Summary, bar, legend

  @Test(
    arguments: [
      (.sample, "\"4.8 GB\"", "Used by this app, 4.8 GB. 41.2 GB free on this device"),
      (.cleared, "\"3.6 GB\"", "Used by this app, 3.6 GB. 41.2 GB free on this device"),
      (StorageUsage(), "\"0 bytes\"", "Used by this app, 0 bytes. 41.2 GB free on this device"),
      (StorageUsage(other: 1), "\"1 byte\"", "Used by this app, 1 byte. 41.2 GB free on this device"),
      (StorageUsage(photos: .max), "\"9.22 EB\"", "Used by this app, 9.22 EB. 41.2 GB free on this device"),
    ] as [(StorageUsage, String, String)])
  func `the summary leads with the total`(usage: StorageUsage, total: String, label: String) throws {
    let rig = StorageRig(usage: usage)
    try expect(
      rig,
      [
        ("summary.title", "\"Used by this app\""), ("summary.totalText", total), ("summary.stale", "false"),
        ("summary.accessibilityLabel", "\"\(label)\""),
      ])
  }

  @Test(
    arguments: [
      (41_200_000_000, true, .absent, "41200000000"), (0, true, .absent, "0"), (nil, true, .absent, nil),
      (5, false, .absent, nil), (5, true, .value(2_000_000), "2000000"), (nil, true, .value(0), "0"),
      (5, true, .null, nil), (5, false, .value(2_000_000), nil),
    ] as [(Int?, Bool, Given<Int>, String?)])
  func `free space is the host's, else the device's, and never made up`(
    device: Int?, isShown: Bool, given: Given<Int>, free: String?
  ) throws {
    let rig = StorageRig(usage: .sample { $0.free = given }, free: device, showsFreeSpace: isShown)
    let text = free.map { "\(ByteCount(Int($0)!).text) free" }
    let label = "Used by this app, 4.8 GB" + (text.map { ". \($0) on this device" } ?? "")
    try expect(
      rig,
      [
        ("summary.free", free ?? Self.gone), ("summary.freeText", text.map { "\"\($0)\"" } ?? Self.gone),
        ("summary.accessibilityLabel", "\"\(label)\""),
      ])
  }

  @Test func `free space is read again with each usage`() throws {
    let rig = StorageRig()
    #expect(try rig.shown("state.summary.free") == "41200000000")
    rig.setFree(42_400_000_000)
    #expect(try rig.shown("state.summary.free") == "41200000000")
    try rig.set(.cleared)
    #expect(rig.received(2)[0].at("params.state.summary.freeText") == "\"42.4 GB free\"")
  }

  @Test func `the bar is as wide as the largest total so far`() throws {
    let rig = StorageRig()
    try rig.set(.cleared)
    try expect(
      rig,
      [
        ("bar.capacity", "4800000000"), ("bar.empty", "0.25"), ("bar.segments.0.share", "0.4375"),
        ("bar.segments.1.share", "0"), ("bar.segments.2.share", "0.2292"), ("bar.segments.3.share", "0.0833"),
      ])
    try rig.set(.sample { $0.cache = 3_600_000_000 })
    try expect(
      rig, [("bar.capacity", "7200000000"), ("bar.empty", "0"), ("bar.segments.1.share", "0.5")])
    try rig.call("storage.set", params: #"{"usage":null}"#)
    try rig.set(.sample)
    try expect(rig, [("bar.capacity", "7200000000")])
  }

  @Test func `a part without anything stays in the legend`() throws {
    let rig = StorageRig(usage: .cleared)
    try expect(
      rig,
      [
        (
          "legend.1",
          #"{"key":"cache","label":"Cache","bytes":0,"sizeText":"0 bytes","accessibilityLabel":"Cache, 0 bytes"}"#
        ),
        ("bar.segments.1", #"{"key":"cache","label":"Cache","bytes":0,"share":0,"tone":"accent"}"#),
      ])
  }

  @Test func `a usage that was handed over is complete, and as of now`() throws {
    let rig = StorageRig()
    rig.setTime(StorageRig.today + 61.5)
    try rig.set(.cleared)
    try expect(
      rig,
      [
        (
          "usage",
          #"{"downloadBytes":2100000000,"cache":0,"photos":1100000000,"other":400000000,"total":3600000000,"apparentBytes":null,"reclaimableBytes":null,"complete":true,"warnings":[],"asOf":"2026-10-19T00:01:01Z"}"#
        )
      ])
  }

  @Test func `a measure says what it could not look at`() throws {
    let backend = ScriptedBackend()
    let rig = StorageRig(usage: nil, backend: backend)
    try rig.call("storage.get")
    backend.deliver(
      .sample,
      totals: StorageTotals(
        apparentBytes: 5, reclaimableBytes: 6, warnings: [StorageWarning(path: "/a", message: "Permission denied")],
        isComplete: false))
    _ = rig.take(1)
    try expect(
      rig,
      [
        ("usage.apparentBytes", "5"), ("usage.reclaimableBytes", "6"), ("usage.complete", "false"),
        ("usage.warnings", #"[{"path":"/a","message":"Permission denied"}]"#),
      ])
  }

  @Test func `a usage that moves figures moves the total, the bar and the legend`() throws {
    let rig = StorageRig()
    try rig.set(.cleared)
    let event = rig.received(2)[0]
    #expect(event.sections == ["usage", "summary", "bar", "legend", "clear"])
    #expect(
      event.at("params.motion")
        == #"[{"target":"summary/total","from":4800000000,"to":3600000000,"curve":"smooth"},{"target":"bar/cache","from":0.25,"to":0,"curve":"smooth"},{"target":"legend/cache","from":1200000000,"to":0,"curve":"smooth"}]"#
    )
    #expect(event.at("params.feedback") == nil && event.at("params.announcement") == nil)
  }

  @Test func `with less motion the bar is there at once, and the button fades`() throws {
    let rig = StorageRig(environment: Environment(reduceMotion: true))
    try rig.call("storage.clearCache", params: #"{"confirmed":true}"#)
    #expect(rig.received(1)[0].at("params.motion") == #"[{"target":"clear","curve":"fade"}]"#)
    rig.clearer.succeed(.giving(usage: StorageUsage.cleared.jsonText))
    #expect(
      rig.received(2)[0].at("params.motion")
        == #"[{"target":"summary/total","from":3600000000,"to":3600000000,"curve":"fade"},{"target":"bar/cache","from":0,"to":0,"curve":"fade"},{"target":"legend/cache","from":0,"to":0,"curve":"fade"},{"target":"clear","curve":"fade"}]"#
    )
  }

  @Test func `nothing moves when loading ends`() throws {
    let rig = StorageRig(usage: nil)
    try rig.set(.sample)
    let event = rig.received(2)[0]
    #expect(event.sections == ["usage", "loading", "summary", "bar", "legend", "clear", "downloads"])
    #expect(event.at("params.motion") == nil)
  }

  // MARK: Clear

  @Test(
    arguments: [
      (.sample, [], #""Clear cache""#, "true"), (.cleared, [], #""Cache is empty""#, "false"),
      (.sample, [.onClearCache], #""Clear cache""#, "false"), (nil, [], #""Clear cache""#, "false"),
    ] as [(StorageUsage?, Set<HostAction>, String, String)])
  func `the button says whether there is anything to clear`(
    usage: StorageUsage?, unbound: Set<HostAction>, label: String, isEnabled: String
  ) throws {
    let rig = StorageRig(usage: usage, unbound: unbound)
    try expect(
      rig,
      [
        ("clear.label", label), ("clear.enabled", isEnabled), ("clear.phase", #""idle""#), ("clear.note", "null"),
        ("clear.noteTone", "null"),
      ])
  }

  // MARK: Downloads

  @Test(
    arguments: [
      (.sample, [], "true", #""Edit""#, #"[{"id":"remove","label":"Remove download"}]"#, "null", "3"),
      (.sample, [.onRemove], "false", "null", "[]", "null", "3"),
      (StorageUsage(), [], "true", "null", "[]", #""No downloads""#, "0"),
      (StorageUsage(), [.onRemove], "false", "null", "[]", #""No downloads""#, "0"),
    ] as [(StorageUsage, Set<HostAction>, String, String, String, String, String)])
  func `the downloads say whether they can be removed`(
    usage: StorageUsage, unbound: Set<HostAction>, canRemove: String, edit: String, actions: String, empty: String,
    count: String
  ) throws {
    let rig = StorageRig(usage: usage, unbound: unbound)
    try expect(
      rig,
      [
        ("downloads.title", #""Downloads""#), ("downloads.count", count), ("downloads.canRemove", canRemove),
        ("downloads.editing", "false"), ("downloads.editLabel", edit), ("downloads.rowActions", actions),
        ("downloads.emptyText", empty), ("downloads.message", "null"), ("downloads.tone", "null"),
        ("downloads.errors", "{}"),
      ])
  }

  @Test(
    arguments: [
      (#"{"id":"d","title":"T","bytes":0}"#, "null", "null", "0 bytes", "T, 0 bytes"),
      (#"{"id":"d","title":"T","detail":null,"symbol":null,"bytes":1}"#, "null", "null", "1 byte", "T, 1 byte"),
      (
        #"{"id":"d","title":"T","detail":"D","symbol":"map","bytes":52400000}"#, #""D""#, #""map""#, "52.4 MB",
        "T, D, 52.4 MB"
      ),
      (#"{"id":"d","title":"","detail":"","bytes":1000}"#, #""""#, "null", "1 kB", "1 kB"),
    ])
  func `a row reads its title, its detail and its size`(
    download: String, detail: String, symbol: String, size: String, label: String
  ) throws {
    let rig = StorageRig(usage: nil)
    try rig.call(
      "storage.set", params: #"{"usage":{"downloads":[\#(download)],"cache":0,"photos":0,"other":0}}"#)
    try expect(
      rig,
      [
        ("downloads.rows.0.detail", detail), ("downloads.rows.0.symbol", symbol),
        ("downloads.rows.0.sizeText", "\"\(size)\""), ("downloads.rows.0.accessibilityLabel", "\"\(label)\""),
        ("downloads.rows.0.removing", "false"), ("downloads.rows.0.progress", "null"),
      ])
  }

  // MARK: Refreshing

  @Test func `a reload keeps what is shown`() throws {
    let rig = StorageRig()
    try rig.call("storage.set", params: #"{"refreshing":true}"#)
    #expect(
      rig.take(2) == [
        StorageLines.event(1, "set", [#""refreshing":true"#]), StorageLines.reply(#"{"revision":1}"#),
      ])
    try rig.set(.sample)
    #expect(
      rig.take(2) == [
        StorageLines.event(2, "set", [#""refreshing":false"#]), StorageLines.reply(#"{"revision":2}"#),
      ])
    try rig.set(.sample)
    #expect(rig.take(1) == [StorageLines.reply(#"{"revision":2}"#)])
  }
}
