import ChildProcesses
import Glibc
import RPCShell
import Testing

/// Children that a thread speaks to a line at a time.
@Suite(.timeLimit(.usualMinutes(1)))
struct LineProcessTests {
  /// What a child says, in order, for a thread to wait for.
  private final class Listener: Sendable {
    private let events = Locked<[String]>([])
    private let arrived = ThreadSignal()

    func take(_ event: LineProcess.Event) {
      let text =
        switch event {
        case .line(let line): String(decoding: line, as: UTF8.self)
        case .ended(let exit): exit.text
        }
      events.withLock { $0.append(text) }
      arrived.set()
    }

    func next(_ count: Int) -> [String] {
      let deadline = MonotonicTime.now.advanced(by: .seconds(30))
      while events.withLock({ $0.count }) < count { guard arrived.wait(until: deadline) else { break } }
      return events.withLock { $0 }
    }
  }

  private let listener = Listener()

  private func start(_ script: String) throws -> LineProcess {
    let listener = listener
    return try LineProcess.start(ChildCommand(["/bin/sh", "-c", script])) { listener.take($0) }
  }

  private func write(_ line: String, to process: LineProcess, seconds: Double = 30) -> Bool {
    process.write(Array(line.utf8), until: MonotonicTime.now.advanced(by: .seconds(seconds)))
  }

  @Test func `lines of any length go there and back, and its end comes last`() throws {
    let long = String(repeating: "x", count: 300_000)
    var process: LineProcess? = try start("exec cat")
    for line in ["a", "", long, "ü"] {
      let isWritten = write(line, to: process!)
      #expect(isWritten)
    }
    #expect(listener.next(4) == ["a", "", long, "ü"])
    // Its input ends with the value.
    process = nil
    #expect(listener.next(5).last == "exit status 0")
  }

  @Test func `lines that come together are told apart, and one without an end is none`() throws {
    let process = try start(#"printf 'a\nb\n\nc'; exit 3"#)
    #expect(listener.next(4) == ["a", "b", "", "exit status 3"])
    withExtendedLifetime(process) {}
  }

  @Test func `one that takes nothing is given up, and can be ended at once`() throws {
    let process = try start("echo started; exec sleep 1000")
    #expect(listener.next(1) == ["started"])
    let isWritten = write(String(repeating: "x", count: 1 << 21), to: process, seconds: 0.05)
    #expect(!isWritten)
    process.kill()
    #expect(listener.next(2).last == "killed by signal 9 (Killed)")
    // Its number may be somebody else's by now.
    process.kill()
    #expect(!write("more", to: process))
  }

  @Test func `what cannot be started says why`() {
    #expect(throws: SpawnFailure.self) {
      try LineProcess.start(ChildCommand(["/nowhere/program"])) { _ in }
    }
    #expect(throws: SpawnFailure.self) {
      try LineProcess.start(ChildCommand(["no program of this name"])) { _ in }
    }
  }

  @Test func `it lives on when the thread that asked for it has ended`() async throws {
    let listener = listener
    let process = try await onThread {
      Result { try LineProcess.start(ChildCommand(["/bin/cat"])) { listener.take($0) } }
    }.get()
    let isWritten = write("still here", to: process)
    #expect(isWritten && listener.next(1) == ["still here"])
  }
}
