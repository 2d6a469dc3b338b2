import AccountModel
import RPCShell
import StoragePlugin
import Testing

/// Finished downloads that go by themselves, as the options say.
@Suite(.timeLimit(.usualMinutes(1)))
struct StorageAutoRemoveTests {
  private static let day = 86_400.0

  private static func options(_ autoRemove: StorageOptions.AutoRemove) -> StorageOptions {
    var options = StorageOptions()
    options.autoRemove = autoRemove
    return options
  }

  /// One download that was complete at some time.
  private static func usage(_ completion: String?) -> StorageUsage {
    var download = Download(id: "a", title: "A", bytes: 5)
    if let completion { download.completedAt = .value(DateValue(completion)!) }
    return StorageUsage(downloads: [download])
  }

  private func rig(
    _ usage: StorageUsage, _ autoRemove: StorageOptions.AutoRemove, applies: Bool = true,
    unbound: Set<HostAction> = []
  ) throws -> StorageRig {
    let rig = StorageRig(
      usage: usage, unbound: unbound, options: Self.options(autoRemove), appliesAutoRemove: applies)
    try rig.call("storage.get")
    return rig
  }

  @Test(
    arguments: [
      ("2026-10-18T00:00:00Z", .day, true), ("2026-10-18T00:00:01Z", .day, false),
      ("2026-10-12T00:00:00Z", .week, true), ("2026-10-12T00:00:01Z", .week, false),
      ("2026-09-19T00:00:00Z", .month, true), ("2026-09-19T00:00:01Z", .month, false),
      ("2026-10-18T02:00:00+02:00", .day, true), ("2001-01-01T00:00:00Z", .never, false),
      // A day is over everywhere half a day after its end at Greenwich.
      ("2026-10-17", .day, false), ("2026-10-16", .day, true), ("2026-10-18", .day, false),
      // The future is new, and so is what nobody knows.
      ("2030-01-01T00:00:00Z", .day, false), ("2030-01-01", .day, false), (nil, .day, false),
    ] as [(String?, StorageOptions.AutoRemove, Bool)])
  func `a download goes once it was complete for long enough`(
    completion: String?, autoRemove: StorageOptions.AutoRemove, goes: Bool
  ) throws {
    let rig = try rig(Self.usage(completion), autoRemove)
    #expect(rig.remover.calls.count == (goes ? 1 : 0))
  }

  @Test func `nobody asked, and the events say so`() throws {
    let rig = try rig(Self.usage("2026-01-01T00:00:00Z"), .day)
    rig.remover.succeed(.giving(usage: StorageUsage().jsonText))
    let lines = rig.received(3)
    #expect(lines.compactMap { $0.at("params.cause") } == [#""autoRemove""#, #""autoRemove""#])
    #expect(lines.allSatisfy { $0.at("params.requestId") == nil })
    #expect(lines[2].at("params.announcement.text") == #""Removed A""#)
    #expect(try rig.shown("state.downloads.emptyText") == #""No downloads""#)
  }

  @Test func `nothing goes unless the configuration says so`() throws {
    let rig = try rig(Self.usage("2026-01-01T00:00:00Z"), .day, applies: false)
    #expect(rig.remover.calls.isEmpty)
  }

  @Test func `nothing goes where nobody can remove it`() throws {
    let rig = try rig(Self.usage("2026-01-01T00:00:00Z"), .day, unbound: [.onRemove])
    #expect(rig.lines.count == 1)
  }

  @Test func `figures that were measured, and those that come later, are looked through, too`() throws {
    let backend = ScriptedBackend()
    let measured = try StorageRig.measured(
      backend, usage: Self.usage("2026-01-01T00:00:00Z"), options: Self.options(.day), appliesAutoRemove: true)
    measured.run(until: { measured.remover.calls.count == 1 })
    let late = StorageRig(usage: nil, options: Self.options(.day), appliesAutoRemove: true)
    try late.set(Self.usage("2026-01-01T00:00:00Z"))
    late.run(until: { late.remover.calls.count == 1 })
  }

  @Test func `there is a pass each day`() throws {
    let rig = try rig(Self.usage("2026-10-18T12:00:00Z"), .day)
    #expect(rig.remover.calls.isEmpty)
    rig.run(until: { rig.clock.sleeping == [.seconds(Self.day)] })
    rig.passTime(to: StorageRig.today + Self.day)
    rig.run(until: { rig.remover.calls.count == 1 })
    rig.remover.succeed(.giving(usage: StorageUsage().jsonText))
    rig.run(until: { rig.clock.sleeping == [.seconds(Self.day)] })
  }

  @Test func `options that change count from the next pass on`() throws {
    let rig = try rig(Self.usage("2026-01-01T00:00:00Z"), .never)
    rig.run(until: { rig.clock.sleeping == [.seconds(Self.day)] })
    try rig.call("storage.setOptions", params: #"{"autoRemove":"week"}"#)
    rig.passTime(to: StorageRig.today + Self.day)
    rig.run(until: { rig.remover.calls.count == 1 })
  }

  @Test func `a failure is one line, and the next download's turn`() throws {
    var both = Self.usage("2026-01-01T00:00:00Z")
    both.downloads.append(both.downloads[0])
    both.downloads[1].id = "b"
    let rig = try rig(both, .day)
    #expect(rig.remover.calls.count == 1)
    rig.remover.fail(ActionFailure(message: "In use"))
    rig.run(until: { rig.remover.calls.count == 2 })
    #expect(rig.lines.contains("log: autoRemove: In use"))
    #expect(try rig.shown("state.downloads.errors") == #"{"a":"In use"}"#)
  }

  @Test func `a person's call joins`() throws {
    let rig = try rig(Self.usage("2026-01-01T00:00:00Z"), .day)
    try rig.call("storage.remove", id: "2", params: #"{"id":"a"}"#)
    rig.remover.succeed()
    #expect(rig.received(4).last?.text == StorageLines.reply(#"{"outcome":"completed"}"#, id: "2"))
    #expect(rig.remover.calls.count == 1)
  }

  @Test func `nothing begins after the input has ended, and what runs is cut off`() throws {
    let rig = try rig(Self.usage("2026-01-01T00:00:00Z"), .day)
    #expect(rig.with { !$0.isSettled })
    rig.with { $0.settle() }
    rig.run(until: { rig.with { $0.isSettled } })
    #expect(try rig.shown("state.downloads.rows.0.removing") == "false")
    let late = StorageRig(
      usage: Self.usage("2026-01-01T00:00:00Z"), options: Self.options(.day), appliesAutoRemove: true)
    late.with { $0.settle() }
    try late.call("storage.get")
    #expect(late.remover.calls.isEmpty)
  }
}
