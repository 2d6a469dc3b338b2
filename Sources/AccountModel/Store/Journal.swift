public import RPCShell

/// An action that somebody wants to be done once.
public struct Intent: Sendable, Equatable {
  /// The idempotency key: the caller's, else one made for this intent, as ``keySchema`` says.
  public var key: String
  /// What is to be done.
  public var action: HostAction
  /// Tells what the action is about (the offer that was accepted) from other things that the same key must not stand for.
  public var digest: String
  /// When it was begun, in seconds since 1970-01-01T00:00:00Z.
  public var time: Double

  public init(key: String, action: HostAction, digest: String, time: Double) {
    self.key = key
    self.action = action
    self.digest = digest
    self.time = time
  }
}

extension Intent {
  /// What an idempotency key looks like: it is handed to handlers as it is, also as an HTTP header.
  public static var keySchema: Schema {
    .checked(.string(maxBytes: 255, nonEmpty: true), expected: "a string without control characters") { value in
      value.string?.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } ?? false
    }
  }
}

/// What a session takes for granted when it begins an action.
public struct IntentBasis: Sendable, Equatable {
  /// The plan that it showed; nil where the action does not depend on it.
  public var plan: PlanUsage?
  /// Whether the key is new: the caller named none, and the session knew of no attempt to go on with.
  public var isKeyNew: Bool

  public init(plan: PlanUsage? = nil, isKeyNew: Bool = false) {
    self.plan = plan
    self.isKeyNew = isKeyNew
  }
}

/// What comes of the wish to begin an action.
public enum IntentStart: Sendable, Equatable {
  /// It is written down; the handler may run. Also when an action with this key was interrupted, failed or was backed
  /// out of before: it is tried again under the same key.
  case begun
  /// It was done before: this is how it ended (`completed`, `presented`, `pending`), whatever it would be about now.
  case ended(IntentOutcome)
  /// The key stands for another action, or for one that is not done and was about something else.
  case conflict
  /// An action that excludes it runs in another session.
  case busy(HostAction)
  /// Another session has changed what is offered since the account was read here: it is to be read again.
  case outdated
  /// An attempt at the same, of another session, came to no known end: it is to be gone on with, under its key.
  case unfinished(key: String)
}

/// How an action ended, as the journal keeps it.
public struct IntentOutcome: Sendable, Equatable {
  /// In one word. `failed` counts the actions that ran into their time limit or were stopped, too: whether they were done
  /// is not known.
  public enum Name: String, Sendable, CaseIterable {
    case completed, presented, pending, cancelled, failed

    /// Whether it came to something, so that it is not done again under the same key.
    public var isDone: Bool { self == .completed || self == .presented || self == .pending }
  }

  public var name: Name
  /// Members of the answer beside `outcome` and `revision`, in order: `restored`, `url`.
  public var members: [RPCError.Member]
  /// The plan that the action brought, to be kept.
  public var plan: PlanUsage?
  /// When it ended, in seconds since 1970-01-01T00:00:00Z.
  public var time: Double

  public init(_ name: Name, members: [RPCError.Member] = [], plan: PlanUsage? = nil, time: Double) {
    self.name = name
    self.members = members
    self.plan = plan
    self.time = time
  }
}

/// One action in the journal.
public struct JournalEntry: Sendable, Equatable {
  public var intent: Intent
  /// nil while it runs, and for ever where it was interrupted.
  public var outcome: IntentOutcome.Name?
  /// Whether it has no end and nobody works on it.
  public var isInterrupted: Bool

  public init(_ intent: Intent, outcome: IntentOutcome.Name?, isInterrupted: Bool) {
    self.intent = intent
    self.outcome = outcome
    self.isInterrupted = isInterrupted
  }
}
