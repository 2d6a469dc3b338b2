import CLinux
import Glibc
public import RPCShell

/// A child process that is spoken to a line at a time, by threads that may wait. Its input ends with this value, which is
/// its sign to end, too.
///
/// A thread of its own starts it and reads what it says: a child ends with the thread that started it, and those that
/// speak to it come and go. Its stderr is this process's.
public final class LineProcess: Sendable {
  /// What comes of a child.
  public enum Event: Sendable {
    /// A line, without its end.
    case line([UInt8])
    /// It ended; the last event.
    case ended(ChildExit)
  }

  private let input: Int32
  private let process: Locked<Process>

  private struct Process {
    let id: pid_t
    var isCollected = false
  }

  // MARK: Start

  /// Starts a child.
  /// - Parameter event: called on the thread that reads.
  public static func start(
    _ command: ChildCommand, event: @escaping @Sendable (Event) -> Void
  ) throws(SpawnFailure) -> LineProcess {
    let launched = Locked<Result<Launched, SpawnFailure>?>(nil)
    let isLaunched = ThreadSignal()
    BlockingWork.start {
      let result = launch(command)
      launched.withLock { $0 = result }
      isLaunched.set()
      guard case .success(let child) = result else { return }
      read(child.output) { event(.line($0)) }
      event(.ended(collect(child.process)))
    }
    isLaunched.wait()
    let child = try launched.withLock { $0! }.get()
    return LineProcess(child)
  }

  private struct Launched {
    let process: Locked<Process>
    let input: Int32
    let output: Int32
  }

  private static func launch(_ command: ChildCommand) -> Result<Launched, SpawnFailure> {
    guard let program = command.programPath() else { return .failure(.notFound(command)) }
    let errors = fcntl(2, F_DUPFD_CLOEXEC, 3)
    guard let pipes = ChildPipes() else {
      let code = errno
      close(errors)
      return .failure(.cannotStart(command, code))
    }
    // The thread waits for what the child says.
    _ = fcntl(pipes.output.reading, F_SETFL, 0)
    let id = command.spawn(
      program, input: pipes.input.reading, output: pipes.output.writing,
      error: errors < 0 ? pipes.error.writing : errors)
    close(errors)
    pipes.closeChildsEnds()
    close(pipes.error.reading)
    if case .failure = id {
      close(pipes.input.writing)
      close(pipes.output.reading)
    }
    return id.map {
      Launched(process: Locked(Process(id: $0)), input: pipes.input.writing, output: pipes.output.reading)
    }
  }

  private init(_ child: Launched) {
    process = child.process
    input = child.input
  }

  deinit { close(input) }

  // MARK: Speaking

  /// Writes a line.
  /// - Parameter deadline: until when the child has to have taken it.
  /// - Returns: whether it has. One that did not is of no use any more.
  public func write(_ line: [UInt8], until deadline: MonotonicTime) -> Bool {
    var rest = (line + [UInt8(ascii: "\n")])[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeWithoutSignal($0) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        guard ThreadSignal.wait(for: input, POLLOUT, until: deadline) else { return false }
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  /// As write(2), but a child that reads no more is an error alone, also where SIGPIPE is not ignored.
  private func writeWithoutSignal(_ bytes: UnsafeRawBufferPointer) -> Int {
    var pipe = sigset_t()
    var before = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    let count = Glibc.write(input, bytes.baseAddress, bytes.count)
    let code = errno
    if count < 0 && code == EPIPE && sigismember(&before, SIGPIPE) == 0 {
      // It came to this thread, and waits.
      var none = timespec()
      sigtimedwait(&pipe, nil, &none)
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    errno = code
    return count
  }

  /// Ends it at once.
  public func kill() {
    process.withLock { process in
      // Once it is collected, the number may be somebody else's.
      if !process.isCollected { _ = Glibc.kill(-process.id, SIGKILL) }
    }
  }

  // MARK: Listening

  private static func read(_ output: Int32, _ line: ([UInt8]) -> Void) {
    defer { close(output) }
    let buffer = ByteBuffer(capacity: 1 << 12)
    while true {
      let count = Glibc.read(output, buffer.reserve(1 << 14), 1 << 14)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      let old = buffer.count
      buffer.commit(count)
      // What was there before has no line end.
      guard var end = buffer.readable[old...].firstIndex(of: UInt8(ascii: "\n")) else { continue }
      while true {
        line([UInt8](buffer.readable[..<end]))
        buffer.consume(end + 1)
        guard let next = buffer.readable.firstIndex(of: UInt8(ascii: "\n")) else { break }
        end = next
      }
    }
  }

  private static func collect(_ process: Locked<Process>) -> ChildExit {
    let id = process.withLock { $0.id }
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    return process.withLock { process in
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0 && errno == EINTR {}
      process.isCollected = true
      return ChildExit(waitStatus: status)
    }
  }
}
