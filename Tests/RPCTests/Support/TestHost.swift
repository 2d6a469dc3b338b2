import Glibc

@testable import RPCShell
@testable import TestShell

/// The session's, not the one that Testing has.
typealias ShellStatus = RPCShell.ExitStatus

/// A host in memory: a real session with the test plugin on a thread of its own, over real pipes.
///
/// The session lives by ``clock``. Output is read from the first ``next()`` on; until then the host is one that does
/// not read.
final class TestHost: Sendable {
  let clock = ManualClock()
  let session: Session
  /// Lines for the person at the terminal, without `rpcshell: `.
  let log = Mailbox<String>()
  let output: FrameReader
  private let input: Int32
  private let interrupts: Int32
  private let isInputOpen = Locked(true)
  private let lastID = Locked(0)
  private let ended = Later<ShellStatus>()
  /// Frames that ``call(_:_:)`` passed over on its way to the reply.
  private let passedOver = Locked([Received]())

  /// - Parameter more: plugins beside the test plugin.
  init(
    _ configure: (inout SessionOptions) -> Void = { _ in },
    more: (LoopExecutor) -> [any Plugin] = { _ in [] },
    source: (DescriptorSource) -> sending any ByteSource = { $0 },
    sink: (DescriptorSink) -> sending any ByteSink = { $0 }
  ) {
    let (input, output, interrupts) = (Pipe(), Pipe(), Pipe())
    let (log, ended) = (log, ended)
    var options = SessionOptions(version: "0") { log.put($0) }
    options.interrupts = interrupts.reader
    _ = fcntl(interrupts.reader, F_SETFL, O_NONBLOCK)
    configure(&options)
    let executor = LoopExecutor()
    let plugin = TestPlugin(executor: executor)
    let plugins: [any Plugin] = [plugin] + more(executor)
    let clock = clock
    let end = DescriptorSink(takingOver: output.writer)
    let start = DescriptorSource(takingOver: input.reader)
    let descriptors = [start.descriptor, end.descriptor, interrupts.reader]
    session = Session(
      source: source(start), sink: sink(end),
      plugins: plugins, options: options, executor: executor, clock: clock, now: { 0 },
      uptime: { clock.uptime })
    self.input = input.writer
    self.interrupts = interrupts.writer
    self.output = FrameReader(descriptor: output.reader)
    let session = session
    startThread {
      let status = session.run()
      // What waits for ever in a test holds the session: it is let go on the session's own thread.
      plugin.assumeIsolated { $0.openAll() }
      for _ in 1...64 {
        clock.release()
        executor.runJobs()
      }
      for descriptor in descriptors { close(descriptor) }
      log.finish()
      ended.set(status)
    }
  }

  /// A session that a failed test left behind ends, whatever it waits for.
  deinit {
    end()
    interrupt()
    interrupt()
    close(interrupts)
  }

  // MARK: In

  /// Writes in one go, as far as the pipe allows.
  func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) async throws {
    let input = input
    _ = try await onThread { writeAll(bytes, to: input) }
  }

  /// Sends a notification.
  func notify(_ method: String, _ params: String = "{}") async throws {
    try await send(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"# + "\n")
  }

  /// Sends a request under an id of its own.
  /// - Returns: the id.
  @discardableResult
  func start(_ method: String, _ params: String = "{}") async throws -> Int {
    let id = lastID.withLock { last in
      last += 1
      return last
    }
    try await send(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"# + "\n")
    return id
  }

  /// Closes the input: half-close.
  func end() {
    let wasOpen = isInputOpen.withLock { open in
      defer { open = false }
      return open
    }
    if wasOpen { close(input) }
  }

  /// What SIGTERM does: the session sees one `signalfd_siginfo`.
  func interrupt() { writeAll([UInt8](repeating: 0, count: 128), to: interrupts) }

  // MARK: Out

  /// The next frame.
  func next() async throws -> Received {
    output.start()
    guard let frame = await output.frames.next() else { throw Ended() }
    return frame
  }

  /// Sends a request and waits for its reply; what comes before it is kept in ``passed``.
  func call(_ method: String, _ params: String = "{}") async throws -> Received {
    try await reply(to: start(method, params))
  }

  /// Waits for the reply to a request.
  func reply(to id: Int) async throws -> Received {
    while true {
      let frame = try await next()
      if frame.id == "\(id)" { return frame }
      passedOver.withLock { $0.append(frame) }
    }
  }

  var passed: [Received] { passedOver.withLock { $0 } }

  /// Everything that is still to come, up to the end of the output.
  func rest() async -> [Received] {
    output.start()
    return await output.frames.rest()
  }

  /// What the session ended with.
  var status: ShellStatus {
    get async throws { try await ended.value }
  }

  /// Ends the input and waits for the session's end.
  func finish() async throws -> Transcript {
    end()
    return try await transcript()
  }

  /// What the session says until it ends by itself.
  func transcript() async throws -> Transcript {
    let frames = await rest()
    return Transcript(
      frames: frames, status: try await status, log: log.all, leftover: try await output.leftover.value)
  }

  /// Waits until the session has served what was sent, up to one chunk of 64 KiB.
  ///
  /// It looks for input, runs what hops onto it for some rounds, then reads, in turns. Whatever the first hop comes between,
  /// after those rounds it looks, and after as many more it has read.
  func settle() async {
    for _ in 1...2 * Session.jobRounds + 3 { await session.pass() }
  }

  /// The output ended where a frame was expected.
  struct Ended: Error {}
}

extension Session {
  fileprivate func pass() {}
}

/// A whole session, seen from outside.
struct Transcript: Sendable {
  var frames: [Received]
  var status: ShellStatus
  var log: [String]
  /// Bytes after the last whole frame.
  var leftover: String

  var texts: [String] { frames.map(\.text) }
  /// The frames that answer something.
  var replies: [Received] { frames.filter { $0.method == nil } }
}

/// Sends all of it, ends the input and collects what comes.
func converse(
  _ input: String, _ configure: (inout SessionOptions) -> Void = { _ in },
  source: (DescriptorSource) -> sending any ByteSource = { $0 },
  sink: (DescriptorSink) -> sending any ByteSink = { $0 }
) async throws -> Transcript {
  try await converse(Array(input.utf8), configure, source: source, sink: sink)
}

func converse(
  _ input: [UInt8], _ configure: (inout SessionOptions) -> Void = { _ in },
  source: (DescriptorSource) -> sending any ByteSource = { $0 },
  sink: (DescriptorSink) -> sending any ByteSink = { $0 }
) async throws -> Transcript {
  let host = TestHost(configure, source: source, sink: sink)
  host.output.start()
  try await host.send(input)
  return try await host.finish()
}
