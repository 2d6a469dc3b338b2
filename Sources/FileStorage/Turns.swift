import RPCShell

/// Lets one after the other do something that takes its time.
actor Turns {
  private let executor: LoopExecutor
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameter executor: the session's own.
  init(_ executor: LoopExecutor) { self.executor = executor }

  /// Waits for the turn, which ``end()`` gives to the next.
  /// - Throws: `CancellationError`; then the turn is the next one's already.
  func begin() async throws {
    if isTaken { await withCheckedContinuation { waiting.append($0) } } else { isTaken = true }
    guard Task.isCancelled else { return }
    end()
    throw CancellationError()
  }

  func end() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
