import CLinux
import Glibc

/// A whole process that serves one session on its stdin and stdout: streams, signals and time are the real ones.
public enum ShellProcess {
  /// Serves until the session is over.
  ///
  /// - Parameters:
  ///   - options: `interrupts` is filled in here.
  ///   - trace: where every byte in and out is copied to (`--trace`).
  ///   - now: the time of day in seconds since 1970; by default the system's clock.
  ///   - plugins: makes the plugins on the session's executor.
  /// - Returns: what the process should exit with.
  public static func serve(
    _ options: SessionOptions, trace: String? = nil, now: @escaping @Sendable () -> Double = systemTime,
    plugins: @escaping @Sendable (LoopExecutor) -> [any Plugin]
  ) -> ExitStatus {
    var options = options
    guard let streams = StandardStreams.take() else {
      options.log("rpcshell: cannot open descriptors: \(String(cString: strerror(errno)))")
      return .failure
    }
    var source: any ByteSource = streams.input
    var sink: any ByteSink = streams.output
    if let trace {
      guard let files = Trace(path: trace) else {
        options.log(
          "rpcshell: cannot write the trace files \(trace).in and \(trace).out: \(String(cString: strerror(errno)))")
        return .usage
      }
      source = files.tracing(source)
      sink = files.tracing(sink)
    }
    options.interrupts = watchSignals()
    let executor = LoopExecutor()
    guard options.interrupts != nil, executor.canBeWoken else {
      options.log("rpcshell: cannot open descriptors: \(String(cString: strerror(errno)))")
      return .failure
    }
    let session = Session(
      source: source, sink: sink, plugins: plugins(executor), options: options, executor: executor,
      clock: LoopClock(executor: executor), now: now)
    return session.run()
  }

  /// A descriptor that says when SIGTERM or SIGINT came, so that the loop can wait for them.
  private static func watchSignals() -> Int32? {
    var mask = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, SIGTERM)
    // What runs in a shell's background ignores SIGINT, and goes on doing so.
    var inherited = sigaction()
    sigaction(SIGINT, nil, &inherited)
    if unsafeBitCast(inherited.__sigaction_handler.sa_handler, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) {
      sigaddset(&mask, SIGINT)
    }
    // Blocked before any thread starts: all threads inherit the mask.
    sigprocmask(SIG_BLOCK, &mask, nil)
    let descriptor = cl_signalfd(&mask)
    return descriptor < 0 ? nil : descriptor
  }

  /// The time of day in seconds since 1970-01-01T00:00:00Z.
  @Sendable
  public static func systemTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
