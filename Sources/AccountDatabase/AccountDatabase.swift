public import AccountModel
public import RPCShell

/// Keeps an account and its journal in a database, on a thread of its own.
///
/// What was told and could not be written is tried again before anything else is done. Beside the database there is a copy
/// of the plan for when it cannot be read, and a log of what was done.
public final class AccountDatabase: AccountStore {
  /// What is kept, and where what stands beside the database is.
  public struct Settings: Sendable {
    /// Tells accounts in one database apart.
    public var accountID: String
    /// What the account starts with; nil where nothing is known then.
    public var initial: PlanUsage?
    /// The plans that can be had, which are kept for sessions that are not told; nil where this one is not.
    public var catalogue: [PlanUsage]?
    /// What is beside the database; nil leaves it out.
    public var companions: CompanionFiles?

    public init(
      accountID: String = "default", initial: PlanUsage? = nil, catalogue: [PlanUsage]? = nil,
      companions: CompanionFiles? = nil
    ) {
      self.accountID = accountID
      self.initial = initial
      self.catalogue = catalogue
      self.companions = companions
    }
  }

  /// The file or server, without secrets.
  public let name: String
  private let thread: DatabaseThread<AccountDesk>
  private let executor: LoopExecutor

  /// Nothing is opened yet.
  /// - Parameters:
  ///   - executor: the session's own.
  ///   - now: the time of day in seconds since 1970-01-01T00:00:00Z.
  ///   - log: takes a line for the person at the terminal, on any thread.
  public init(
    _ engine: any DatabaseEngine, _ settings: Settings, executor: LoopExecutor, now: @escaping @Sendable () -> Double,
    log: @escaping @Sendable (String) -> Void
  ) {
    name = engine.name
    thread = DatabaseThread(AccountDesk(engine, settings, now: now, log: log))
    self.executor = executor
  }

  // MARK: The seam

  public func load() -> Eventual<Result<AccountRecord, StoreFailure>> {
    thread.perform { $0.answer { desk throws(DatabaseFailure) in try desk.load() } }
  }

  public func begin(_ intent: Intent, on basis: IntentBasis) -> Eventual<Result<IntentStart, StoreFailure>> {
    thread.perform { $0.answer { desk throws(DatabaseFailure) in try desk.begin(intent, on: basis) } }
  }

  public func end(_ key: String, _ outcome: IntentOutcome) -> Eventual<Result<Void, StoreFailure>> {
    thread.perform { $0.end(key, outcome) }
  }

  public func keep(_ plan: PlanUsage, asOf: DateValue?) -> Eventual<Result<Void, StoreFailure>> {
    let record = AccountRecord(plan: plan, asOf: asOf)
    return thread.perform { $0.answer { desk throws(DatabaseFailure) in try desk.keep(record) } }
  }

  public func find(_ key: String) -> Eventual<Result<JournalEntry?, StoreFailure>> {
    thread.perform { $0.answer { desk throws(DatabaseFailure) in try desk.find(key) } }
  }

  public func catalogue() -> Eventual<Result<[PlanUsage]?, StoreFailure>> {
    thread.perform { $0.answer { desk throws(DatabaseFailure) in try desk.account.catalogue() } }
  }

  public func history(limit: Int) -> Eventual<Result<[JournalEntry], StoreFailure>> {
    thread.perform { $0.answer { desk throws(DatabaseFailure) in try desk.history(limit: limit) } }
  }

  public func watch(_ changed: @escaping @Sendable () -> Void) {
    let report: @Sendable () -> Void = { [executor] in
      Task(executorPreference: executor) { changed() }
    }
    // The watch is the engine's, which is the thread's.
    let look: @Sendable () -> Void = { [weak thread] in
      thread?.add { desk in if desk.wasChangedByOthers() { report() } }
    }
    thread.add { desk in desk.watch(look) }
  }

  // MARK: Commands

  /// Looks through the whole database.
  public func check() -> Eventual<Result<StoreReport, StoreFailure>> {
    thread.perform { $0.answer { desk throws(DatabaseFailure) in try desk.report() } }
  }

  /// The account with its journal, as JSON, also of what can only be read.
  public func export() -> Eventual<Result<JSONText, StoreFailure>> {
    thread.perform { $0.answer(isReading: true) { desk throws(DatabaseFailure) in try desk.exported().jsonText } }
  }

  /// Puts what ``export()`` gave in place of what is there.
  /// - Parameter replaces: also where something is there.
  public func put(_ export: AccountExport, replaces: Bool) -> Eventual<Result<Void, StoreFailure>> {
    thread.perform { $0.answer { desk throws(DatabaseFailure) in try desk.put(export, replaces: replaces) } }
  }
}

/// What a look through a database found.
public struct StoreReport: Sendable, Equatable {
  /// The version of its tables.
  public var version: Int
  /// Lines of the account's journal.
  public var entries: Int
  /// Actions of it whose end is not known.
  public var interrupted: Int
}
