import Glibc
import Testing

/// What the standard streams may be, and what comes through them.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct StreamTests {
  private static let ping = #"{"id":1,"method":"shell.ping"}"# + "\n"
  private static let pong = #"{"jsonrpc":"2.0","id":1,"result":{}}"#

  @Test func `keeps what a plugin prints out of its frames`() async throws {
    let ending = try await RunningShell.run(
      .init(.testShell), input: #"{"id":1,"method":"test.print","params":{"text":"hi"}}"# + "\n" + Self.ping)
    #expect(ending.texts == [#"{"jsonrpc":"2.0","id":1,"result":true}"#, Self.pong])
    #expect(ending.errors == ["hi"])
  }

  @Test func `goes on reading while nobody reads its stdout`() async throws {
    let ending = try await RunningShell.run(.init(.testShell)) { shell in
      let filler = String(repeating: "x", count: 1000)
      // 5 MB, all of it before the first byte is read.
      try await shell.send(
        (1...5000).map { #"{"id":\#($0),"method":"shell.ping","params":{"x":"\#(filler)"}}"# + "\n" }.joined())
      shell.output.start()
    }
    #expect(ending.frames.map(\.id) == (1...5000).map { "\($0)" })
    #expect(ending.exit == .status(0))
  }

  @Test func `is not held up by a stderr that nobody reads`() async throws {
    var setup = try RunningShell.Setup(.testShell)
    setup.errors = .unread
    let ending = try await RunningShell.run(
      setup, input: (1...3000).map { #"{"method":"no.such.method.\#($0)"}"# + "\n" }.joined() + Self.ping)
    #expect(ending.texts == [Self.pong])
    #expect(ending.exit == .status(1))
  }

  @Test(arguments: [false, true])
  func `writes a large result to a reader that comes late`(_ isNonBlocking: Bool) async throws {
    var setup = try RunningShell.Setup(.testShell)
    if isNonBlocking { setup.output = .nonBlockingPipe }
    let ending = try await RunningShell.run(setup) { shell in
      try await shell.send(
        #"{"id":2,"method":"test.large","params":{"bytes":1000000}}"# + "\n" + Self.ping + #"{"method":"no.such"}"#
          + "\n")
      // The line on stderr says that the result was written as far as it went.
      #expect(try await shell.nextError().contains("no.such"))
      #expect(
        try await shell.next().text
          == #"{"jsonrpc":"2.0","id":2,"result":"\#(String(repeating: "x", count: 1_000_000))"}"#)
      #expect(try await shell.next().text == Self.pong)
    }
    #expect(ending.exit == .status(1))
  }

  @Test func `takes one socket for stdin and stdout`() async throws {
    var setup = try RunningShell.Setup(.testShell)
    (setup.input, setup.output) = (.socket, .socket)
    let ending = try await RunningShell.run(setup) { shell in
      try await shell.send(Self.ping)
      #expect(try await shell.next().text == Self.pong)
      try await shell.send(#"{"id":2,"method":"test.large","params":{"bytes":1000000}}"# + "\n")
      #expect(try await shell.next().id == "2")
    }
    #expect(ending.exit == .status(0))
  }

  struct Script: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var script: String
    var frames: Int
    var status: Int32
  }

  private static let fifo = #"d=$(mktemp -d); trap 'rm -r "$d"' EXIT; f=$d/f; mkfifo "$f"; "#

  @Test(arguments: [
    Script(
      testDescription: "head -1",
      script: #"yes '{"id":1,"method":"shell.ping"}' | "$TESTSHELL" | head -1; exit ${PIPESTATUS[1]}"#,
      frames: 1, status: 0),
    Script(
      testDescription: "a full disk",
      script: #"echo '{"id":1,"method":"shell.ping"}' | "$TESTSHELL" > /dev/full"#, frames: 0, status: 74),
    Script(
      testDescription: "a full disk, after the end of input",
      script: #"echo '{"id":1,"method":"test.slow","params":{"seconds":0.1}}' | "$TESTSHELL" > /dev/full"#, frames: 0,
      status: 74),
    Script(testDescription: "no stdin", script: #""$TESTSHELL" <&-"#, frames: 0, status: 0),
    Script(
      testDescription: "no stdout", script: #"echo '{"id":1,"method":"shell.ping"}' | "$TESTSHELL" >&-"#, frames: 0,
      status: 74),
    Script(
      testDescription: "no stdout, and nothing to say", script: #"echo '{"method":"update"}' | "$TESTSHELL" >&-"#,
      frames: 0,
      status: 0),
    Script(
      testDescription: "no stderr",
      script: #"printf '{"method":"no.such"}\n{"id":1,"method":"shell.ping"}\n' | "$TESTSHELL" 2>&-"#, frames: 1,
      status: 1),
    Script(testDescription: "nothing at all", script: #""$TESTSHELL" <&- >&- 2>&-"#, frames: 0, status: 0),
    Script(
      testDescription: "a FIFO whose writer is done before the shell starts",
      script: fifo
        + #"(echo '{"id":1,"method":"shell.ping"}' > "$f") & exec 3< "$f"; wait; timeout 9 "$TESTSHELL" <&3"#,
      frames: 1, status: 0),
    Script(
      testDescription: "a FIFO that outlives its writers, since it is open for both",
      script: fifo
        + #"coproc S { exec timeout 9 "$TESTSHELL" <> "$f"; }; s=$S_PID; exec 5<&"${S[0]}"; "#
        + #"for m in shell.ping shutdown exit; do echo '{"id":1,"method":"'$m'"}' > "$f"; read -r line <&5; "#
        + #"echo "$line"; done; wait $s"#,
      frames: 3, status: 0),
    Script(
      testDescription: "an output FIFO that is open for both",
      script: fifo + #"exec 3<> "$f"; echo '{"id":1,"method":"shell.ping"}' | "$TESTSHELL" >&3; s=$?; "#
        + #"read -r -t 9 line <&3; echo "$line"; exit $s"#,
      frames: 1, status: 0),
    Script(testDescription: "a directory as stdin", script: #""$TESTSHELL" < /"#, frames: 0, status: 1),
    Script(
      testDescription: "output appended to a file",
      script:
        #"f=$(mktemp); echo '{"id":1,"method":"shell.ping"}' | "$TESTSHELL" >> "$f"; s=$?; cat "$f"; rm "$f"; exit $s"#,
      frames: 1, status: 0),
  ])
  func `copes with whatever its standard streams are`(_ row: Script) async throws {
    let ending = try await RunningShell.run(.init(script: row.script))
    #expect(ending.exit == .status(row.status), "\(ending.errors)")
    #expect(ending.frames.count == row.frames, "\(ending.texts)")
  }

  @Test func `ends quietly when its reader is gone, though its stdin stays open`() async throws {
    let ending = try await RunningShell.run(.init(.testShell)) { shell in
      shell.output.abandon()
      try await shell.send(Self.ping)
      #expect(try await shell.exit == .status(0))
    }
    #expect(ending.errors == [])
  }

  @Test func `says why it could not write`() async throws {
    var setup = try RunningShell.Setup(.testShell)
    setup.output = .file("/dev/full", O_WRONLY)
    let ending = try await RunningShell.run(setup) { try await $0.send(Self.ping) }
    #expect(ending.exit == .status(74))
    #expect(
      ending.errors.count == 1 && ending.errors[0].hasPrefix("rpcshell: cannot write stdout: "), "\(ending.errors)")
  }

  @Test func `leaves its parent's end of a pipe blocking`() async throws {
    let script = #"""
      exec 3>&1
      echo '{"id":1,"method":"shell.ping"}' | "$TESTSHELL" >&3
      grep flags /proc/self/fdinfo/1 >&2
      """#
    let ending = try await RunningShell.run(.init(script: script))
    let flags = try #require(ending.errors.first?.split(separator: "\t").last.flatMap { Int32($0, radix: 8) })
    #expect(flags & O_NONBLOCK == 0)
    #expect(ending.texts == [Self.pong])
  }

  // MARK: Size

  @Test(arguments: [([], 300), (["--max-message", "1000000"], 40)])
  func `skips a line of 100 MB in bounded memory, and serves the next`(_ arguments: [String], _ most: Int) async throws
  {
    let ending = try await RunningShell.run(.init(.testShell, arguments)) { shell in
      shell.output.start()
      try await shell.send(#"{"jsonrpc":"2.0","id":"big","method":"shell.ping","params":{"x":""#)
      let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
      for _ in 0..<100 { try await shell.send(piece) }
      try await shell.send("\"}}\n" + Self.ping)
      let refusal = try await shell.next()
      #expect(refusal.id == "\"big\"" && refusal.errorCode == -32600, "\(refusal)")
      #expect(refusal.errorMessage?.contains(arguments.last ?? "\(64 << 20)") == true, "\(refusal)")
      #expect(try await shell.next().text == Self.pong)
      #expect(shell.peakMemory < most)
    }
    #expect(ending.frames.count == 2)
    #expect(ending.exit == .status(1))
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `survives a megabyte of noise, and serves what comes after it`(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let noise = (0..<1_000_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let ending = try await RunningShell.run(.init(.testShell)) { shell in
      shell.output.start()
      try await shell.send(noise)
      try await shell.send("\n\n" + Self.ping)
    }
    #expect(ending.texts.last == Self.pong)
    for frame in ending.frames.dropLast() { #expect(frame.id == "null" && frame.errorCode != nil, "\(frame)") }
    #expect(ending.exit == .status(1))
    #expect(ending.leftover == "")
  }
}
