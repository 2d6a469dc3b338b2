import ChildProcesses
public import RPCShell

/// A plugin that is a process: started at the first call, called over its stdin and stdout in the session's own
/// protocol, and started again when it ended by itself (docs/PLUGINS.md).
public actor PluginProcess: RemotePlugin {
  /// How far the process has come.
  enum Stage {
    /// There is none; the next call starts one.
    case idle
    /// It ended by itself a moment ago. Calls wait until it may be started again.
    case resting
    /// It has not answered `initialize` yet. Calls wait.
    case starting(ChildProcess)
    case ready(ChildProcess)
    /// It was too slow, or cannot be talked to, and is being killed for that reason. Calls wait for the next one.
    case killed(ChildProcess, String)
    /// It was told to end with the session.
    case ending(ChildProcess)
    /// Nothing is started any more.
    case over
  }

  public nonisolated let name: String
  /// Known only when it has been asked: ``listing``.
  public nonisolated var version: String { "" }
  /// Its events are notifications like its others.
  public nonisolated let hasState = false
  public nonisolated var remote: (any RemotePlugin)? { self }
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  nonisolated let executor: LoopExecutor
  let command: PluginCommand
  /// What its methods begin with: `notes.`
  let prefix: String
  /// Its state events: `notes.state`
  let stateMethod: String
  private(set) var host: PluginHost!

  var stage = Stage.idle
  var reader: PeerReader
  var calls = Calls()
  /// What it is told once it has answered `initialize`.
  var unsent: [Unsent] = []
  var unsentBytes = 0
  /// Frames on their way out; always empty between two calls.
  let frame = ByteBuffer(capacity: 1 << 12)
  var failures = Failures()
  var timers: [TimerName: Task<Void, Never>] = [:]
  var environment = Environment()
  /// What the process was last told.
  var toldEnvironment: Environment?
  public internal(set) var listing = RemoteListing()
  var isPaused = false
  /// At the end it was told so by a signal, too.
  var wasTerminated = false
  var errorLines = LineSplitter()
  var complaints = 0

  /// What is waited for beside the process itself.
  enum TimerName: Hashable {
    case start, closed, rest, end, complaints
    /// A failure that no longer counts after a while.
    case failure(Int)
    /// A call that was told to stop.
    case stop(Int)
  }

  /// A message that waits for the process to be ready.
  struct Unsent {
    /// nil for a notification.
    var id: Int?
    /// The call that a notification is, which is answered when it is written.
    var notification: ForwardedCall.ID?
    var body: [UInt8]
  }

  /// - Parameter executor: the session's.
  public init(_ command: PluginCommand, executor: LoopExecutor) {
    name = command.name
    prefix = command.name + "."
    stateMethod = command.name + ".state"
    self.command = command
    self.executor = executor
    reader = PeerReader(maxMessage: command.maxMessage)
  }

  public nonisolated func routes() -> [Route] { [] }
  public func attach(to host: PluginHost) { self.host = host }
  public func settle() {}

  public func environmentChanged(_ environment: Environment) {
    self.environment = environment
    tellEnvironment()
  }

  public func pause(_ isPaused: Bool) {
    self.isPaused = isPaused
    if let child { child.assumeIsolated { $0.pauseOutput(isPaused) } }
  }

  /// The process, if there is one.
  var child: ChildProcess? {
    switch stage {
    case .idle, .resting, .over: nil
    case .starting(let child), .ready(let child), .killed(let child, _), .ending(let child): child
    }
  }

  // MARK: Time

  /// Does something after a while, unless ``stopTimer(_:)`` comes first. There is one timer of a name.
  func after(
    _ duration: Duration, _ timer: TimerName, _ action: @escaping @Sendable (isolated PluginProcess) -> Void
  ) {
    timers[timer]?.cancel()
    timers[timer] = Task(executorPreference: executor) { [clock = host.clock] in
      guard (try? await clock.sleep(for: duration)) != nil else { return }
      await self.fire(timer, action)
    }
  }

  private func fire(_ timer: TimerName, _ action: @Sendable (isolated PluginProcess) -> Void) {
    guard timers.removeValue(forKey: timer) != nil else { return }
    action(self)
  }

  func stopTimer(_ timer: TimerName) { timers.removeValue(forKey: timer)?.cancel() }

  func stopTimers() {
    for timer in timers.values { timer.cancel() }
    timers = [:]
  }

  // MARK: Lines for the person at the terminal

  /// Says what is wrong with the process, but not without end.
  func complain(_ line: String) {
    // Not every plugin knows what the last messages mean.
    if case .ending = stage { return }
    complaints += 1
    guard complaints <= Self.complaintLimit else { return }
    host.log("plugin '\(name)': \(line)")
    guard complaints == Self.complaintLimit else { return }
    host.log("plugin '\(name)': no more such lines for \(Self.quiet.components.seconds) s")
    after(Self.quiet, .complaints) { $0.complaints = 0 }
  }

  /// Lines about the process in ``quiet``.
  static let complaintLimit = 20
  static let quiet = Duration.seconds(60)
}
