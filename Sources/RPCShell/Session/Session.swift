import Glibc

/// One conversation over two descriptors: reads, answers or dispatches, writes, ends.
///
/// Everything happens on the thread that calls ``run()``. Queries are answered while the chunk they came in is read;
/// only actions, which wait, get a task. Replies of one chunk leave in one write.
public actor Session {
  public nonisolated let executor: LoopExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let options: SessionOptions
  let writer: FrameWriter
  private let source: any ByteSource
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> Double
  private(set) lazy var host = PluginHost(
    executor: executor, clock: clock, now: now, hostHandler: options.hostHandler()
  ) { [unowned self] outgoing in
    assumeIsolated { $0.send(outgoing) }
  }
  private let makePlugins: @Sendable () -> [any Plugin]
  private var madeRegistry: PluginRegistry?
  // The hot path reads and writes these for each message; one thread, no overlapping access.
  var decoder: FrameDecoder
  var newestFraming: Framing
  var pending = PendingCalls()
  /// Requests of the shell's own.
  var hostCalls = HostCalls()
  /// Ids in batches that are not sent yet, and how much the answers to those take.
  var idsInBatches = Set<RequestID>()
  var bytesInBatches = 0
  var life = Life()
  let dialect = Dialect.plain
  lazy var environment = options.environment()
  var traceValue = TraceValue.off
  /// Plugins that are somewhere else wait for the client to read.
  var arePluginsPaused = false
  private var isExpectingSilence = false
  private var silence: Task<Void, Never>?
  /// What bounds the end, once it has begun.
  var bounds: [Task<Void, Never>] = []
  private let uptime: @Sendable () -> MonotonicTime
  private var lastInput: MonotonicTime
  /// Whole messages may be left in the decoder, since reading was paused.
  private(set) var hasUndecoded = false

  /// - Parameters:
  ///   - plugins: made when the first of their methods is called.
  ///   - clock: runs holds, time limits and drains.
  ///   - now: the time of day in seconds since 1970.
  ///   - uptime: what the clock says, to tell how long the client has been silent.
  public init(
    source: any ByteSource, sink: any ByteSink, plugins: @autoclosure @escaping @Sendable () -> [any Plugin],
    options: SessionOptions, executor: LoopExecutor, clock: any Clock<Duration>,
    now: @escaping @Sendable () -> Double, uptime: @escaping @Sendable () -> MonotonicTime = { .now }
  ) {
    self.executor = executor
    self.options = options
    self.uptime = uptime
    lastInput = uptime()
    makePlugins = plugins
    self.source = source
    newestFraming = options.decoder.framing ?? .lines
    writer = FrameWriter(sink: sink)
    decoder = FrameDecoder(options: options.decoder)
    self.clock = clock
    self.now = now
  }

  // MARK: The loop

  /// Runs the session to its end on the calling thread.
  public nonisolated func run() -> ExitStatus {
    executor.bind()
    return assumeIsolated { $0.serve() }
  }

  /// The loop. It is isolated to the session and runs the jobs of the session's own actors in between, as an
  /// application's main loop does inside the main actor.
  private func serve() -> ExitStatus {
    var descriptors = PollSet()
    if options.startsPlugins { _ = registry }
    while true {
      // What a job leads to is done before anything is looked at again, unless that has no end.
      var rounds = 0
      while executor.runJobs(), rounds < Self.jobRounds { rounds += 1 }
      if let status = turn(&descriptors) {
        endTasks()
        return status
      }
      executor.wait(for: &descriptors, isBusy: canDecode)
    }
  }

  /// An action takes about four from its last step to its answer.
  static let jobRounds = 16

  /// Whether whole messages are there that can be served right away.
  private var canDecode: Bool { hasUndecoded && !writer.isOverLimit }

  /// Ends with the session the waits that it had started. What they hold goes with them.
  private func endTasks() {
    silence?.cancel()
    for bound in bounds { bound.cancel() }
    hostCalls.stopWaiting()
    bounds = []
    // Those of a session that was cut off do not know yet.
    endPlugins()
    executor.watches.endAll()
    // Cancelling takes each of them a step or two.
    for _ in 1...64 where !life.isAborted { executor.runJobs() }
  }

  /// Serves what is ready, then says what to wait for next.
  /// - Returns: the exit status, once the session is over.
  private func turn(_ descriptors: inout PollSet) -> ExitStatus? {
    if descriptors.interrupts.revents != 0 { interrupt() }
    if descriptors.hostProcess.revents != 0 { hostProcessEnded() }
    if canDecode { receiveAll() } else if descriptors.input.revents != 0 { readChunk() }
    endHostCallsAfterInput()
    flush()
    pausePlugins()
    if let status = statusAtEnd() { return status }
    let isReading = !life.isInputOver && !writer.isOverLimit && !hasUndecoded
    descriptors.input = PollSet.entry(isReading ? source.descriptor : nil, POLLIN)
    descriptors.output = PollSet.entry(writer.isBlocked ? writer.descriptor : nil, POLLOUT)
    descriptors.interrupts = PollSet.entry(options.interrupts, POLLIN)
    descriptors.hostProcess = PollSet.entry(life.hostProcess, POLLIN)
    return nil
  }

  // MARK: Plugins

  /// The plugins, made at the first call of this.
  var registry: PluginRegistry {
    if let madeRegistry { return madeRegistry }
    let registry = PluginRegistry(makePlugins())
    madeRegistry = registry
    for plugin in registry.plugins { attach(plugin, to: host, environment) }
    if life.isInputOver { settlePlugins() }
    return registry
  }

  /// The plugins that were made: none when none was needed.
  var plugins: [any Plugin] { madeRegistry?.plugins ?? [] }

  private func attach(_ plugin: some Plugin, to host: PluginHost, _ environment: Environment) {
    plugin.assumeIsolated { plugin in
      plugin.attach(to: host)
      plugin.environmentChanged(environment)
    }
  }

  // MARK: Input

  /// Takes in what has arrived before the input ends for another reason than its end: it was accepted.
  func readWhatArrived() {
    for _ in 1...Self.lastChunks {
      if canDecode && !isFullOfWork { receiveAll() }
      var entry = PollSet.entry(source.descriptor, POLLIN)
      guard !life.isInputOver, !writer.isOverLimit, poll(&entry, 1, 0) > 0 else { return }
      readChunk()
    }
  }

  /// Chunks of 64 KiB that are read at the end: 16 MiB.
  private static let lastChunks = 256

  private func readChunk() {
    let room = decoder.buffer.reserve(1 << 16)
    switch source.read(into: room, 1 << 16) {
    case .bytes(let count):
      decoder.buffer.commit(count)
      receiveAll()
    case .wouldBlock: return
    case .end: endInput()
    case .failed(let code):
      log("cannot read stdin: \(String(cString: strerror(code)))")
      life.hasFailed = true
      endInput()
    }
  }

  /// Serves the whole messages that are there, up to a number of them, or of bytes written: signals, timers and jobs
  /// have their turn, too.
  func receiveAll() {
    hasUndecoded = true
    let written = writer.written
    for _ in 1...Self.slice {
      if isFullOfWork || writer.isOverLimit { return }
      switch decoder.next() {
      case .frame(let frame): receive(frame)
      case .failure(let failure): refuse(failure)
      case .needsInput:
        hasUndecoded = false
        return watchSilence()
      }
      if writer.isFull {
        flush()
        if writer.written - written > Self.sliceOfBytes { return }
      }
      if life.isExiting {
        hasUndecoded = false
        return
      }
    }
  }

  /// Messages that are served without a look at anything else.
  private static let slice = 4096
  private static let sliceOfBytes = 4 << 20

  /// Too much is unfinished to start more, but some of that may end without waiting for anybody.
  private var isFullOfWork: Bool { pending.count >= SessionOptions.pendingLimit && executor.hasDue }

  /// An unfinished message in lines is given up after a while without input.
  private func watchSilence() {
    guard decoder.isWaitingForLines else { return }
    lastInput = uptime()
    if !isExpectingSilence { expectSilence(for: SessionOptions.silence) }
  }

  /// Not inlined: what a task needs is not paid for by sessions that start none.
  @inline(never)
  private func expectSilence(for duration: Duration) {
    isExpectingSilence = true
    silence = Task(executorPreference: executor) { await self.endAfterSilence(of: duration) }
  }

  private func endAfterSilence(of duration: Duration) async {
    guard (try? await host.clock.sleep(for: duration)) != nil else { return }
    isExpectingSilence = false
    guard decoder.isWaitingForLines else { return }
    let passed = lastInput.duration(to: uptime())
    guard passed >= SessionOptions.silence else { return expectSilence(for: SessionOptions.silence - passed) }
    // While reading is paused, it is not the client that is silent.
    if hasUndecoded || writer.isOverLimit { return expectSilence(for: SessionOptions.silence) }
    if let failure = decoder.expire() { refuse(failure) }
  }

  // MARK: Output

  func flush() {
    guard !writer.isEmpty else { return }
    switch writer.flush() {
    case .done, .blocked: return
    case .closed: outputEnded(.success)
    case .failed(let code):
      if life.fixedStatus != .outputFailed { log("cannot write stdout: \(String(cString: strerror(code)))") }
      outputEnded(.outputFailed)
    }
  }

  private func send(_ outgoing: PluginHost.Outgoing) {
    switch outgoing {
    case .event(let event): writer.event(event, newestFraming)
    case .notification(let method, let params): notify(method, params)
    case .request(let request): ask(request)
    case .cancelRequest(let id, of: .client): cancelHostCall(id)
    case .cancelRequest(let id, of: .plugin): cancelPluginRequest(id)
    case .answer(let call, let outcome): answerForwarded(call.serial, outcome)
    case .log(let line): log(line)
    }
  }

  func notify(_ method: String, _ params: JSONText) {
    writer.frame(newestFraming) { buffer in
      buffer.append("{\"jsonrpc\":\"2.0\",\"method\":")
      buffer.appendJSONString(method)
      buffer.append(",\"params\":")
      buffer.append(params.bytes)
      buffer.append(byte: UInt8(ascii: "}"))
    }
  }

  func log(_ line: String) { options.log("rpcshell: " + line) }
}
