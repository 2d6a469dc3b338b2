import Glibc
private import Synchronization

/// Work that waits (walks over trees, databases, servers): on a thread of its own, so that the session's thread never
/// waits, and none of the concurrency pool's few is taken.
public enum BlockingWork {
  /// Runs the work to its end, and comes back to where the caller was. Cancelling the task tells the work to stop;
  /// whether it does, and with what, is its own matter.
  public static func run<Value: Sendable>(
    _ work: @escaping @Sendable (StopFlag) -> Value
  ) async -> Value {
    let flag = StopFlag()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        start { waiting.resume(returning: work(flag)) }
      }
    } onCancel: {
      flag.set()
    }
  }

  /// Starts a thread, or does the work here where the system has none left.
  private static func start(_ body: @escaping @Sendable () -> Void) {
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

/// Says to work on another thread that it is not wanted any more.
public final class StopFlag: Sendable {
  private let value = Atomic<Bool>(false)

  public init() {}

  public var isSet: Bool { value.load(ordering: .relaxed) }

  public func set() { value.store(true, ordering: .relaxed) }
}
