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
  /// Its value.
  public var text: JSONText

  public init(_ name: String, _ text: JSONText) {
    self.name = name
    self.text = text
  }
}
