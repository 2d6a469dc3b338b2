import Testing

@testable import RPCShell

private func text(_ json: String) -> JSONText { JSONText(trusted: Array(json.utf8)) }

extension StateSnapshot.Figure {
  fileprivate init(_ target: String, _ value: String, level: String? = nil, fillsAtFirst: Bool = false) {
    self.init(target: target, value: text(value), level: level, fillsAtFirst: fillsAtFirst)
  }
}

extension Motion {
  fileprivate init(_ target: String, _ from: String?, _ to: String?, _ curve: Curve, thenLevel: Bool = false) {
    self.init(target: target, from: from.map(text), to: to.map(text), curve: curve, thenLevel: thenLevel)
  }
}

private func snapshot(
  _ sections: KeyValuePairs<String, String>, figures: [StateSnapshot.Figure] = [],
  phases: KeyValuePairs<String, String?> = [:],
  isLoading: Bool = false
) -> StateSnapshot {
  StateSnapshot(
    sections: sections.map { StateSection($0.key, text($0.value)) }, figures: figures,
    phases: phases.map { StateSnapshot.Phase(target: $0.key, value: $0.value) }, isLoading: isLoading)
}

struct StateDiffTests {
  private func diff(_ old: StateSnapshot, _ new: StateSnapshot, reduceMotion: Bool = false) -> StateDiff {
    StateDiff(from: old, to: new, reduceMotion: reduceMotion)
  }

  @Test func `holds the sections that changed, whole and in the newer order`() {
    let old = snapshot(["a": "1", "b": #"{"x":1}"#, "c": "null"])
    let new = snapshot(["a": "1", "c": "{}", "d": "2", "b": #"{"x":2}"#])
    #expect(
      diff(old, new).sections == [
        StateSection("c", text("{}")), StateSection("d", text("2")), StateSection("b", text(#"{"x":2}"#)),
      ])
    #expect(!diff(old, new).isEmpty)
    #expect(diff(old, old).isEmpty)
    #expect(diff(old, old).motion == [])
  }

  @Test func `moves a figure from its old value, and a new one from 0`() {
    let old = snapshot([:], figures: [.init("bar/a", "0.5"), .init("bar/b", "1"), .init("bar/gone", "1")])
    let new = snapshot(
      [:],
      figures: [
        .init("bar/b", "1"), .init("usage/new", "0.25", fillsAtFirst: true), .init("bar/a", "0.75"),
        .init("bar/new", "1"),
        .init("usage/zero", "0", fillsAtFirst: true),
      ])
    #expect(
      diff(old, new).motion == [Motion("usage/new", "0", "0.25", .smooth), Motion("bar/a", "0.5", "0.75", .smooth)])
  }

  @Test func `shows a level after the move that changes it`() {
    let old = snapshot(
      [:], figures: [.init("a", "0.5", level: "low"), .init("b", "0.5", level: "low"), .init("c", "1", level: "low")])
    let new = snapshot(
      [:],
      figures: [
        .init("a", "0.9", level: "high"), .init("b", "0.6", level: "low"), .init("c", "1", level: "high"),
        .init("new", "1", level: "high", fillsAtFirst: true),
      ])
    #expect(
      diff(old, new).motion == [
        Motion("a", "0.5", "0.9", .smooth, thenLevel: true), Motion("b", "0.5", "0.6", .smooth),
        Motion("new", "0", "1", .smooth),
      ])
  }

  @Test func `fills meters from 0 when loading ends, and moves no phases then`() {
    let old = snapshot([:], phases: ["upgrade": nil], isLoading: true)
    let new = snapshot(
      [:], figures: [.init("usage/a", "0.5", fillsAtFirst: true), .init("bar/a", "0.5")], phases: ["upgrade": "idle"])
    #expect(diff(old, new).motion == [Motion("usage/a", "0", "0.5", .hero)])
  }

  @Test func `moves a section whose phase changed`() {
    let old = snapshot([:], phases: ["a": "idle", "b": "idle", "c": nil, "d": nil])
    let new = snapshot([:], phases: ["a": "working", "b": "idle", "c": "idle", "d": nil, "e": nil])
    #expect(
      diff(old, new).motion == [
        Motion("a", nil, nil, .snappy), Motion("c", nil, nil, .snappy), Motion("e", nil, nil, .snappy),
      ])
    #expect(diff(new, snapshot([:], phases: ["a": nil])).motion == [Motion("a", nil, nil, .snappy)])
  }

  @Test func `places everything for a person who wants less motion`() {
    let old = snapshot([:], figures: [.init("a", "0.5", level: "low")], phases: ["p": "idle"])
    let new = snapshot([:], figures: [.init("a", "0.9", level: "high")], phases: ["p": "done"])
    #expect(
      diff(old, new, reduceMotion: true).motion == [
        Motion("a", "0.9", "0.9", .fade, thenLevel: true), Motion("p", nil, nil, .fade),
      ])
    let loading = snapshot([:], isLoading: true)
    let loaded = snapshot([:], figures: [.init("a", "0.9", fillsAtFirst: true)])
    #expect(diff(loading, loaded, reduceMotion: true).motion == [Motion("a", "0.9", "0.9", .fade)])
  }
}

struct StateEventTests {
  private static let empty = snapshot([:])

  private func event(
    _ revision: Int, from before: StateSnapshot = empty, to after: StateSnapshot = empty, reduceMotion: Bool = false,
    feedback: StateEvent.Feedback? = nil, announcement: StateEvent.Announcement? = nil, cause: String = "set",
    id: String? = nil
  ) -> StateEvent {
    StateEvent(
      plugin: "plan", revision: revision, cause: cause, requestID: id.map { Array($0.utf8) }, from: before, to: after,
      reduceMotion: reduceMotion, feedback: feedback, announcement: announcement)
  }

  /// An event that swallowed those that led from each state to the next.
  private func merged(_ states: [StateSnapshot], reduceMotion: [Bool] = []) -> StateEvent {
    var events = zip(states, states.dropFirst()).enumerated().map { at, step in
      event(at + 1, from: step.0, to: step.1, reduceMotion: at < reduceMotion.count && reduceMotion[at])
    }
    var merged = events.removeFirst()
    for event in events { merged.absorb(event) }
    return merged
  }

  @Test func `is written with what there is, in order`() {
    let first = event(1, to: snapshot(["a": "1"]))
    #expect(first.params.description == #"{"revision":1,"cause":"set","state":{"a":1}}"#)
    var full = event(
      7, from: snapshot(["b": "1", "a": "1"], figures: [.init("usage/a", "0.5", level: "x")], phases: ["b": "idle"]),
      to: snapshot(["b": "{}", "a": "[1]"], figures: [.init("usage/a", "0.75", level: "y")], phases: ["b": "done"]),
      feedback: .success, announcement: .init(#"Done "x""#, .assertive), cause: "upgrade", id: "1.0")
    full.alerts = [.init(meter: "a", threshold: text("0.7")), .init(meter: "b", threshold: text(#""1.0""#))]
    full.earlier = [
      .init(revision: 5, cause: "set"),
      .init(revision: 6, cause: "manage", feedback: .error, announcement: .init("No", .polite)),
    ]
    #expect(
      full.params.description == """
        {"revision":7,"cause":"upgrade","requestId":1.0,"state":{"b":{},"a":[1]},"motion":[{"target":"usage/a","from":0.5,\
        "to":0.75,"curve":"smooth","then":"level"},{"target":"b","curve":"snappy"}],"feedback":"success",\
        "announcement":{"text":"Done \\"x\\"","politeness":"assertive"},"alerts":[{"meter":"a","threshold":0.7},\
        {"meter":"b","threshold":"1.0"}],"earlier":[{"revision":5,"cause":"set"},\
        {"revision":6,"cause":"manage","feedback":"error","announcement":{"text":"No","politeness":"polite"}}]}
        """)
  }

  @Test func `takes the newest of everything, and keeps what a person missed`() {
    var merged = event(
      1, to: snapshot(["a": "1", "b": "1", "c": "0"]), feedback: .error, announcement: .init("one", .polite), id: "1")
    merged.absorb(event(2, to: snapshot(["a": "1", "b": "2", "c": "2"]), cause: "upgrade", id: #""x""#))
    let newest = snapshot(["a": "1", "b": "2", "c": "5"])
    merged.absorb(
      event(5, to: newest, feedback: .success, announcement: .init("five", .assertive), cause: "manage"))
    #expect(merged.sections == newest.sections)
    #expect(merged.revision == 5 && merged.cause == "manage" && merged.requestID == nil)
    #expect(merged.feedback == .success && merged.announcement == .init("five", .assertive))
    #expect(
      merged.earlier == [
        .init(revision: 1, cause: "set", feedback: .error, announcement: .init("one", .polite)),
        .init(revision: 2, cause: "upgrade"),
      ])
  }

  @Test func `keeps the order of events that swallowed others`() {
    var older = event(1)
    older.absorb(event(2))
    var newer = event(3)
    newer.absorb(event(4))
    older.absorb(newer)
    #expect(older.earlier.map(\.revision) == [1, 2, 3])
    #expect(older.revision == 4)
  }

  @Test func `keeps the newest 100`() {
    var merged = event(1)
    for revision in 2...150 { merged.absorb(event(revision)) }
    #expect(merged.earlier.map(\.revision) == Array(50...149))
  }

  @Test func `says only what differs between the ends, in the order of the state`() {
    let merged = merged([
      snapshot(["a": "1", "b": "1", "c": "1"]), snapshot(["a": "1", "b": "1", "c": "2"]),
      snapshot(["a": "2", "b": "9", "c": "2"]), snapshot(["a": "2", "b": "1", "c": "3"]),
    ])
    #expect(merged.sections.map(\.name) == ["a", "c"])
  }

  @Test(
    arguments: [
      // From the oldest start to the newest end.
      (["0.1", "0.2", "0.3"], [Motion("a", "0.1", "0.3", .smooth)]), (["0.1", "0.2", "0.1"], []),
      // What was not there on the way comes from where the client saw it, or from 0.
      (["0.25", nil, "0.5"], [Motion("a", "0.25", "0.5", .smooth)]),
      ([nil, "0.25", "0.5"], [Motion("a", "0", "0.5", .smooth)]), (["0.5", "0.75", nil], []),
    ] as [([String?], [Motion])])
  func `moves from the state that the client knows to the newest`(values: [String?], motion: [Motion]) {
    let states = values.map { value in
      snapshot([:], figures: value.map { [.init("a", $0, fillsAtFirst: true)] } ?? [])
    }
    #expect(merged(states).motion == motion)
  }

  @Test func `fills for the first time, whatever came after that`() {
    let states = [
      snapshot([:], isLoading: true), snapshot([:], figures: [.init("a", "0.2", fillsAtFirst: true)]),
      snapshot([:], figures: [.init("a", "0.3", fillsAtFirst: true)]),
    ]
    #expect(merged(states).motion == [Motion("a", "0", "0.3", .hero)])
  }

  @Test func `shows a level at the end that changed on the way`() {
    func state(_ value: String, _ level: String) -> StateSnapshot {
      snapshot([:], figures: [.init("a", value, level: level)])
    }
    #expect(
      merged([state("0", "x"), state("1", "y"), state("2", "y")]).motion == [
        Motion("a", "0", "2", .smooth, thenLevel: true)
      ])
    #expect(merged([state("0", "x"), state("1", "y"), state("2", "x")]).motion == [Motion("a", "0", "2", .smooth)])
  }

  @Test(arguments: [([true, false], Motion("a", "0", "2", .smooth)), ([false, true], Motion("a", "2", "2", .fade))])
  func `moves as much as the person wants by now`(reduceMotion: [Bool], motion: Motion) {
    let states = ["0", "1", "2"].map { snapshot([:], figures: [.init("a", $0)]) }
    #expect(merged(states, reduceMotion: reduceMotion).motion == [motion])
  }

  @Test func `does not grow with what came and went`() {
    let states = (0...500).map { snapshot([:], figures: [.init("meter \($0)", "1", fillsAtFirst: true)]) }
    #expect(merged(states).motion == [Motion("meter 500", "0", "1", .smooth)])
  }
}

struct StateFeedTests {
  private let first = snapshot(["a": "1", "b": "2"], figures: [.init("f", "1")])

  @Test func `counts transitions from 0`() {
    var feed = StateFeed(plugin: "plan", initial: first)
    #expect(feed.revision == 0)
    #expect(feed.text().description == #"{"revision":0,"state":{"a":1,"b":2}}"#)
    let second = snapshot(["a": "1", "b": "3"], figures: [.init("f", "2")])
    let id = RequestID(Array("1.0".utf8))
    let event = feed.move(
      to: second, .init(cause: "set", requestID: id, feedback: .selection, announcement: .init("moved", .polite)))
    #expect(
      event
        == StateEvent(
          plugin: "plan", revision: 1, cause: "set", requestID: Array("1.0".utf8), from: first, to: second,
          feedback: .selection, announcement: .init("moved", .polite)))
    #expect(event?.sections == [StateSection("b", text("3"))])
    #expect(event?.motion == [Motion("f", "1", "2", .smooth)])
    #expect(feed.revision == 1)
    #expect(feed.state == second)
    #expect(feed.text().description == #"{"revision":1,"state":{"a":1,"b":3}}"#)
  }

  @Test func `says nothing where nothing changed`() {
    var feed = StateFeed(plugin: "plan", initial: first)
    _ = feed.text()
    #expect(feed.move(to: first, .init(cause: "set")) == nil)
    #expect(feed.revision == 0)
    #expect(feed.text().description == #"{"revision":0,"state":{"a":1,"b":2}}"#)
    let figuresOnly = snapshot(["a": "1", "b": "2"], figures: [.init("f", "9")])
    #expect(feed.move(to: figuresOnly, .init(cause: "set")) == nil)
    #expect(feed.revision == 0)
    #expect(feed.state == figuresOnly)
  }

  @Test(arguments: [
    StateFeed.Transition(cause: "upgrade", feedback: .error),
    .init(cause: "upgrade", announcement: .init("Upgrade complete", .polite)),
    .init(cause: "set", alerts: [.init(meter: "storage", threshold: text("0.85"))]),
  ])
  func `says what is to feel, to hear or to tell even where nothing changed`(transition: StateFeed.Transition) {
    var feed = StateFeed(plugin: "plan", initial: first)
    let event = feed.move(to: first, transition)
    #expect(event?.sections == [] && event?.revision == 1)
    #expect(event?.feedback == transition.feedback && event?.announcement == transition.announcement)
    #expect(event?.alerts == transition.alerts)
  }

  @Test func `places changes where less motion is wanted`() {
    var feed = StateFeed(plugin: "plan", initial: first)
    let event = feed.move(
      to: snapshot(["a": "2", "b": "2"], figures: [.init("f", "2")]), .init(cause: "set"), reduceMotion: true)
    #expect(event?.motion == [Motion("f", "2", "2", .fade)])
  }
}
