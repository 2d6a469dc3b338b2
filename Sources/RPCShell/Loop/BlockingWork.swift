import Glibc

/// Work that waits (walks over trees, databases, servers): on a thread of its own, so that the session's thread never
/// waits, and none of the concurrency pool's few is taken.
public enum BlockingWork {
  /// Runs the work to its end, and comes back to where the caller was.
  ///
  /// - Parameters:
  ///   - isUrgent: false for what nobody waits for, which then leaves the processor to all others (setpriority(2)).
  ///   - onCancel: tells the work to stop when the task is cancelled, maybe before it has begun; whether
  ///     it does so, and with what, is its own matter.
  public static func run<Value: Sendable>(
    isUrgent: Bool = true, _ work: @escaping @Sendable () -> Value, onCancel: @escaping @Sendable () -> Void
  ) async -> Value {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        start(isUrgent: isUrgent) { waiting.resume(returning: work()) }
      }
    } onCancel: {
      onCancel()
    }
  }

  /// Starts a thread, or does the work here where the system has none left.
  package static func start(isUrgent: Bool = true, _ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 1 << 20)
    let box = Unmanaged.passRetained(Body(body, isUrgent: isUrgent))
    var thread = pthread_t()
    let code = pthread_create(&thread, &attributes, { Body.take($0!).runOnItsThread() }, box.toOpaque())
    if code != 0 { Body.take(box.toOpaque()).run() }
  }

  private final class Body: Sendable {
    private let body: @Sendable () -> Void
    private let isUrgent: Bool
    /// As far as a person would go: such work goes on beside what is busy.
    private static let patience: Int32 = 10

    init(_ body: @escaping @Sendable () -> Void, isUrgent: Bool) {
      self.body = body
      self.isUrgent = isUrgent
    }

    static func take(_ pointer: UnsafeMutableRawPointer) -> Body {
      Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue()
    }

    func run() { body() }

    func runOnItsThread() -> UnsafeMutableRawPointer? {
      // On Linux it is the thread's, and that of threads that it starts.
      if !isUrgent { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.patience) }
      run()
      return nil
    }
  }
}
