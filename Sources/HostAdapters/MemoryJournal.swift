import AccountModel
import RPCShell

/// The newest actions with their ends. Looking one up costs the same however many there are.
struct MemoryJournal {
  struct Entry: Sendable {
    let intent: Intent
    /// nil while it runs.
    var outcome: IntentOutcome?

    var journalEntry: JournalEntry { JournalEntry(intent, outcome: outcome?.name, isInterrupted: false) }
  }

  /// Actions that are remembered.
  private static let depth = 10_000

  /// In the order in which they began; nil is what was forgotten or tried again.
  private var entries: [Entry?] = []
  private var count = 0
  /// Where the entry of a key stands.
  private var places: [ExactText: Int] = [:]

  /// Enters an action, unless its key is known as one that runs, is done, or is about something else.
  mutating func begin(_ intent: Intent) -> IntentStart {
    if let at = places[ExactText(intent.key)], let known = entries[at] {
      guard known.intent.action == intent.action else { return .conflict }
      if let outcome = known.outcome, outcome.name.isDone { return .ended(outcome) }
      guard known.intent.digest.isExactly(intent.digest) else { return .conflict }
      if known.outcome == nil { return .busy(intent.action) }
      remove(at)
    }
    // Also where one key is tried again and again.
    if entries.count >= 2 * Self.depth { closeGaps() }
    places[ExactText(intent.key)] = entries.count
    entries.append(Entry(intent: intent))
    count += 1
    if count > Self.depth { forgetOldest() }
    return .begun
  }

  /// - Parameter key: of an action that may have been forgotten.
  mutating func end(_ key: String, _ outcome: IntentOutcome) {
    if let at = places[ExactText(key)] { entries[at]?.outcome = outcome }
  }

  func find(_ key: String) -> Entry? { places[ExactText(key)].flatMap { entries[$0] } }

  /// The newest attempt at each action.
  var newestOfEach: [Entry] {
    HostAction.allCases.compactMap { action in entries.last { $0?.intent.action == action } ?? nil }
  }

  /// The newest first.
  func newest(_ limit: Int) -> [Entry] { Array(entries.reversed().lazy.compactMap(\.self).prefix(limit)) }

  private mutating func remove(_ at: Int) {
    guard let entry = entries[at] else { return }
    places[ExactText(entry.intent.key)] = nil
    entries[at] = nil
    count -= 1
  }

  /// What runs is kept.
  private mutating func forgetOldest() {
    if let at = entries.firstIndex(where: { $0?.outcome != nil }) { remove(at) }
  }

  private mutating func closeGaps() {
    entries.removeAll { $0 == nil }
    for (at, entry) in entries.enumerated() { if let entry { places[ExactText(entry.intent.key)] = at } }
  }
}
