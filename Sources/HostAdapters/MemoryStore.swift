public import AccountModel
public import RPCShell

/// Keeps an account and its journal for as long as the process lives.
///
/// An actor on the session's own thread, from where it is asked without a hop. Nobody else can be at work on it.
public actor MemoryStore: AccountStore {
  private nonisolated let executor: LoopExecutor
  private var record: AccountRecord
  private var journal = MemoryJournal()
  private var opened: (@Sendable () -> Void)?

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - plan: what the account starts with.
  ///   - executor: the session's own.
  ///   - opened: told when it is first needed.
  public init(_ plan: PlanUsage?, executor: LoopExecutor, opened: (@Sendable () -> Void)? = nil) {
    record = AccountRecord(plan: plan)
    self.executor = executor
    self.opened = opened
  }

  public nonisolated func load() -> Eventual<Result<AccountRecord, StoreFailure>> {
    .now(
      .success(
        assumeIsolated { store in
          store.opened?()
          store.opened = nil
          var record = store.record
          record.newest = store.journal.newestOfEach.map(\.journalEntry)
          return record
        }))
  }

  public nonisolated func begin(_ intent: Intent, on basis: IntentBasis) -> Eventual<Result<IntentStart, StoreFailure>>
  {
    .now(.success(assumeIsolated { $0.journal.begin(intent) }))
  }

  public nonisolated func end(_ key: String, _ outcome: IntentOutcome) -> Eventual<Result<Void, StoreFailure>> {
    .now(
      .success(
        assumeIsolated { store in
          if let plan = outcome.plan { store.record = AccountRecord(plan: plan) }
          store.journal.end(key, outcome)
        }))
  }

  public nonisolated func keep(_ plan: PlanUsage, asOf: DateValue?) -> Eventual<Result<Void, StoreFailure>> {
    .now(.success(assumeIsolated { $0.record = AccountRecord(plan: plan, asOf: asOf) }))
  }

  public nonisolated func find(_ key: String) -> Eventual<Result<JournalEntry?, StoreFailure>> {
    .now(.success(assumeIsolated { $0.journal.find(key)?.journalEntry }))
  }

  /// Nobody else is there to have named one.
  public nonisolated func catalogue() -> Eventual<Result<[PlanUsage]?, StoreFailure>> { .now(.success(nil)) }

  public nonisolated func history(limit: Int) -> Eventual<Result<[JournalEntry], StoreFailure>> {
    .now(.success(assumeIsolated { $0.journal.newest(limit).map(\.journalEntry) }))
  }

  public nonisolated func watch(_ changed: @escaping @Sendable () -> Void) {}
}
