public import AccountModel
public import RPCShell

/// Keeps an account's plan for as long as the process lives.
///
/// An actor on the session's own thread, from where it is asked without a hop.
public actor MemoryStore: PlanStore {
  private nonisolated let executor: LoopExecutor
  private var current: PlanUsage?

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - plan: what the account starts with.
  ///   - executor: the session's own.
  public init(_ plan: PlanUsage?, executor: LoopExecutor) {
    current = plan
    self.executor = executor
  }

  public nonisolated func plan() -> PlanUsage? { assumeIsolated { $0.current } }
  public nonisolated func keep(_ plan: PlanUsage) { assumeIsolated { $0.current = plan } }
}
