import CLinux
import Glibc
public import RPCShell

/// A process that this one started: its input is written without waiting, its outputs are read as they come, its end is
/// noticed by its own id.
///
/// An actor on the session's thread, where its events come, too: so they are ordered with everything of the session. It
/// has a process group of its own, which is ended as a whole, and ends with the session.
public actor ChildProcess {
  /// What happens to a child.
  public enum Event: Sendable {
    /// It wrote to its stdout; never empty.
    case output([UInt8])
    /// It wrote to its stderr; never empty.
    case errorOutput([UInt8])
    /// It closed one of its streams and runs on, or ends in a moment. Of its input only where that was not ended here.
    case closed(Stream)
    /// It ended, and what it had written until then came before. The last event.
    case ended(ChildExit)
  }

  /// What is heard of a child by.
  public enum Stream: String, Sendable {
    case input = "stdin"
    case output = "stdout"
  }

  /// Seconds between SIGTERM and SIGKILL.
  public static let grace = Duration.seconds(2)

  /// Its process id, and its group's.
  public nonisolated let id: Int32
  private nonisolated let executor: LoopExecutor
  private let clock: any Clock<Duration>
  private let event: @Sendable (Event) -> Void
  private var input: Int32?
  /// Waits for room in it, or for its end.
  private var inputWatch: DescriptorWatch?
  private var isInputFull = false
  private let unwrittenInput = ByteBuffer()
  private var closesInput = false
  private var outputs: [Output] = []
  private var process: Int32 = -1
  private var processWatch: DescriptorWatch?
  private var isTerminating = false
  private var kill: Task<Void, Never>?
  private var end: ChildExit?

  private struct Output {
    let descriptor: Int32
    let isError: Bool
    var watch: DescriptorWatch?
  }

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  // MARK: Start

  /// Starts a child. To be called on the session's thread, with which it ends.
  ///
  /// - Parameters:
  ///   - clock: runs the time between SIGTERM and SIGKILL.
  ///   - event: called on the session's thread, never before this returns.
  public static func start(
    _ command: ChildCommand, on executor: LoopExecutor, clock: any Clock<Duration>,
    event: @escaping @Sendable (Event) -> Void
  ) throws(SpawnFailure) -> ChildProcess {
    guard let program = command.programPath() else {
      throw .notFound(command)
    }
    // Whatever is missing must be missing before the child does something.
    guard executor.prepareToWatch(), let pipes = ChildPipes() else { throw .cannotStart(command, errno) }
    let id = command.spawn(
      program, input: pipes.input.reading, output: pipes.output.writing, error: pipes.error.writing)
    let code = errno
    pipes.closeChildsEnds()
    switch id {
    case .success(let id):
      let child = ChildProcess(id, pipes, executor, clock, event)
      child.assumeIsolated { $0.watchAll() }
      return child
    case .failure(let reason):
      for descriptor in [pipes.input.writing, pipes.output.reading, pipes.error.reading] { close(descriptor) }
      errno = code
      throw reason
    }
  }

  private init(
    _ id: pid_t, _ pipes: ChildPipes, _ executor: LoopExecutor, _ clock: any Clock<Duration>,
    _ event: @escaping @Sendable (Event) -> Void
  ) {
    self.id = id
    self.executor = executor
    self.clock = clock
    self.event = event
    input = pipes.input.writing
    outputs = [
      Output(descriptor: pipes.output.reading, isError: false), Output(descriptor: pipes.error.reading, isError: true),
    ]
    process = cl_pidfd_open(id)
  }

  // MARK: Input

  /// Bytes that the child has not taken yet.
  public var unwritten: Int { unwrittenInput.count }

  /// Writes to its stdin, now or when it reads. A child that does not read any more, or has ended, takes nothing.
  public func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }

  /// The same for bytes that are somebody else's.
  public func write(_ bytes: UnsafeRawBufferPointer) {
    guard input != nil, !closesInput else { return }
    unwrittenInput.append(bytes)
    if !isInputFull { flush() }
  }

  /// Ends its stdin once all is written.
  public func closeInput() {
    closesInput = true
    if !isInputFull { flush() }
  }

  private func flush() {
    guard let descriptor = input else { return }
    while !unwrittenInput.isEmpty {
      let count = Glibc.write(descriptor, unwrittenInput.first, unwrittenInput.count)
      if count > 0 {
        unwrittenInput.consume(count)
      } else if errno == EAGAIN {
        if !isInputFull { watchInput(descriptor, for: .writing) { $0.flush() } }
        isInputFull = true
        // Without a watch nobody would go on.
        if inputWatch == nil { inputClosed() }
        return
      } else if errno != EINTR {
        return inputClosed()
      }
    }
    if closesInput { return stopWriting() }
    if isInputFull || inputWatch == nil { watchInput(descriptor, for: .closing) { $0.inputClosed() } }
    isInputFull = false
  }

  private func watchInput(
    _ descriptor: Int32, for interest: DescriptorWatch.Interest,
    _ ready: @escaping @Sendable (isolated ChildProcess) -> Void
  ) {
    if let inputWatch { executor.unwatch(inputWatch) }
    inputWatch = watch(descriptor, for: interest, ready)
  }

  /// Nobody reads it any more.
  private func inputClosed() {
    stopWriting()
    if end == nil && !closesInput { event(.closed(.input)) }
  }

  private func stopWriting() {
    guard let descriptor = input else { return }
    unwrittenInput.removeAll()
    input = nil
    stopWatching(inputWatch, of: descriptor)
    inputWatch = nil
  }

  // MARK: Outputs and end

  private func watchAll() {
    for at in outputs.indices {
      let descriptor = outputs[at].descriptor
      outputs[at].watch = watch(descriptor, for: .reading) { $0.read(descriptor, upTo: 1) }
    }
    if process >= 0 {
      processWatch = executor.watch(process) { [self] event in
        assumeIsolated { child in
          switch event {
          case .ready: child.processEnded()
          case .sessionEnded: child.sessionEnded()
          }
        }
      }
    }
    if processWatch == nil { waitOnThread() }
  }

  /// Where the system has no descriptor left, or none for processes.
  private func waitOnThread() {
    Task(executorPreference: executor) { [id] in
      await BlockingWork.run({
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
      }) {}
      await self.processEnded()
    }
  }

  /// Leaves what it writes to its stdout in the pipe, which then holds it up, or takes it again. What is there at its end
  /// is read all the same.
  public func pauseOutput(_ isPaused: Bool) {
    guard let at = outputs.firstIndex(where: { !$0.isError }), isPaused == (outputs[at].watch != nil) else { return }
    if let watch = outputs[at].watch {
      executor.unwatch(watch)
      outputs[at].watch = nil
    } else {
      let descriptor = outputs[at].descriptor
      outputs[at].watch = watch(descriptor, for: .reading) { $0.read(descriptor, upTo: 1) }
    }
  }

  private func watch(
    _ descriptor: Int32, for interest: DescriptorWatch.Interest,
    _ ready: @escaping @Sendable (isolated ChildProcess) -> Void
  ) -> DescriptorWatch? {
    executor.watch(descriptor, for: interest) { [self] event in
      if event == .ready { assumeIsolated { ready($0) } }
    }
  }

  /// Reads what is there.
  /// - Parameter chunks: at most, so that a child that writes without end does not keep the session's thread.
  private func read(_ descriptor: Int32, upTo chunks: Int) {
    guard let output = outputs.first(where: { $0.descriptor == descriptor }) else { return }
    for _ in 0..<chunks {
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunk) { room, filled in
        repeat { count = Glibc.read(descriptor, room.baseAddress, room.count) } while count < 0 && errno == EINTR
        filled = max(count, 0)
      }
      if count < 0 && errno == EAGAIN { return }
      guard count > 0 else { return stopReading(descriptor) }
      event(output.isError ? .errorOutput(bytes) : .output(bytes))
    }
  }

  private static let chunk = 1 << 16
  /// What is still read after the end, where somebody whom the child started goes on writing: 1 MiB, as much as the
  /// largest pipe of an ordinary user holds (pipe(7)).
  private static let lastChunks = 16

  private func stopReading(_ descriptor: Int32) {
    guard let at = outputs.firstIndex(where: { $0.descriptor == descriptor }) else { return }
    let output = outputs.remove(at: at)
    stopWatching(output.watch, of: descriptor)
    if end == nil && !output.isError { event(.closed(.output)) }
  }

  private func stopWatching(_ watch: DescriptorWatch?, of descriptor: Int32) {
    if let watch { executor.unwatchAndClose(watch) } else if descriptor >= 0 { close(descriptor) }
  }

  private func processEnded() {
    guard end == nil else { return }
    // Not collected yet, so that the group's number is nobody else's.
    if isTerminating { killGroup() }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    let end = ChildExit(waitStatus: status)
    self.end = end
    kill?.cancel()
    stopWatching(processWatch, of: process)
    for output in outputs { read(output.descriptor, upTo: Self.lastChunks) }
    for output in outputs { stopReading(output.descriptor) }
    stopWriting()
    event(.ended(end))
  }

  /// Nothing is watched any more, so that what is killed here is waited for here; that takes no longer than the system
  /// needs to end a process.
  private func sessionEnded() {
    killGroup()
    var entry = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
    if poll(&entry, 1, Self.patienceAtEnd) > 0 { processEnded() }
  }

  /// Milliseconds for one that waits for a disk and cannot be killed.
  private static let patienceAtEnd: Int32 = 1000

  // MARK: Stopping

  /// Tells the whole group to end (SIGTERM), and ends it after ``grace`` (SIGKILL), or when the child has ended. Done
  /// once; its end comes as an event.
  public func terminate() {
    guard end == nil, !isTerminating else { return }
    isTerminating = true
    signalGroup(SIGTERM)
    // One that is stopped would not notice.
    signalGroup(SIGCONT)
    kill = Task(executorPreference: executor) { [clock] in
      guard (try? await clock.sleep(for: Self.grace)) != nil else { return }
      await self.killGroup()
    }
  }

  /// Ends the whole group at once (SIGKILL).
  public func killGroup() { if end == nil { signalGroup(SIGKILL) } }

  private func signalGroup(_ signal: Int32) { Glibc.kill(-id, signal) }
}
