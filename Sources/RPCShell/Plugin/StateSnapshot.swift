/// All that a plugin shows at one moment, as a value: named sections of finished text, and the few figures and phases
/// that a client animates.
public struct StateSnapshot: Equatable, Sendable {
  /// The sections in the order in which they are sent.
  public var sections: [StateSection]
  /// What moves when it changes (bars, totals), in the order in which motions are listed.
  public var figures: [Figure]
  /// What cross-fades when it changes, in the order in which motions are listed.
  public var phases: [Phase]
  /// Nothing is known yet; on the event that ends this, figures fill from 0.
  public var isLoading: Bool

  public init(sections: [StateSection], figures: [Figure] = [], phases: [Phase] = [], isLoading: Bool = false) {
    self.sections = sections
    self.figures = figures
    self.phases = phases
    self.isLoading = isLoading
  }

  /// A number that a client moves from its old to its new value.
  public struct Figure: Equatable, Sendable {
    /// `usage/storage`
    public var target: String
    /// A JSON number as it stands in the section: `0.82`.
    public var value: JSONText
    /// A level whose change is shown after the move.
    public var level: String?
    /// Whether it fills from 0 with the `hero` curve when loading ends.
    public var fillsAtFirst: Bool

    public init(target: String, value: JSONText, level: String? = nil, fillsAtFirst: Bool = false) {
      self.target = target
      self.value = value
      self.level = level
      self.fillsAtFirst = fillsAtFirst
    }
  }

  /// The state that a section is in.
  public struct Phase: Equatable, Sendable {
    /// The section's name: `upgrade`.
    public var target: String
    /// `working`; nil while the section is null.
    public var value: String?

    public init(target: String, value: String?) {
      self.target = target
      self.value = value
    }
  }
}

/// One named part of a state.
public struct StateSection: Equatable, Sendable {
  /// The member of `state` that it becomes.
  public var name: String
  /// Its value, but for ``rows``.
  public var text: JSONText
  /// The list `rows` at the end of the value, which is an object then.
  public var rows: StateRows?
  /// In an event: which rows changed, in place of all.
  var rowChanges: StateRows.Changes?

  public init(_ name: String, _ text: JSONText, rows: StateRows? = nil) {
    self.name = name
    self.text = text
    self.rows = rows
  }

  public static func == (one: StateSection, other: StateSection) -> Bool {
    one.name == other.name && one.text == other.text && StateRows.isSame(one.rows, other.rows)
      && one.rowChanges == other.rowChanges
  }

  /// The section in an event for a client that knows an older one.
  func changed(since old: StateSection?) -> StateSection? {
    guard old?.text != text || !StateRows.isSame(old?.rows, rows) else { return nil }
    var section = self
    if let rows, let older = old?.rows { section.rowChanges = rows.changes(since: older) }
    return section
  }

  /// Writes the name and the value.
  func write(to state: inout JSONWriter) {
    state.key(name)
    guard let rows else { return state.text(text) }
    state.object(continuing: text) { members in
      guard let rowChanges else {
        members.key("rows")
        return members.array { rows.write(to: &$0) }
      }
      if !rowChanges.changed.isEmpty {
        members.key("changedRows")
        members.array { list in for row in rowChanges.changed { list.text(row.text) } }
      }
      if !rowChanges.removed.isEmpty {
        members.key("removedRows")
        members.array { list in for id in rowChanges.removed { list.string(id) } }
      }
    }
  }

  /// Roughly what it takes in memory.
  var cost: Int { text.bytes.count + (rows?.cost ?? 0) }
}
