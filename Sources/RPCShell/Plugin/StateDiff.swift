/// The one place that computes the difference between two states of a plugin.
struct StateDiff: Equatable, Sendable {
  /// The sections that changed, each whole, in the order of the newer state.
  let sections: [StateSection]
  let motion: [Motion]

  var isEmpty: Bool { sections.isEmpty }

  init(from old: StateSnapshot, to new: StateSnapshot, reduceMotion: Bool) {
    var former = Former(old.sections, name: \.name)
    sections = new.sections.enumerated().compactMap { $1.changed(since: former.find($1.name, at: $0)) }
    let motion = Self.figureMotions(from: old, to: new) + Self.phaseMotions(from: old, to: new)
    self.motion = reduceMotion ? motion.map(\.reduced) : motion
  }

  /// A figure moves from its old value; a new one from 0.
  private static func figureMotions(from old: StateSnapshot, to new: StateSnapshot) -> [Motion] {
    var former = Former(old.figures, name: \.target)
    let endsLoading = old.isLoading && !new.isLoading
    return new.figures.enumerated().compactMap { at, figure in
      let known = former.find(figure.target, at: at)
      let from = known?.value ?? JSONText(trusted: [UInt8(ascii: "0")])
      guard from != figure.value else { return nil }
      if known == nil && !figure.fillsAtFirst { return nil }
      return Motion(
        target: figure.target, from: from, to: figure.value, curve: endsLoading ? .hero : .smooth,
        thenLevel: known != nil && known?.level != figure.level)
    }
  }

  private static func phaseMotions(from old: StateSnapshot, to new: StateSnapshot) -> [Motion] {
    guard !(old.isLoading && !new.isLoading) else { return [] }
    var former = Former(old.phases, name: \.target)
    return new.phases.enumerated().compactMap { at, phase in
      former.find(phase.target, at: at) == phase ? nil : Motion(target: phase.target, curve: .snappy)
    }
  }
}

/// Finds parts of the old state by name: most stand where they stood, and are found without a table.
private struct Former<Part> {
  private let parts: [Part]
  private let name: (Part) -> String
  private var places: [ExactText: Int]?

  init(_ parts: [Part], name: @escaping (Part) -> String) {
    self.parts = parts
    self.name = name
  }

  /// - Parameter place: where the part stands in the new state.
  mutating func find(_ wanted: String, at place: Int) -> Part? {
    if place < parts.count && name(parts[place]).isExactly(wanted) { return parts[place] }
    if places == nil { places = Dictionary(parts.enumerated().map { (ExactText(name($1)), $0) }) { $1 } }
    return places?[ExactText(wanted)].map { parts[$0] }
  }
}

/// How one part of the page gets from its old look to its new one.
public struct Motion: Equatable, Sendable {
  /// How it moves.
  public enum Curve: String, Sendable {
    /// The first fill.
    case hero
    /// A figure that changes.
    case smooth
    /// A state that changes.
    case snappy
    /// Anything, for a person who wants less motion.
    case fade
  }

  /// What moves: a section's name, or `usage/<meter>`.
  public var target: String
  /// The old figure, a JSON number; nil where a section changes its phase.
  public var from: JSONText?
  /// The new figure.
  public var to: JSONText?
  /// How it moves.
  public var curve: Curve
  /// The level changes with this move: a client plays the move, then applies colour and text.
  public var thenLevel = false

  public init(target: String, from: JSONText? = nil, to: JSONText? = nil, curve: Curve, thenLevel: Bool = false) {
    self.target = target
    self.from = from
    self.to = to
    self.curve = curve
    self.thenLevel = thenLevel
  }

  /// The same without movement.
  var reduced: Motion {
    var motion = self
    motion.from = to
    motion.curve = .fade
    return motion
  }

  func write(to writer: inout JSONWriter) {
    writer.object { motion in
      motion.member("target", target)
      if let from { motion.member("from", from) }
      if let to { motion.member("to", to) }
      motion.member("curve", curve.rawValue)
      if thenLevel { motion.member("then", "level") }
    }
  }
}
