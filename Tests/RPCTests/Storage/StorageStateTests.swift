import AccountModel
import RPCShell
import Testing

@testable import StoragePlugin

/// What is shown of a storage state.
struct StorageStateTests {
  /// A state with handlers, 41.2 GB free and the usage of the examples.
  private static func state(_ change: (inout StorageUsage) -> Void = { _ in }) -> StorageState {
    var usage = StorageUsage.sample
    change(&usage)
    var state = StorageState()
    (state.canClear, state.canRemove) = (true, true)
    state.free = 41_200_000_000
    state.take(usage, totals: nil, asOf: "2026-10-19T00:00:00Z")
    return state
  }

  private static func shown(_ state: StorageState) -> Received {
    let text = JSONText { writer in
      writer.object { members in
        for section in state.snapshot(Environment()).sections {
          members.key(section.name)
          members.text(section.text)
        }
      }
    }
    return Received(text: text.description)
  }

  private static func check(
    _ state: StorageState, _ expected: KeyValuePairs<String, String>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let shown = shown(state)
    for (path, value) in expected { #expect(shown.at(path) == value, "\(path)", sourceLocation: sourceLocation) }
  }

  // MARK: Summary, bar, legend

  @Test func `leads with the total and what is free`() {
    Self.check(
      Self.state(),
      [
        "summary.title": #""Used by this app""#, "summary.totalText": #""4.8 GB""#, "summary.total": "4800000000",
        "summary.freeText": #""41.2 GB free""#, "summary.free": "41200000000", "summary.stale": "false",
        "summary.accessibilityLabel": #""Used by this app, 4.8 GB. 41.2 GB free on this device""#,
        "usage.downloadBytes": "2100000000", "usage.total": "4800000000", "usage.apparentBytes": "null",
        "usage.complete": "true", "usage.warnings": "[]",
      ])
  }

  @Test func `free space is hidden where nobody wants it or knows it, and never 0 then`() {
    var hidden = Self.state()
    hidden.showsFreeSpace = false
    var unreadable = Self.state()
    unreadable.free = nil
    let overridden = Self.state { $0.free = .null }
    for state in [hidden, unreadable, overridden] {
      Self.check(
        state,
        [
          "summary.free": "null", "summary.freeText": "null",
          "summary.accessibilityLabel": #""Used by this app, 4.8 GB""#,
        ])
    }
    Self.check(Self.state { $0.free = .value(0) }, ["summary.freeText": #""0 bytes free""#])
  }

  @Test func `the bar is as wide as the largest total so far`() {
    var state = Self.state()
    var usage = StorageUsage.sample
    usage.cache = 0
    state.take(usage, totals: nil, asOf: "")
    Self.check(
      state,
      [
        "bar.capacity": "4800000000", "bar.empty": "0.25", "bar.segments.0.share": "0.4375",
        "bar.segments.1.share": "0", "bar.segments.2.share": "0.2292", "bar.segments.3.share": "0.0833",
        "bar.segments.0.tone": #""primary""#, "bar.segments.1.tone": #""accent""#, "bar.segments.2.tone": #""muted""#,
        "bar.segments.3.tone": #""tertiary""#,
      ])
  }

  @Test func `the legend has each part's size, nothing included`() {
    let state = Self.state { $0.cache = 0 }
    Self.check(
      state,
      [
        "legend.0.sizeText": #""2.1 GB""#, "legend.1.sizeText": #""0 bytes""#, "legend.2.sizeText": #""1.1 GB""#,
        "legend.3.sizeText": #""400 MB""#, "legend.1.accessibilityLabel": #""Cache, 0 bytes""#,
      ])
  }

  @Test func `sums stop at the largest number`() {
    var state = Self.state { usage in
      usage.downloads = [Download(id: "a", title: "A", bytes: .max)]
      usage.cache = .max
    }
    Self.check(state, ["usage.total": "\(Int.max)", "bar.segments.0.share": "1", "bar.empty": "0"])
    _ = state.take(StorageChanges(totals: StorageTotals(apparentBytes: 0, reclaimableBytes: 0)), asOf: "")
    Self.check(state, ["usage.downloadBytes": "\(Int.max)"])
  }

  // MARK: Clear

  @Test func `the button says whether there is anything to clear`() {
    Self.check(
      Self.state(),
      ["clear.label": #""Clear cache""#, "clear.enabled": "true", "clear.phase": #""idle""#, "clear.note": "null"])
    let empty = Self.state { $0.cache = 0 }
    Self.check(empty, ["clear.label": #""Cache is empty""#, "clear.enabled": "false"])
    for phase in [ActionPhase.working, ActionPhase(.done, message: "Cleared 1.2 GB.", tone: .secondary)] {
      var state = empty
      state.clear = phase
      Self.check(state, ["clear.label": #""Clear cache""#, "clear.enabled": "false"])
    }
    var unbound = Self.state()
    unbound.canClear = false
    Self.check(unbound, ["clear.enabled": "false"])
    var failed = Self.state()
    failed.clear = .failed("No")
    Self.check(
      failed,
      ["clear.enabled": "true", "clear.phase": #""failed""#, "clear.note": #""No""#, "clear.noteTone": #""danger""#])
  }

  // MARK: Downloads

  @Test func `each row has its size, and is read with it`() {
    let state = Self.state()
    Self.check(
      state,
      [
        "downloads.title": #""Downloads""#, "downloads.count": "3", "downloads.editLabel": #""Edit""#,
        "downloads.rowActions": #"[{"id":"remove","label":"Remove download"}]"#, "downloads.emptyText": "null",
      ])
    let row = StorageState.row(StorageUsage.sample.downloads[0], [:]).text.description
    #expect(
      row == #"{"id":"d1","title":"Episode 12","detail":"Audio · 52 min","symbol":"waveform","bytes":52400000,"#
        + #""sizeText":"52.4 MB","removing":false,"progress":null,"#
        + #""accessibilityLabel":"Episode 12, Audio · 52 min, 52.4 MB"}"#)
  }

  @Test func `without downloads or a handler nothing can be edited`() {
    var empty = Self.state { $0.downloads = [] }
    empty.isEditing = true
    empty.take(StorageUsage(), totals: nil, asOf: "")
    Self.check(
      empty,
      [
        "downloads.emptyText": #""No downloads""#, "downloads.editing": "false", "downloads.editLabel": "null",
        "downloads.rowActions": "[]", "downloads.canRemove": "true",
      ])
    var unbound = Self.state()
    unbound.canRemove = false
    Self.check(unbound, ["downloads.canRemove": "false", "downloads.editLabel": "null", "downloads.rowActions": "[]"])
    var editing = Self.state()
    editing.isEditing = true
    Self.check(editing, ["downloads.editLabel": #""Done""#])
  }

  @Test func `the latest error shows, and each is kept until its download goes`() {
    var state = Self.state()
    state.setError("One", of: "d1")
    state.setError("Two", of: "d2")
    state.setError("Gone", of: "d9")
    Self.check(
      state,
      [
        "downloads.message": #""Two""#, "downloads.tone": #""danger""#,
        "downloads.errors": #"{"d1":"One","d2":"Two"}"#,
      ])
    var usage = StorageUsage.sample
    usage.downloads.remove(at: 1)
    state.take(usage, totals: nil, asOf: "")
    Self.check(state, ["downloads.message": #""One""#, "downloads.errors": #"{"d1":"One"}"#])
    state.dismissError(of: nil)
    Self.check(state, ["downloads.message": "null", "downloads.tone": "null", "downloads.errors": "{}"])
  }

  // MARK: Loading, options

  @Test func `while loading only the options are live`() {
    var state = StorageState()
    state.canClear = true
    state.isRefreshing = true
    state.options.cellular = true
    Self.check(
      state,
      [
        "usage": "null", "loading": "true", "refreshing": "false", "summary": "null", "bar": "null", "legend": "null",
        "downloads": "null", "clear.label": #""Clear cache""#, "clear.enabled": "false", "options.cellular": "true",
      ])
  }

  @Test func `options have the words of the menus`() {
    var state = StorageState()
    for (quality, text) in zip(StorageOptions.Quality.allCases, ["Data saver", "Standard", "High"]) {
      state.options.quality = quality
      Self.check(state, ["options.qualityText": "\"\(text)\""])
    }
    let texts = ["Never", "After 1 day", "After 1 week", "After 1 month"]
    for (autoRemove, text) in zip(StorageOptions.AutoRemove.allCases, texts) {
      state.options.autoRemove = autoRemove
      Self.check(state, ["options.autoRemoveText": "\"\(text)\""])
    }
    Self.check(
      state,
      [
        "options.title": #""Options""#, "options.cellularLabel": #""Download over cellular""#,
        "options.qualityLabel": #""Download quality""#, "options.autoRemoveLabel": #""Remove finished""#,
      ])
  }

  @Test func `sections and their fields stand in the order of the page`() {
    let snapshot = Self.state().snapshot(Environment())
    #expect(
      snapshot.sections.map(\.name) == [
        "usage", "loading", "refreshing", "summary", "bar", "legend", "clear", "downloads", "options", "locale",
        "timeZone",
      ])
    #expect(snapshot.figures.map(\.target).prefix(2) == ["summary/total", "bar/downloads"])
  }
}
