import Testing

@testable import RPCShell

/// Long lists, and what a client is told of changes in them.
struct StateRowsTests {
  /// A client's copy of a list, kept up to date as the protocol's page says.
  private struct Copy: Equatable {
    var rows: [StateRows.Row] = []

    mutating func apply(_ section: StateSection) {
      guard let changes = section.rowChanges else { return rows = section.rows?.all ?? [] }
      rows.removeAll { row in changes.removed.contains { $0.isExactly(row.id) } }
      for row in changes.changed {
        if let at = rows.firstIndex(where: { $0.id.isExactly(row.id) }) { rows[at] = row } else { rows.append(row) }
      }
    }
  }

  private static func row(_ id: Int, _ value: Int = 0) -> StateRows.Row {
    StateRows.Row(id: "\(id)", text: JSONText(trusted: Array(#"{"id":"\#(id)","value":\#(value)}"#.utf8)))
  }

  private static func table(_ ids: some Sequence<Int>) -> StateRowTable {
    var table = StateRowTable()
    table.append(ids.map { row($0) })
    return table
  }

  private static func snapshot(_ rows: StateRows, head: Int = 0) -> StateSnapshot {
    StateSnapshot(sections: [StateSection("downloads", JSONText { $0.object { $0.member("count", head) } }, rows: rows)]
    )
  }

  private static func event(_ old: StateRows, _ new: StateRows, revision: Int = 1) -> StateEvent {
    StateEvent(plugin: "storage", revision: revision, cause: "remove", from: snapshot(old), to: snapshot(new))
  }

  @Test func `a list of up to 100 rows is sent whole`() {
    let old = Self.table(0..<101)
    var table = old
    table.remove("7")
    let params = Self.event(old.rows, table.rows).params.description
    #expect(params.contains(#""rows":[{"id":"0","value":0},"#) && !params.contains("removedRows"))
  }

  @Test func `of a longer one only what changed is sent`() {
    let old = Self.table(0..<1_000)
    var table = old
    table.remove("7")
    table.put(Self.row(900, 1))
    table.put(Self.row(5_000))
    #expect(
      Self.event(old.rows, table.rows).params.description
        == #"{"revision":1,"cause":"remove","state":{"downloads":{"count":0,"changedRows":[{"id":"900","value":1},"#
        + #"{"id":"5000","value":0}],"removedRows":["7"]}}}"#)
    table = old
    table.put(Self.row(3, 9))
    #expect(!Self.event(old.rows, table.rows).params.description.contains("removedRows"))
  }

  @Test func `a list in another order is sent whole`() {
    let old = Self.table(0..<300)
    let other = Self.table([1, 0] + Array(2..<300))
    #expect(Self.event(old.rows, other.rows).params.description.contains(#""rows":[{"id":"1""#))
  }

  @Test func `members beside the rows are always whole`() {
    let rows = Self.table(0..<200).rows
    let event = StateEvent(
      plugin: "storage", revision: 1, cause: "remove", from: Self.snapshot(rows), to: Self.snapshot(rows, head: 7))
    #expect(event.params.description == #"{"revision":1,"cause":"remove","state":{"downloads":{"count":7}}}"#)
  }

  @Test func `an event is as small in a list of 100,000 rows as in one of 200`() {
    var sizes: [Int] = []
    for count in [200, 100_000] {
      let old = Self.table(0..<count)
      var table = old
      table.remove("150")
      sizes.append(Self.event(old.rows, table.rows).params.bytes.count)
    }
    #expect(sizes[0] == sizes[1])
  }

  @Test func `lists are told apart by their rows, whatever chunks they stand in`() {
    var one = StateRowTable()
    for id in 0..<300 { one.put(Self.row(id)) }
    let other = Self.table(0..<300)
    #expect(StateRows.isSame(one.rows, other.rows))
    #expect(Self.event(one.rows, other.rows).isEmpty)
    var changed = other
    changed.put(Self.row(299, 1))
    #expect(!StateRows.isSame(one.rows, changed.rows))
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
  func `a client that applies events has the newest list, merged ones included`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = Self.table(0..<Int.random(in: 0...400, using: &random))
    var copy = Copy()
    copy.rows = table.rows.all
    var next = 1_000
    for step in 1...60 {
      let known = table.rows
      var event = Self.event(known, known, revision: step)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let before = table.rows
        for _ in 0..<Int.random(in: 1...30, using: &random) {
          let ids = table.rows.all.map(\.id)
          switch Int.random(in: 0...3, using: &random) {
          case 0: if let id = ids.randomElement(using: &random) { table.remove(id) }
          case 1: if let id = ids.randomElement(using: &random) { table.put(Self.row(Int(id)!, step)) }
          case 2:
            // One that goes may come back, at the end.
            if let id = ids.randomElement(using: &random) {
              table.remove(id)
              table.put(Self.row(Int(id)!, step))
            }
          default:
            next += 1
            table.put(Self.row(next))
          }
        }
        event.absorb(Self.event(before, table.rows, revision: step))
      }
      for section in event.sections { copy.apply(section) }
      #expect(copy.rows == table.rows.all, "seed \(seed), step \(step)")
    }
  }
}

extension StateRows {
  /// All rows in order.
  fileprivate var all: [Row] {
    let text = JSONText { writer in writer.array { write(to: &$0) } }
    let elements = (try? JSONDocument(parsing: text))?.view.elements ?? []
    return elements.map { Row(id: $0["id"]?.string ?? "", text: $0.text) }
  }
}
