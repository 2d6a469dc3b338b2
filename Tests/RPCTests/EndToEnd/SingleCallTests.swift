import Glibc
import Testing

@testable import RPCShell

/// One call in a session of its own, with actions that take their time.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct SingleCallTests {
  private static func setup(
    _ method: String, _ params: String = "{}", before: [String] = []
  ) throws -> RunningShell.Setup {
    try .init(.testShell, before + ["call", method, params])
  }

  private static func run(_ method: String, _ params: String = "{}", before: [String] = []) async throws -> [String] {
    let ending = try await RunningShell.run(setup(method, params, before: before), input: "")
    #expect(ending.exit == .status(0))
    return ending.texts + ending.errors
  }

  @Test(arguments: [
    ("shell.ping", #"{"a": [1.0, "x\ny \" é"], "b": {}}"#, #"result {"a":[1.0,"x\ny \" é"],"b":{}}"#),
    ("shell.ping", "\n{\n\"a\":\n[\n1\n]\n}\n", #"result {"a":[1]}"#), ("shell.ping", "null", "result {}"),
    ("subtract", "[42, 23]", "result 19"), ("shutdown", "{}", "result null"), ("exit", "{}", "result null"),
    ("test.slow", #"{"seconds":0.01}"#, "result true"),
    ("test.event", #"{"revision":1,"section":"{\"id\":1}"}"#, "result true"),
    ("test.fail", #"{"message":"Card declined."}"#, "failure 100 Card declined."),
    ("test.ask", #"{"question":1}"#, "failure 106 the host has gone"),
    ("test.slwo", "{}", "failure -32601 unknown method 'test.slwo'; did you mean 'test.slow'?"),
    ("test\".\\u0041\n", "{}", #"failure -32601 unknown method 'test\".\\u0041\n'; rpc.discover lists what there is"#),
    ("test.slow", "{}", "failure -32602 seconds: missing; expected a number"),
    ("test.slow", "7", "failure -32602 params must be an object"),
  ])
  func `answers as a session does`(method: String, params: String, line: String) async throws {
    #expect(try await Self.run(method, params) == [line])
  }

  @Test func `a request that cannot be read is refused, too`() async throws {
    let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
    let lines = try await Self.run("shell.ping", #"{"a":\#(deep)}"#)
    #expect(lines.count == 1 && lines[0].hasPrefix("failure -32700 parse error"), "\(lines)")
  }

  @Test func `large parameters and results pass`() async throws {
    let text = String(repeating: "x", count: 100_000)
    #expect(try await Self.run("shell.ping", "{\"a\":\"\(text)\"}") == ["result {\"a\":\"\(text)\"}"])
    let large = try await Self.run("test.large", #"{"bytes":3000000}"#)
    #expect(large.map(\.utf8.count) == [3_000_000 + "result \"\"".utf8.count])
  }

  @Test func `what a session is bounded by bounds a call`() async throws {
    #expect(
      try await Self.run("test.slow", #"{"seconds":1000}"#, before: ["--drain", "0.01"])
        == ["failure 105 the session ended before this was finished"])
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `an interrupt cancels at once`(signal: Int32) async throws {
    let ending = try await RunningShell.run(Self.setup("test.slow", #"{"seconds":1000,"say":"begun"}"#)) { shell in
      #expect(try await shell.nextError() == "rpcshell: begun")
      shell.signal(signal)
      _ = try await shell.exit
    }
    #expect(ending.texts == ["failure -32800 Request cancelled"])
  }

  @Test func `a second interrupt does not wait for the answer`() async throws {
    let params = #"{"seconds":1000,"say":"begun"}"#
    let ending = try await RunningShell.run(Self.setup("test.stubborn", params)) { shell in
      #expect(try await shell.nextError() == "rpcshell: begun")
      shell.signal(SIGINT)
      shell.signal(SIGTERM)
      _ = try await shell.exit
    }
    #expect(ending.texts == ["interrupted"])
  }

  @Test func `stdin is left alone`() async throws {
    let ending = try await RunningShell.run(
      .init(script: "{ $TESTSHELL call shell.ping >&2; cat; } 2>&1"), input: "the rest\n")
    #expect(ending.texts == ["result {}", "the rest"])
  }

  @Test func `a closed stdout is not taken for another file`() async throws {
    let file = try TemporaryFile()
    let ending = try await RunningShell.run(
      .init(script: "$TESTSHELL call shell.ping '{}' 3<'\(file.path)' >&-"))
    #expect(ending.exit == .status(EBADF))
    #expect(ending.errors == [])
  }

  @Test(.enabled(if: Binary.sanitizer == nil, "the sanitizers need more descriptors"))
  func `who is not allowed descriptors is told so`() async throws {
    let ending = try await RunningShell.run(.init(script: "ulimit -n 4; exec $TESTSHELL call shell.ping"))
    #expect(ending.texts == ["not made 1"])
    #expect(ending.errors.count == 1 && ending.errors[0].contains("cannot open descriptors"))
  }
}
