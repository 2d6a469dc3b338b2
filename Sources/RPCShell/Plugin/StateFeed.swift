/// A plugin's newest state and its revision: the value that turns each new state into an event.
public struct StateFeed: Sendable {
  /// Why a state changes, and what a person feels, hears and is told of it.
  public struct Transition: Sendable {
    /// What changes it: `upgrade`, `initialize`, `clock`.
    public var cause: String
    /// The request behind it, while it is unanswered.
    public var requestID: RequestID?
    /// What is felt; nil is nothing.
    public var feedback: StateEvent.Feedback?
    /// What is read aloud; nil is nothing.
    public var announcement: StateEvent.Announcement?
    /// What somebody asked to be told of.
    public var alerts: [StateEvent.Alert]

    public init(
      cause: String, requestID: RequestID? = nil, feedback: StateEvent.Feedback? = nil,
      announcement: StateEvent.Announcement? = nil, alerts: [StateEvent.Alert] = []
    ) {
      self.cause = cause
      self.requestID = requestID
      self.feedback = feedback
      self.announcement = announcement
      self.alerts = alerts
    }
  }

  private let plugin: String
  /// Transitions so far; 0 is the state that a session starts with.
  public private(set) var revision = 0
  /// The newest state.
  public private(set) var state: StateSnapshot
  private var cachedText: JSONText?

  /// - Parameter plugin: its name, for the events.
  public init(plugin: String, initial: StateSnapshot) {
    self.plugin = plugin
    state = initial
  }

  /// Moves on to a new state.
  /// - Returns: the event to publish; nil when nothing changed and there is nothing to feel, to hear or to tell.
  public mutating func move(
    to newer: StateSnapshot, _ transition: Transition, reduceMotion: Bool = false
  ) -> StateEvent? {
    let event = StateEvent(
      plugin: plugin, revision: revision + 1, cause: transition.cause, requestID: transition.requestID?.text,
      from: state, to: newer, reduceMotion: reduceMotion, feedback: transition.feedback,
      announcement: transition.announcement, alerts: transition.alerts)
    state = newer
    guard !event.isEmpty else { return nil }
    revision += 1
    cachedText = nil
    return event
  }

  /// `{"revision":…,"state":{…}}` with every section; written once per revision.
  public mutating func text() -> JSONText {
    if let cachedText { return cachedText }
    let text = JSONText { writer in
      writer.object { result in
        result.member("revision", revision)
        result.key("state")
        result.object { members in
          for section in state.sections { section.write(to: &members) }
        }
      }
    }
    cachedText = text
    return text
  }
}
