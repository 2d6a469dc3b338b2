import Glibc

/// Work that waits (walks over trees, databases, servers): on a thread of its own, so that the session's thread never
/// waits, and none of the concurrency pool's few is taken.
public enum BlockingWork {
  /// Runs the work to its end, and comes back to where the caller was.
  ///
  /// - Parameter onCancel: tells the work to stop when the task is cancelled, maybe before it has begun; whether it does
  ///   so, and with what, is its own matter.
  public static func run<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, onCancel: @escaping @Sendable () -> Void
  ) async -> Value {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        start { waiting.resume(returning: work()) }
      }
    } onCancel: {
      onCancel()
    }
  }

  /// Starts a thread, or does the work here where the system has none left.
  package static func start(_ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 1 << 20)
    let box = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let code = pthread_create(&thread, &attributes, { Body.take($0!).run() }, box.toOpaque())
    if code != 0 { _ = Body.take(box.toOpaque()).run() }
  }

  private final class Body: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    static func take(_ pointer: UnsafeMutableRawPointer) -> Body {
      Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue()
    }

    func run() -> UnsafeMutableRawPointer? {
      body()
      return nil
    }
  }
}
