import ChildProcesses
import Glibc
import RPCShell

/// The process's start and its ends, wanted and unwanted.
extension PluginProcess {
  func startIfIdle() {
    guard case .idle = stage else { return }
    do throws(SpawnFailure) {
      // It ends with this actor's session, and its last event is what it holds this actor for.
      let child = try ChildProcess.start(command.command, on: executor, clock: host.clock) { [self] event in
        assumeIsolated { $0.handle(event) }
      }
      begin(with: child)
    } catch {
      failAll(.gone(name, "the plugin '\(name)' cannot be started: \(error.message)"))
    }
  }

  private func begin(with child: ChildProcess) {
    stage = .starting(child)
    reader = PeerReader(maxMessage: command.maxMessage)
    errorLines = LineSplitter()
    listing = RemoteListing()
    toldEnvironment = environment
    if isPaused { pause(true) }
    let id = calls.next()
    calls.add(id, Calls.Call(origin: .own { plugin, outcome in plugin.initialized(outcome) }))
    Array("initialize".utf8).withUnsafeBytes { method in
      initializeParams.bytes.withUnsafeBytes { send(id, method, $0, to: child) }
    }
    after(command.startTimeout, .start) { $0.startTookTooLong() }
  }

  private var initializeParams: JSONText {
    JSONText { writer in
      writer.object { params in
        params.key("clientInfo")
        params.object { info in
          info.member("name", "rpcshell")
          info.member("version", command.shellVersion)
        }
        params.member("processId", Int(getpid()))
        write(environment, to: &params)
        params.member("capabilities", .emptyObject)
      }
    }
  }

  private func write(_ environment: Environment, to params: inout JSONWriter) {
    params.member("locale", environment.locale)
    params.member("timeZone", environment.timeZone)
    params.member("textSize", environment.textSize.rawValue)
    params.member("reduceMotion", environment.reduceMotion)
  }

  /// Tells a process that is ready what has changed since it was told last.
  func tellEnvironment() {
    guard case .ready = stage, toldEnvironment != environment else { return }
    toldEnvironment = environment
    tell(nil, "$/setEnvironment", JSONText { writer in writer.object { write(environment, to: &$0) } })
  }

  // MARK: initialize

  private func initialized(_ outcome: Result<JSONText, RPCError>) {
    guard case .starting(let child) = stage else { return }
    switch outcome {
    case .success(let result): read(result)
    case .failure(let error) where error.code == .methodNotFound: break
    case .failure(let error): return kill(child, "it refused 'initialize': \(error.message.plainLine)")
    }
    stopTimer(.start)
    stage = .ready(child)
    sendUnsent(to: child)
    tellEnvironment()
  }

  /// What it says of itself, as far as it is of use.
  private func read(_ result: JSONText) {
    guard let view = try? JSONDocument(parsing: result).view else { return }
    listing.version = view["serverInfo"]?["version"]?.string
    let methods = view["plugins"]?.elements.flatMap { $0["methods"]?.elements ?? [] } ?? []
    var names = Set<String>()
    listing.methods = methods.compactMap(\.string).filter { $0.hasPrefix(prefix) && names.insert($0).inserted }
  }

  private func startTookTooLong() {
    guard case .starting(let child) = stage else { return }
    let seconds = JSONText(shortest: command.startTimeout / .seconds(1))
    kill(
      child,
      "it did not answer 'initialize' within \(seconds) s; if it needs longer, raise its startTimeout in the configuration"
    )
  }

  /// Ends a process that cannot be talked to: what it was asked has failed, and the next call starts another.
  func end(because reason: String) {
    switch stage {
    case .starting(let child), .ready(let child): kill(child, reason)
    case .idle, .resting, .killed, .ending, .over: break
    }
  }

  /// Most processes that close a stream end in a moment, with a status that says more.
  private func closed(_ stream: ChildProcess.Stream) {
    after(Self.closedTime, .closed) { $0.end(because: "it closed its \(stream.rawValue)") }
  }

  private static let closedTime = Duration.seconds(1)

  private func kill(_ child: ChildProcess, _ reason: String) {
    stopTimer(.start)
    stage = .killed(child, reason)
    child.assumeIsolated { $0.killGroup() }
    failAll(.gone(name, "the plugin '\(name)' was ended: \(reason)"))
  }

  // MARK: What happens to it

  private func handle(_ event: ChildProcess.Event) {
    switch event {
    case .output(let bytes):
      reader.append(bytes)
      receiveAll()
    case .errorOutput(let bytes): show(errorLines.split(bytes))
    case .closed(let stream): closed(stream)
    case .ended(let exit):
      reader.finish()
      receiveAll()
      show(errorLines.finish())
      ended(exit)
    }
  }

  private func show(_ lines: [String]) {
    for line in lines { host.log("\(name): \(line)") }
  }

  private func ended(_ exit: ChildExit) {
    stopTimer(.start)
    stopTimer(.closed)
    let reached = stage
    stage = .resting
    switch reached {
    case .ending:
      stopTimers()
      stage = .over
    case .killed(_, let reason): failed("was ended: \(reason)")
    case .ready where exit == .status(0) && calls.count == 0:
      // It had nothing to do and left: the next call starts another.
      stage = .idle
    case .starting:
      failAll(gone(exit, "ended before it was ready (\(exit.text)); what it wrote to stderr may say why"))
      failed("ended before it was ready: \(exit.text)")
    default:
      failAll(gone(exit, "ended before it answered (\(exit.text))"))
      failed("ended: \(exit.text)")
    }
  }

  private func gone(_ exit: ChildExit, _ what: String) -> RPCError {
    var data: [RPCError.Member] = []
    if case .status(let status) = exit { data = [RPCError.Member("exitStatus", JSONText(integer: Int(status)))] }
    return .gone(name, "the plugin '\(name)' \(what)", data)
  }

  /// It ended by itself, or had to be killed: the next one waits a little, and after too many there is none.
  private func failed(_ what: String) {
    let (number, rest) = failures.add()
    host.log("plugin '\(name)' \(what)")
    after(Failures.window, .failure(number)) { $0.failures.forget() }
    if failures.areTooMany {
      stage = .over
      let advice = Failures.advice(name)
      host.log(advice)
      return failAll(.gone(name, advice))
    }
    stage = .resting
    after(rest, .rest) { plugin in
      guard case .resting = plugin.stage else { return }
      plugin.stage = .idle
      if !plugin.unsent.isEmpty { plugin.startIfIdle() }
    }
  }

  // MARK: The end of the session

  /// How long it may take to end, and again after it was told so by a signal.
  static let endTime = Duration.seconds(1)

  public func end() {
    stopTimers()
    failAll(.gone(name, "the session ends"))
    guard let child else { return stage = .over }
    if case .killed = stage { return stage = .ending(child) }
    let isReading = if case .ready = stage { true } else { false }
    stage = .ending(child)
    if isReading { sayGoodbye(to: child) }
    child.assumeIsolated { child in
      child.pauseOutput(false)
      child.closeInput()
      if !isReading { child.terminate() }
    }
    bound(child, by: Self.endTime)
  }

  /// What it has of ``endTime`` where the session has no time left.
  static let shortEndTime = Duration.milliseconds(200)

  public func hurry() {
    guard case .ending(let child) = stage else { return }
    if wasTerminated { child.assumeIsolated { $0.killGroup() } } else { bound(child, by: Self.shortEndTime) }
  }

  /// Tells it to end by a signal after a while, and kills it after another.
  private func bound(_ child: ChildProcess, by time: Duration) {
    after(time, .end) { plugin in
      plugin.wasTerminated = true
      child.assumeIsolated { $0.terminate() }
      plugin.after(time, .end) { _ in child.assumeIsolated { $0.killGroup() } }
    }
  }

  private func sayGoodbye(to child: ChildProcess) {
    let id = calls.next()
    calls.add(id, Calls.Call(origin: .nobody))
    Array("shutdown".utf8).withUnsafeBytes { send(id, $0, nil, to: child) }
    Array("exit".utf8).withUnsafeBytes { send(nil, $0, nil, to: child) }
  }

  public var isSettled: Bool {
    switch stage {
    case .ending: false
    case .idle, .resting, .starting, .ready, .killed, .over: true
    }
  }
}
