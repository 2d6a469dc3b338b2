public import ChildProcesses
public import RPCShell

/// Runs a child process for one call of a handler: gives it all of its input, takes its reports while it runs, and says
/// how it ended.
///
/// An actor on the session's thread, used once.
public actor HandlerProcess {
  /// How it ended, and what it said.
  public struct End: Sendable {
    public var exit: ChildExit
    /// What it said on stdout.
    public var output: HandlerOutput
    /// The last line of its stderr that is not empty, as a person may be shown it.
    public var lastErrorLine: String?
    /// The end of its stderr, at most 64 KiB; nil where it said nothing.
    public var errorTail: String?
  }

  private let name: String
  private let host: PluginHost
  private let report: @Sendable (ActionProgress) -> Void
  private var output = HandlerOutput()
  private var errors = HandlerErrors()
  private var waiting: CheckedContinuation<ChildExit, Never>?

  public nonisolated var unownedExecutor: UnownedSerialExecutor { host.executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - name: stands before its lines on stderr: `exec onUpgrade`.
  ///   - report: takes its reports, on the session's thread.
  public init(_ name: String, host: PluginHost, report: @escaping @Sendable (ActionProgress) -> Void) {
    self.name = name
    self.host = host
    self.report = report
  }

  /// Runs a command to its end. Cancelling the task ends its process group (SIGTERM, after 2 s SIGKILL); how it ended is
  /// returned then, too.
  ///
  /// - Parameter input: what it may read from its stdin, which ends then.
  public func run(_ command: ChildCommand, input: [UInt8]) async throws(SpawnFailure) -> End {
    let child = try start(command, input)
    let exit = await withTaskCancellationHandler {
      await withCheckedContinuation { waiting = $0 }
    } onCancel: {
      Task(executorPreference: host.executor) { await child.terminate() }
    }
    output.end(report: report)
    errors.end(show: log)
    if let noise = output.noise { log(noise) }
    return End(exit: exit, output: output, lastErrorLine: errors.lastLine, errorTail: errors.tail)
  }

  private func start(_ command: ChildCommand, _ input: [UInt8]) throws(SpawnFailure) -> ChildProcess {
    let child = try ChildProcess.start(command, on: host.executor, clock: host.clock) { event in
      self.assumeIsolated { $0.take(event) }
    }
    child.assumeIsolated { child in
      child.write(input)
      child.closeInput()
    }
    return child
  }

  private func take(_ event: ChildProcess.Event) {
    switch event {
    case .output(let bytes): output.take(bytes, report: report)
    case .errorOutput(let bytes): errors.take(bytes, show: log)
    // Its end tells, and its exit status.
    case .closed: break
    case .ended(let exit):
      waiting?.resume(returning: exit)
      waiting = nil
    }
  }

  private func log(_ line: String) { host.log("\(name): \(line)") }
}
