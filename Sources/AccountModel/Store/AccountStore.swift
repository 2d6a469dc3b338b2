public import RPCShell

/// Where an account is kept, with the journal of what was done to it: the seam behind which memory, a file or a server
/// stands.
///
/// All is called on the session's thread and must not wait there: what takes its time is returned as
/// ``Eventual/later(_:)`` and done on a thread of its own. Calls are carried out in the order in which they were made.
public protocol AccountStore: Sendable {
  /// Reads the account, and opens what it is in at the first call.
  func load() -> Eventual<Result<AccountRecord, StoreFailure>>

  /// Writes down that an action is about to be done, before its handler runs, unless the journal knows its key.
  ///
  /// ``IntentStart/begun`` is on disk when it is returned, and from then until ``end(_:_:)`` no other session can begin
  /// an action of the same account that excludes this one; should the session be killed, the intent is
  /// ``AccountRecord/interrupted`` for the next that looks.
  /// - Parameter basis: what the session takes for granted, which is not so any more where another session was at work.
  func begin(_ intent: Intent, on basis: IntentBasis) -> Eventual<Result<IntentStart, StoreFailure>>

  /// Writes down how an action ended, and the plan that it brought, together; when that plan was read is not known.
  ///
  /// Also of an action that was interrupted, failed or is pending: a person who does not want it any more makes it
  /// `cancelled`.
  func end(_ key: String, _ outcome: IntentOutcome) -> Eventual<Result<Void, StoreFailure>>

  /// Keeps a plan that the host handed over, unless one is kept that was read later: two sessions may keep at once.
  /// - Parameter asOf: when it was read, where the host says so.
  func keep(_ plan: PlanUsage, asOf: DateValue?) -> Eventual<Result<Void, StoreFailure>>

  /// The plans that can be had, the lowest first, as a session's configuration named them last; nil where none did.
  func catalogue() -> Eventual<Result<[PlanUsage]?, StoreFailure>>

  /// What was done under a key; nil where the journal does not know it.
  func find(_ key: String) -> Eventual<Result<JournalEntry?, StoreFailure>>

  /// The journal, newest first: one entry for each key, the newest attempt.
  /// - Parameter limit: entries at most.
  func history(limit: Int) -> Eventual<Result<[JournalEntry], StoreFailure>>

  /// Has changes that other sessions make reported from now on, those since the newest ``load()`` included.
  /// - Parameter changed: called on the session's thread; the account is to be loaded again.
  func watch(_ changed: @escaping @Sendable () -> Void)
}

/// A value that is there, or that it takes time to come to.
public enum Eventual<Value: Sendable>: Sendable {
  case now(Value)
  case later(@Sendable () async -> Value)

  /// The value, waited for where it takes its time. What is there already is given without a suspension.
  public func get() async -> Value {
    switch self {
    case .now(let value): value
    case .later(let value): await value()
    }
  }
}

/// What is known of an account.
public struct AccountRecord: Sendable, Equatable {
  /// nil while nothing is known.
  public var plan: PlanUsage?
  /// When the plan was read, where somebody said so.
  public var asOf: DateValue?
  /// Actions that were begun and whose end nobody wrote down: their session is gone, and whether they were done is not
  /// known. Oldest first.
  public var interrupted: [Intent]
  /// The newest attempt at each action that was ever tried.
  public var newest: [JournalEntry]

  /// An account to which nothing was done.
  public init(
    plan: PlanUsage?, asOf: DateValue? = nil, interrupted: [Intent] = [], newest: [JournalEntry] = []
  ) {
    self.plan = plan
    self.asOf = asOf
    self.interrupted = interrupted
    self.newest = newest
  }

  /// The newest attempt at an action.
  public func newest(_ action: HostAction) -> JournalEntry? { newest.first { $0.intent.action == action } }
}

/// Why an account could not be read or written: error 109.
public struct StoreFailure: Error, Sendable, Equatable {
  /// One sentence for a person that names the file or server, what is wrong and, where there is something, what to do:
  /// `The account store /home/me/.local/state/rpcshell/account.db is no database; move it away to start over`.
  public var message: String
  /// The file or server, without secrets: `data.file`.
  public var file: String
  /// The last account that could be read, to be shown as stale; nil where none is known.
  public var lastGood: AccountRecord?

  /// A failure, with the last good copy if there is one.
  public init(_ message: String, file: String, lastGood: AccountRecord? = nil) {
    self.message = message
    self.file = file
    self.lastGood = lastGood
  }
}
