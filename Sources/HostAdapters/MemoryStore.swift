public import AccountModel
public import RPCShell

/// Keeps an account and its journal for as long as the process lives.
///
/// An actor on the session's own thread, from where it is asked without a hop. Nobody else can be at work on it.
public actor MemoryStore: AccountStore {
  /// Actions that are remembered: the newest.
  private static let depth = 1000

  private nonisolated let executor: LoopExecutor
  private var record: AccountRecord
  /// Oldest first.
  private var journal: [(intent: Intent, outcome: IntentOutcome?)] = []

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - plan: what the account starts with.
  ///   - executor: the session's own.
  public init(_ plan: PlanUsage?, executor: LoopExecutor) {
    record = AccountRecord(plan: plan)
    self.executor = executor
  }

  public nonisolated func load() -> Eventual<Result<AccountRecord, StoreFailure>> {
    .now(.success(assumeIsolated { $0.record }))
  }

  public nonisolated func begin(_ intent: Intent) -> Eventual<Result<IntentStart, StoreFailure>> {
    .now(.success(assumeIsolated { $0.start(intent) }))
  }

  public nonisolated func end(_ key: String, _ outcome: IntentOutcome) -> Eventual<Result<Void, StoreFailure>> {
    .now(.success(assumeIsolated { $0.finish(key, outcome) }))
  }

  public nonisolated func keep(_ plan: PlanUsage, asOf: DateValue?) -> Eventual<Result<Void, StoreFailure>> {
    .now(.success(assumeIsolated { $0.record = AccountRecord(plan: plan, asOf: asOf) }))
  }

  public nonisolated func history(limit: Int) -> Eventual<Result<[JournalEntry], StoreFailure>> {
    .now(
      .success(
        assumeIsolated { store in
          store.journal.suffix(limit).reversed().map {
            JournalEntry($0.intent, outcome: $0.outcome?.name, isInterrupted: false)
          }
        }))
  }

  public nonisolated func watch(_ changed: @escaping @Sendable () -> Void) {}

  // MARK: The journal

  private func start(_ intent: Intent) -> IntentStart {
    if let at = place(of: intent.key) {
      let known = journal[at]
      guard known.intent.action == intent.action else { return .conflict }
      if let outcome = known.outcome, outcome.name.isDone { return .ended(outcome) }
      guard known.intent.digest.isExactly(intent.digest) else { return .conflict }
      if known.outcome == nil { return .busy(intent.action) }
      journal.remove(at: at)
    }
    journal.append((intent, nil))
    if journal.count > Self.depth, let oldest = journal.firstIndex(where: { $0.outcome != nil }) {
      journal.remove(at: oldest)
    }
    return .begun
  }

  private func finish(_ key: String, _ outcome: IntentOutcome) {
    if let plan = outcome.plan { record = AccountRecord(plan: plan) }
    if let at = place(of: key) { journal[at].outcome = outcome }
  }

  private func place(of key: String) -> Int? { journal.lastIndex { $0.intent.key.isExactly(key) } }
}
