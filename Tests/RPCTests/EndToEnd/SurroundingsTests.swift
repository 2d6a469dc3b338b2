import Glibc
import Testing

/// What a process may find around it: full pipes, few descriptors, limits, signals that were ignored.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct SurroundingsTests {
  private static let ping = #"{"id":1,"method":"shell.ping"}"# + "\n"
  private static let pong = #"{"jsonrpc":"2.0","id":1,"result":{}}"#

  @Test func `what a plugin prints while nobody reads stderr holds nothing up`() async throws {
    var setup = try RunningShell.Setup(.testShell)
    setup.errors = .unread
    let text = String(repeating: "x", count: 200_000)
    let ending = try await RunningShell.run(
      setup, input: #"{"method":"test.print","params":{"text":"\#(text)"}}"# + "\n" + Self.ping)
    #expect(ending.texts == [Self.pong])
    #expect(ending.exit == .status(0))
  }

  @Test(arguments: 1...4)
  func `says so when it may not open descriptors`(_ limit: Int) async throws {
    let ending = try await RunningShell.run(
      .init(script: "ulimit -n \(limit); exec $TESTSHELL"), input: Self.ping)
    #expect(ending.exit != .status(0))
    #expect(ending.texts == [])
  }

  @Test(.enabled(if: Binary.sanitizer != "thread", "the sanitizer's own files are over that limit"))
  func `a file that may not grow is a stdout that cannot be written`() async throws {
    let file = try TemporaryFile()
    let input = (1...200).map { #"{"id":\#($0),"method":"shell.ping"}"# + "\n" }.joined()
    let ending = try await RunningShell.run(
      .init(script: "ulimit -f 1; exec $TESTSHELL > \(file.path)"), input: input)
    #expect(ending.exit == .status(74))
    #expect(ending.errors.count == 1 && ending.errors[0].contains("cannot write stdout"))
  }

  @Test func `a trace into a FIFO that nobody reads is refused`() async throws {
    let file = try TemporaryFile()
    let path = file.path + "-fifo"
    mkfifo(path + ".in", 0o600)
    defer { unlink(path + ".in") }
    let ending = try await RunningShell.run(.init(.rpcshell, ["--trace", path]), input: Self.ping)
    #expect(ending.exit == .status(2))
    #expect(ending.errors.first?.contains("cannot write the trace files") == true)
  }

  @Test func `goes on ignoring an interrupt that it was started to ignore`() async throws {
    let ending = try await RunningShell.run(.init(script: "trap '' INT; exec $TESTSHELL")) { shell in
      try await shell.send(Self.ping)
      #expect(try await shell.next().text == Self.pong)
      kill(shell.id, SIGINT)
      try await shell.send(Self.ping)
      #expect(try await shell.next().text == Self.pong)
    }
    #expect(ending.exit == .status(0))
  }

  @Test(arguments: ["zone.tab", "Europe//Berlin", "../etc/passwd", "/etc/localtime", "Mars/Olympus"])
  func `a file that is no time zone is none`(_ name: String) async throws {
    let ending = try await RunningShell.run(.init(.rpcshell, ["--time-zone", name]), input: Self.ping)
    #expect(ending.exit == .status(2))
  }
}
