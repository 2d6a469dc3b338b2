/// How a handler's run ended.
public enum HandlerEnd: Sendable {
  /// It succeeded; a late success after a cancel or a time limit is kept.
  case succeeded(ActionResult)
  /// The person backed out.
  case backedOut
  case failed(ActionFailure)
  /// It was told to stop, and did or was given up.
  case stopped(StopReason)
}

/// One run of a handler, with its time limit and its cancellation: whatever happens first, one end.
public actor HandlerRun {
  /// How long a handler may take to end after it was told to stop at the end of a session, which has no more time.
  static let graceAtEnd = Duration.milliseconds(50)

  private let host: PluginHost
  private let handler: any ActionHandler
  private let call: ActionCall
  private let stop: StopSignal
  private var waiting: CheckedContinuation<HandlerEnd, Never>?
  private var end: HandlerEnd?
  private var work: Task<Void, Never>?
  private var limit: Task<Void, Never>?
  private var deadline: Task<Void, Never>?

  public nonisolated var unownedExecutor: UnownedSerialExecutor { host.executor.asUnownedSerialExecutor() }

  public init(_ handler: any ActionHandler, _ call: ActionCall, stop: StopSignal, host: PluginHost) {
    self.host = host
    self.handler = handler
    self.call = call
    self.stop = stop
  }

  /// Runs the handler. Cancelling the calling task tells the handler to stop.
  ///
  /// - Parameter progress: called on the session's thread for each report, until the run ends.
  public func run(progress: @escaping @Sendable (ActionProgress) -> Void) async -> HandlerEnd {
    // A cancel in the same write: what was not begun is not begun any more.
    if let reason = stop.reason { return .stopped(reason) }
    // The preference keeps what is isolated to nobody (closures in a handler, a clock's sleep) on the session's thread.
    work = Task(executorPreference: host.executor) { await self.perform(progress) }
    limit = Task(executorPreference: host.executor) {
      try? await self.host.clock.sleep(for: .seconds(self.call.timeout))
      if !Task.isCancelled { await self.tellToStop(.timeLimit) }
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if let end { continuation.resume(returning: end) } else { waiting = continuation }
      }
    } onCancel: {
      Task(executorPreference: host.executor) { await self.tellToStop(self.stop.reason ?? .cancelled) }
    }
  }

  private func perform(_ progress: @escaping @Sendable (ActionProgress) -> Void) async {
    do {
      let result = try await handler.run(call, host: host, progress: progress)
      switch result.outcome {
      case .completed, .presented, .pending: finish(.succeeded(result))
      case .cancelled: finish(interrupted ?? .backedOut)
      case .failed: finish(interrupted ?? .failed(ActionFailure(message: result.message)))
      }
    } catch is CancellationError {
      finish(interrupted ?? .backedOut)
    } catch let failure as ActionFailure {
      finish(interrupted ?? .failed(failure))
    } catch {
      finish(interrupted ?? .failed(ActionFailure(message: nil)))
    }
  }

  /// A handler that was told to stop and did not succeed has stopped, whatever it says.
  private var interrupted: HandlerEnd? { stop.reason.map { .stopped($0) } }

  private func tellToStop(_ reason: StopReason) {
    guard end == nil else { return }
    stop.set(reason)
    let reason = stop.reason ?? reason
    work?.cancel()
    if reason != .drained && deadline != nil { return }
    deadline?.cancel()
    deadline = Task(executorPreference: host.executor) {
      try? await self.host.clock.sleep(for: reason == .drained ? Self.graceAtEnd : self.handler.grace)
      if !Task.isCancelled { await self.finish(.stopped(reason)) }
    }
  }

  private func finish(_ end: HandlerEnd) {
    guard self.end == nil else { return }
    self.end = end
    work?.cancel()
    limit?.cancel()
    deadline?.cancel()
    waiting?.resume(returning: end)
    waiting = nil
  }
}
