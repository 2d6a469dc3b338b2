/// Sleeps on a session's own thread, so that holds and time limits need no other.
public struct LoopClock: Clock {
  public typealias Instant = MonotonicTime

  private let executor: LoopExecutor

  public init(executor: LoopExecutor) { self.executor = executor }

  public var now: Instant { .now }
  public var minimumResolution: Duration { .milliseconds(1) }

  /// - Throws: `CancellationError` when the task is cancelled first.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let timer = executor.makeTimer()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        executor.schedule(timer, at: deadline) { end in
          switch end {
          case .fired: continuation.resume()
          case .cancelled: continuation.resume(throwing: CancellationError())
          }
        }
        // The task may have been cancelled before there was a timer to cancel.
        if Task.isCancelled { executor.cancel(timer: timer) }
      }
    } onCancel: {
      executor.cancel(timer: timer)
    }
  }
}
