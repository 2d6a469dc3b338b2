/// One transition of a plugin with everything that belongs to it (docs/PROTOCOL.md, "State events").
public struct StateEvent: Equatable, Sendable {
  /// What is felt.
  public enum Feedback: String, Sendable {
    case success, error, selection
  }

  /// What is read aloud.
  public struct Announcement: Equatable, Sendable {
    /// Whether it waits for a pause or interrupts (WAI-ARIA, `aria-live`).
    public enum Politeness: String, Sendable { case polite, assertive }

    /// One sentence in the person's language.
    public var text: String
    /// How urgent it is.
    public var politeness: Politeness

    public init(_ text: String, _ politeness: Politeness) {
      self.text = text
      self.politeness = politeness
    }
  }

  /// The plugin's name; the notification is `<plugin>.state`.
  public var plugin: String
  /// Rises by one with each transition.
  public var revision: Int
  /// What changed it: `upgrade`, `initialize`, `clock`.
  public var cause: String
  /// The id of the request that caused it, as it was sent, until that request is answered.
  public var requestID: [UInt8]?
  /// What is felt; nil is nothing.
  public var feedback: Feedback?
  /// What is read aloud; nil is nothing.
  public var announcement: Announcement?
  /// What somebody asked to be told of: one entry for each meter at most.
  public var alerts: [Alert]
  /// What a merged event swallowed, oldest first.
  public var earlier: [Earlier] = []
  /// The state that the client knows, and the one that it is to know.
  private let before: StateSnapshot
  private var after: StateSnapshot
  private var reduceMotion: Bool
  /// What lies between the two, where it was computed already.
  private var knownDiff: StateDiff?

  /// - Parameters:
  ///   - before: the state of the event before this one.
  ///   - after: the state now.
  public init(
    plugin: String, revision: Int, cause: String, requestID: [UInt8]? = nil, from before: StateSnapshot,
    to after: StateSnapshot, reduceMotion: Bool = false, feedback: Feedback? = nil, announcement: Announcement? = nil,
    alerts: [Alert] = []
  ) {
    self.plugin = plugin
    self.revision = revision
    self.cause = cause
    self.requestID = requestID
    self.before = before
    self.after = after
    self.reduceMotion = reduceMotion
    self.feedback = feedback
    self.announcement = announcement
    self.alerts = alerts
    knownDiff = StateDiff(from: before, to: after, reduceMotion: reduceMotion)
  }

  private var diff: StateDiff { knownDiff ?? StateDiff(from: before, to: after, reduceMotion: reduceMotion) }

  /// The sections that changed, each whole, in the order of the state.
  public var sections: [StateSection] { diff.sections }

  /// What moves, one entry for each target.
  public var motion: [Motion] { diff.motion }

  /// Whether there is nothing to show, to feel, to hear or to tell.
  var isEmpty: Bool {
    diff.isEmpty && feedback == nil && announcement == nil && alerts.isEmpty && earlier.isEmpty
  }

  /// What a person would have felt and heard of a swallowed event.
  public struct Earlier: Equatable, Sendable {
    /// The swallowed event's, as the next three.
    public var revision: Int
    /// See ``StateEvent/cause``.
    public var cause: String
    /// See ``StateEvent/feedback``.
    public var feedback: Feedback?
    /// See ``StateEvent/announcement``.
    public var announcement: Announcement?
  }

  /// How many swallowed events are kept.
  static let earlierLimit = 100

  // MARK: Merging

  /// Takes over what a newer event of the same plugin says: a client that read neither sees one step from the state it
  /// knows to the newest.
  public mutating func absorb(_ newer: StateEvent) {
    earlier.append(Earlier(revision: revision, cause: cause, feedback: feedback, announcement: announcement))
    earlier += newer.earlier
    if earlier.count > Self.earlierLimit { earlier.removeFirst(earlier.count - Self.earlierLimit) }
    after = newer.after
    reduceMotion = newer.reduceMotion
    knownDiff = nil
    revision = newer.revision
    cause = newer.cause
    requestID = newer.requestID
    feedback = newer.feedback
    announcement = newer.announcement
    alerts.absorb(newer.alerts)
  }

  /// Roughly what it takes in memory while it waits to be sent.
  var cost: Int {
    after.sections.reduce(256) { $0 + $1.cost } + 64 * (after.figures.count + earlier.count + alerts.count)
  }

  // MARK: Writing

  /// The `params` of the notification.
  public var params: JSONText {
    let diff = diff
    return JSONText { writer in
      writer.object { event in
        event.member("revision", revision)
        event.member("cause", cause)
        if let requestID { event.member("requestId", JSONText(trusted: requestID)) }
        event.key("state")
        event.object { state in
          for section in diff.sections { section.write(to: &state) }
        }
        if !diff.motion.isEmpty {
          event.key("motion")
          event.array { list in for step in diff.motion { step.write(to: &list) } }
        }
        Self.write(feedback, announcement, to: &event)
        if !alerts.isEmpty {
          event.key("alerts")
          event.array { list in for alert in alerts { alert.write(to: &list) } }
        }
        if !earlier.isEmpty {
          event.key("earlier")
          event.array { list in for entry in earlier { entry.write(to: &list) } }
        }
      }
    }
  }

  fileprivate static func write(_ feedback: Feedback?, _ announcement: Announcement?, to writer: inout JSONWriter) {
    if let feedback { writer.member("feedback", feedback.rawValue) }
    guard let announcement else { return }
    writer.key("announcement")
    writer.object { spoken in
      spoken.member("text", announcement.text)
      spoken.member("politeness", announcement.politeness.rawValue)
    }
  }
}

extension StateEvent.Earlier {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { entry in
      entry.member("revision", revision)
      entry.member("cause", cause)
      StateEvent.write(feedback, announcement, to: &entry)
    }
  }
}
