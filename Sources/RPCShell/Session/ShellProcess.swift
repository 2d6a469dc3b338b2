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
    do throws(NotStarted) {
      guard let streams = StandardStreams.take() else { throw .noDescriptors(options) }
      return try run(streams.input, streams.output, options, trace: trace, now: now, plugins: plugins)
    } catch { return error.status }
  }

  /// The process cannot serve; the line that says why is written.
  struct NotStarted: Error {
    var status: ExitStatus

    static func noDescriptors(_ options: SessionOptions) -> NotStarted {
      options.log("rpcshell: cannot open descriptors: \(String(cString: strerror(errno)))")
      return NotStarted(status: .failure)
    }
  }

  /// Runs one session from a descriptor to another.
  static func run(
    _ input: DescriptorSource, _ output: DescriptorSink, _ options: SessionOptions, trace: String?,
    now: @escaping @Sendable () -> Double, plugins: @escaping @Sendable (LoopExecutor) -> [any Plugin]
  ) throws(NotStarted) -> ExitStatus {
    var options = options
    var source: any ByteSource = input
    var sink: any ByteSink = output
    if let trace {
      guard let files = Trace(path: trace) else {
        options.log(
          "rpcshell: cannot write the trace files \(trace).in and \(trace).out: \(String(cString: strerror(errno)))")
        throw NotStarted(status: .usage)
      }
      source = files.tracing(source)
      sink = files.tracing(sink)
    }
    quitAtOnce()
    options.interrupts = watchSignals()
    let executor = LoopExecutor()
    guard options.interrupts != nil, executor.canBeWoken else { throw .noDescriptors(options) }
    let session = Session(
      source: source, sink: sink, plugins: plugins(executor), options: options, executor: executor,
      clock: LoopClock(executor: executor), now: now)
    let status = session.run()
    // After a single call its result is printed, and signals end a process that waits for its reader.
    if options.cancelsWhenInterrupted, let descriptor = options.interrupts { unwatchSignals(descriptor) }
    return status
  }

  /// SIGQUIT ends the process, unless whoever started it has it ignored: the runtime of Swift takes it for a crash, writes
  /// a report and goes on.
  private static func quitAtOnce() {
    if !isIgnored(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var inherited = sigaction()
    sigaction(number, nil, &inherited)
    return unsafeBitCast(inherited.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func unwatchSignals(_ descriptor: Int32) {
    close(descriptor)
    var mask = watchedSignals
    sigprocmask(SIG_UNBLOCK, &mask, nil)
  }

  /// A descriptor that says when SIGTERM or SIGINT came, so that the loop can wait for them.
  private static func watchSignals() -> Int32? {
    var mask = watchedSignals
    // Blocked before any thread starts: all threads inherit the mask.
    sigprocmask(SIG_BLOCK, &mask, nil)
    let descriptor = cl_signalfd(&mask)
    return descriptor < 0 ? nil : descriptor
  }

  private static var watchedSignals: sigset_t {
    var mask = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, SIGTERM)
    // What runs in a shell's background ignores SIGINT, and goes on doing so.
    if !isIgnored(SIGINT) { sigaddset(&mask, SIGINT) }
    return mask
  }

  /// The time of day in seconds since 1970-01-01T00:00:00Z.
  @Sendable
  public static func systemTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
