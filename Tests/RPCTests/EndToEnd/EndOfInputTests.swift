import Glibc
import Testing

/// How a process ends: by the end of its input, by signals, with its host.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct EndOfInputTests {
  @Test func `answers a slow request that was piped in, then exits`() async throws {
    let ending = try await RunningShell.run(
      .init(script: #"printf '{"id":1,"method":"test.slow","params":{"seconds":0.3}}\n' | "$TESTSHELL""#))
    #expect(ending.texts == [#"{"jsonrpc":"2.0","id":1,"result":true}"#])
    #expect(ending.exit == .status(0))
    #expect(ending.errors == [])
  }

  @Test func `refuses none of many actions that end by themselves at once`() async throws {
    let calls = (1...3000).map { #"{"id":\#($0),"method":"test.slow","params":{"seconds":0}}"# + "\n" }
    let ending = try await RunningShell.run(.init(.testShell), input: calls.joined())
    #expect(ending.frames.count == 3000 && ending.frames.allSatisfy { $0.errorCode == nil })
    #expect(ending.exit == .status(0))
  }

  @Test func `answers everything in a file that is its stdin`() async throws {
    let calls = (1...200).map { #"{"id":\#($0),"method":"test.slow","params":{"seconds":0.1}}"# }
    let ending = try await RunningShell.run(
      .init(script: "\"$TESTSHELL\" < <(cat <<'E'\n\(calls.joined(separator: "\n"))\nE\n)"))
    #expect(Set(ending.frames.map(\.id)) == Set((1...200).map { "\($0)" }))
    #expect(ending.frames.count == 200)
    #expect(ending.exit == .status(0))
    let file = try TemporaryFile(calls.joined(separator: "\n"))
    var setup = try RunningShell.Setup(.testShell)
    setup.input = .file(file.path, O_RDONLY)
    let other = try await RunningShell.run(setup)
    #expect(other.frames.count == 200 && other.exit == .status(0))
  }

  @Test(arguments: ["test.slow", "test.stubborn"])
  func `cuts off an action that does not end within the drain`(_ method: String) async throws {
    let ending = try await RunningShell.run(
      .init(.testShell, ["--drain", "0.2"]), input: #"{"id":1,"method":"\#(method)","params":{"seconds":999}}"# + "\n")
    #expect(ending.frames.map(\.id) == ["1"] && ending.frames.map(\.errorCode) == [105], "\(ending.texts)")
    #expect(ending.exit == .status(1))
  }

  @Test func `ends when there is no input`() async throws {
    for binary in Binary.allCases {
      var setup = try RunningShell.Setup(binary)
      setup.input = .file("/dev/null", O_RDONLY)
      let ending = try await RunningShell.run(setup)
      #expect(ending.exit == .status(0) && ending.texts == [] && ending.errors == [])
    }
  }

  @Test func `ends when its host dies, though others keep its stdin open`() async throws {
    let process = try IdleProcess()
    let id = process.id
    let ending = try await RunningShell.run(.init(.testShell)) { shell in
      try await shell.send(#"{"id":1,"method":"initialize","params":{"processId":\#(id)}}"# + "\n")
      #expect(try await shell.next().errorCode == nil)
      kill(id, SIGKILL)
      #expect(try await shell.exit == .status(0))
    }
    process.end()
    #expect(ending.errors == [])
  }

  @Test(arguments: [
    (#"{"method":"exit"}"#, 1), (#"{"id":1,"method":"shutdown","params":null}"# + "\n" + #"{"method":"exit"}"#, 0),
    (#"{"id":1,"method":"shell.pi"#, 1), (#"{"id":1,"method":"shell.ping"}"#, 0), ("{", 1), ("", 0), ("\n\n", 0),
    ("Content-Length: 10\r\n\r\n{}", 1), ("Content-Length: 10\r\n", 1),
  ])
  func `exits with the status of its session`(_ input: String, _ status: Int32) async throws {
    let ending = try await RunningShell.run(.init(.testShell), input: input)
    #expect(ending.exit == .status(status))
    #expect(ending.leftover == "")
  }

  @Test func `ends by exit although its stdin stays open`() async throws {
    _ = try await RunningShell.run(.init(.testShell)) { shell in
      try await shell.send(#"{"id":1,"method":"shutdown"}"# + "\n" + #"{"method":"exit"}"# + "\n")
      #expect(try await shell.exit == .status(0))
    }
  }

  // MARK: Signals

  @Test(arguments: [SIGTERM, SIGINT])
  func `ends with success on a signal while nothing runs`(_ number: Int32) async throws {
    for binary in Binary.allCases {
      let ending = try await RunningShell.run(.init(binary)) { shell in
        try await shell.send(#"{"id":1,"method":"shell.ping"}"# + "\n")
        _ = try await shell.next()
        shell.signal(number)
        #expect(try await shell.exit == .status(0))
      }
      #expect(ending.frames.count == 1)
    }
  }

  @Test(arguments: ["test.slow", "test.stubborn"])
  func `gives a running action two seconds on a signal, then answers 105`(_ method: String) async throws {
    let clock = ContinuousClock()
    let ending = try await RunningShell.run(.init(.testShell)) { shell in
      try await shell.send(
        #"{"id":1,"method":"\#(method)","params":{"seconds":999}}"# + "\n" + #"{"id":2,"method":"shell.ping"}"# + "\n")
      _ = try await shell.next()
      let start = clock.now
      shell.signal(SIGTERM)
      #expect(try await shell.exit == .status(1))
      #expect(start.duration(to: clock.now) >= .seconds(1.9))
    }
    #expect(ending.frames.last?.id == "1" && ending.frames.last?.errorCode == 105)
  }

  @Test func `SIGQUIT ends it at once, and is no crash to report`() async throws {
    for binary in Binary.allCases {
      let ending = try await RunningShell.run(.init(binary)) { shell in
        try await shell.send(#"{"id":1,"method":"shell.ping"}"# + "\n")
        _ = try await shell.next()
        shell.signal(SIGQUIT)
        #expect(try await shell.exit == .signal(SIGQUIT))
      }
      #expect(ending.errors == [])
      #expect(ending.unfinishedLine == "")
    }
  }

  @Test func `ends at once on a second signal`() async throws {
    let ending = try await RunningShell.run(.init(.testShell)) { shell in
      try await shell.send(
        #"{"id":1,"method":"test.stubborn","params":{"seconds":999}}"# + "\n" + #"{"id":2,"method":"shell.ping"}"#
          + "\n")
      _ = try await shell.next()
      shell.signal(SIGTERM)
      shell.signal(SIGINT)
      #expect(try await shell.exit == .status(1))
    }
    // Had it waited for the action to be given up, that would be answered.
    #expect(ending.frames.map(\.id) == ["2"])
  }
}
