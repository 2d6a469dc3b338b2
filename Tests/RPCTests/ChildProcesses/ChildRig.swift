import CLinux
import Glibc
import Testing

@testable import ChildProcesses
@testable import RPCShell

/// A child on a loop that the test's thread runs until something has happened.
final class ChildRig {
  private struct Record {
    var output: [UInt8] = []
    var errorOutput: [UInt8] = []
    var closed: [ChildProcess.Stream] = []
    var end: ChildExit?
    var afterEnd = 0
  }

  let executor = LoopExecutor()
  let clock = ManualClock()
  private let record = Locked(Record())
  private var descriptors = PollSet()

  init() {
    ignoreBrokenPipes
    executor.bind()
  }

  func start(_ arguments: String..., folder: String? = nil) throws(SpawnFailure) -> ChildProcess {
    try start(ChildCommand(arguments, inheriting: ["PATH"], folder: folder))
  }

  func start(_ command: ChildCommand) throws(SpawnFailure) -> ChildProcess {
    executor.bind()
    return try ChildProcess.start(command, on: executor, clock: clock) { [record] event in
      record.withLock { record in
        if record.end != nil { record.afterEnd += 1 }
        switch event {
        case .output(let bytes): record.output += bytes
        case .errorOutput(let bytes): record.errorOutput += bytes
        case .closed(let stream): record.closed.append(stream)
        case .ended(let end): record.end = end
        }
      }
    }
  }

  var output: String { String(decoding: record.withLock(\.output), as: UTF8.self) }
  var errorOutput: String { String(decoding: record.withLock(\.errorOutput), as: UTF8.self) }
  var closed: [ChildProcess.Stream] { record.withLock(\.closed) }
  var outputCount: Int { record.withLock { $0.output.count } }
  var end: ChildExit? { record.withLock(\.end) }
  /// Events that came after the last.
  var afterEnd: Int { record.withLock(\.afterEnd) }

  /// Runs the loop until a condition holds; each turn waits for something to happen.
  func run(until condition: () -> Bool) {
    executor.bind()
    executor.runJobs()
    while !condition() {
      executor.wait(for: &descriptors, isBusy: false)
      executor.runJobs()
    }
  }

  /// Runs the loop until the child has ended.
  @discardableResult
  func runToEnd() -> ChildExit {
    run { end != nil }
    // What still waits for the time holds the child.
    for _ in 1...8 {
      clock.release()
      executor.runJobs()
    }
    return end!
  }
}

/// Any process, to wait for its end by (pidfd_open(2)).
final class ProcessWatch {
  private let descriptor: Int32

  /// nil where there is no such process.
  init?(_ id: pid_t) {
    descriptor = cl_pidfd_open(id)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Waits until it has ended, at most a minute.
  func waitForEnd() {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&entry, 1, 60_000) == 1, "the process lives")
  }
}
