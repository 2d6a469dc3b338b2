/// A list in a section that may be long: an event says which rows changed, at a cost that does not follow the length.
///
/// A value. Rows stand in chunks that are shared between the lists of different moments; two lists are compared by
/// looking only into those that are not the same.
public struct StateRows: Sendable {
  /// A row: finished text with an id that no other has.
  public struct Row: Sendable, Equatable {
    public var id: String
    /// An object.
    public var text: JSONText

    public init(id: String, text: JSONText) {
      self.id = id
      self.text = text
    }

    public static func == (one: Row, other: Row) -> Bool { one.text == other.text && one.id.isExactly(other.id) }
  }

  fileprivate final class Chunk: Sendable {
    let rows: [Row]
    init(_ rows: [Row]) { self.rows = rows }
  }

  fileprivate static let chunkSize = 128
  /// Up to so many rows an event has them all.
  public static let wholeLimit = 100

  fileprivate var chunks: [Chunk] = []
  /// How many rows there are.
  public fileprivate(set) var count = 0

  fileprivate init() {}

  /// What a client has to do to get from one list to another.
  public struct Changes: Sendable, Equatable {
    /// Rows that replace the one with their id, or come last, in this order.
    public var changed: [Row] = []
    /// Ids of rows that go, before the others come.
    public var removed: [String] = []
  }

  /// - Returns: nil where the whole list has to be sent: it is short, or what stays stands in another order.
  func changes(since old: StateRows) -> Changes? {
    guard count > Self.wholeLimit, chunks.count >= old.chunks.count else { return nil }
    var changes = Changes()
    for (at, chunk) in chunks.enumerated() {
      guard at < old.chunks.count else {
        changes.changed += chunk.rows
        continue
      }
      if chunk === old.chunks[at] { continue }
      let isLast = at >= old.chunks.count - 1
      guard Self.compare(old.chunks[at].rows, chunk.rows, isLast: isLast, &changes) else { return nil }
    }
    return changes
  }

  /// - Parameter isLast: rows may have come behind these.
  /// - Returns: whether those that stay stand in the same order.
  private static func compare(_ old: [Row], _ new: [Row], isLast: Bool, _ changes: inout Changes) -> Bool {
    var at = new.startIndex
    for row in old {
      if at < new.endIndex && new[at].id.isExactly(row.id) {
        if new[at].text != row.text { changes.changed.append(new[at]) }
        at += 1
      } else {
        changes.removed.append(row.id)
      }
    }
    changes.changed += new[at...]
    return isLast || at == new.endIndex
  }

  /// Whether both lists are the same.
  static func isSame(_ one: StateRows?, _ other: StateRows?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.count == other.count && one.chunks.count == other.chunks.count
      && zip(one.chunks, other.chunks).allSatisfy { $0 === $1 || $0.rows == $1.rows }
  }

  /// Roughly what it takes in memory beside lists of other moments.
  var cost: Int { chunks.count * 16 }

  func write(to list: inout JSONWriter) {
    for chunk in chunks { for row in chunk.rows { list.text(row.text) } }
  }
}

/// A list that changes row by row; each change costs about the same, however long the list is.
public struct StateRowTable: Sendable {
  /// The list as it is now.
  public private(set) var rows = StateRows()
  /// In which chunk each row stands: chunks keep their places.
  private var places: [ExactText: Int] = [:]

  public init() {}

  /// Replaces the row with its id, or adds it at the end.
  public mutating func put(_ row: StateRows.Row) {
    let key = ExactText(row.id)
    if let place = places[key] {
      rows.chunks[place] = StateRows.Chunk(
        rows.chunks[place].rows.map { $0.id.isExactly(row.id) ? row : $0 })
      return
    }
    if let last = rows.chunks.last, last.rows.count < StateRows.chunkSize {
      rows.chunks[rows.chunks.count - 1] = StateRows.Chunk(last.rows + [row])
    } else {
      rows.chunks.append(StateRows.Chunk([row]))
    }
    places[key] = rows.chunks.count - 1
    rows.count += 1
  }

  /// Adds many at the end, none of which is there.
  public mutating func append(_ more: [StateRows.Row]) {
    for start in stride(from: 0, to: more.count, by: StateRows.chunkSize) {
      let part = more[start..<min(start + StateRows.chunkSize, more.count)]
      for row in part { places[ExactText(row.id)] = rows.chunks.count }
      rows.chunks.append(StateRows.Chunk(Array(part)))
    }
    rows.count += more.count
  }

  /// Takes a row away.
  public mutating func remove(_ id: String) {
    guard let place = places.removeValue(forKey: ExactText(id)) else { return }
    rows.chunks[place] = StateRows.Chunk(rows.chunks[place].rows.filter { !$0.id.isExactly(id) })
    rows.count -= 1
  }
}
