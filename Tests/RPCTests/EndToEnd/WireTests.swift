import Testing

/// What clients of all kinds put on the wire.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct WireTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var sent: String
    /// The frames that come back.
    var frames: [String]
    var status: Int32 = 0
  }

  private static func pong(_ id: String, _ result: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#
  }

  private static func ping(_ id: String, _ params: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"shell.ping","params":\#(params)}"#
  }

  private static func framed(_ text: String, _ header: (Int) -> String = { "Content-Length: \($0)\r\n" }) -> String {
    header(text.utf8.count) + "\r\n" + text
  }

  @Test(arguments: [
    Row(testDescription: "a byte order mark", sent: "\u{FEFF}" + ping("1") + "\n", frames: [pong("1")]),
    Row(
      testDescription: "CR LF and blank lines", sent: ping("1") + "\r\n\r\n\n" + ping("2") + "\r\n",
      frames: [pong("1"), pong("2")]),
    Row(
      testDescription: "record separators", sent: "\u{1E}" + ping("1") + "\n\u{1E}" + ping("2"),
      frames: [pong("1"), pong("2")]),
    Row(testDescription: "no line end", sent: ping("1"), frames: [pong("1")]),
    Row(
      testDescription: "two on a line", sent: ping("1") + " " + ping("2") + ping("3") + "\n",
      frames: [pong("1"), pong("2"), pong("3")]),
    Row(
      testDescription: "over several lines",
      sent: "{\n  \"id\": 1,\n  \"method\": \"shell.ping\",\n  \"params\": {\n    \"a\": 1\n  }\n}\n",
      frames: [pong("1", #"{"a":1}"#)]),
    Row(
      testDescription: "a length in bytes", sent: framed(ping("1", #"{"größe":"🚀"}"#)) + framed(ping("2")),
      frames: [pong("1", #"{"größe":"🚀"}"#), pong("2")]),
    Row(
      testDescription: "a small header with blanks", sent: framed(ping("1")) { "content-length:   \($0)  \r\n" },
      frames: [pong("1")]),
    Row(
      testDescription: "the type before the length",
      sent: framed(ping("1")) {
        "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nX-Other: a:b\r\nContent-Length: \($0)\r\n"
      },
      frames: [pong("1")]),
    Row(
      testDescription: "both framings", sent: framed(ping("1")) + ping("2") + "\n" + framed(ping("3")),
      frames: [pong("1"), pong("2"), pong("3")]),
    Row(
      testDescription: "ids of all kinds",
      sent: ["\"1\"", "1", "1501691352102", "\"\"", "1.0"].map { ping($0) + "\n" }.joined(),
      frames: ["\"1\"", "1", "1501691352102", "\"\"", "1.0"].map { pong($0) }),
    Row(
      testDescription: "null for no parameters", sent: #"{"id":1,"method":"shutdown","params":null}"# + "\n",
      frames: [pong("1", "null")]),
    Row(
      testDescription: "a progress token that is 0",
      sent: #"{"id":1,"method":"test.slow","params":{"seconds":0,"workDoneToken":0}}"# + "\n",
      frames: [
        #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":0,"value":{"kind":"begin","title":"Slow","cancellable":true,"percentage":0}}}"#,
        #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":0,"value":{"kind":"end"}}}"#, pong("1", "true"),
      ]),
    Row(
      testDescription: "a cancelled request is answered",
      sent: #"{"id":1,"method":"test.slow","params":{"seconds":60}}"# + "\n"
        + #"{"method":"$/cancelRequest","params":{"id":1}}"# + "\n",
      frames: [
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"Request cancelled","data":{"action":"slow"}}}"#
      ]),
  ])
  func `understands what clients send`(_ row: Row) async throws {
    let ending = try await RunningShell.run(.init(.testShell), input: row.sent)
    #expect(ending.texts == row.frames)
    #expect(ending.exit == .status(0))
    #expect(ending.leftover == "")
    #expect(ending.errors == [])
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var sent: String
    var code: Int
  }

  @Test(arguments: [
    Refused(testDescription: "a line that is not JSON", sent: "not json\n", code: -32700),
    Refused(testDescription: "an empty batch", sent: "[]\n", code: -32600),
    Refused(testDescription: "half a message", sent: "{\"id\":1,\n", code: -32700),
    Refused(testDescription: "bad UTF-8", sent: "{\"id\":\"\u{FFFD}\",\n", code: -32700),
    Refused(testDescription: "a duplicate member", sent: #"{"id":1,"id":1,"method":"x"}"# + "\n", code: -32700),
    Refused(testDescription: "deep nesting", sent: String(repeating: "[", count: 100_000) + "\n", code: -32700),
    Refused(
      testDescription: "a length that does not fit", sent: "Content-Length: 99999999999999999999999\r\n\r\n",
      code: -32700),
    Refused(testDescription: "a negative length", sent: "Content-Length: -1\r\n\r\n", code: -32700),
  ])
  func `answers bad input once, and serves what follows`(_ row: Refused) async throws {
    let ending = try await RunningShell.run(.init(.testShell), input: row.sent + Self.ping("9") + "\n")
    #expect(ending.frames.map(\.errorCode) == [row.code, nil], "\(ending.texts)")
    #expect(ending.frames.first?.id == "null")
    #expect(ending.texts.last == Self.pong("9"))
    #expect(ending.exit == .status(1))
  }

  @Test func `answers each of a thousand requests once whose cancel is in the same write`() async throws {
    let ending = try await RunningShell.run(.init(.testShell)) { shell in
      for id in 1...1000 {
        try await shell.send(
          #"{"id":\#(id),"method":"test.slow","params":{"seconds":60}}"# + "\n"
            + #"{"method":"$/cancelRequest","params":{"id":\#(id)}}"# + "\n")
        let answer = try await shell.next()
        #expect(answer.id == "\(id)" && answer.errorCode == -32800, "\(answer)")
      }
    }
    #expect(ending.frames.count == 1000)
    #expect(ending.exit == .status(0))
  }

  @Test func `takes a line of two megabytes`() async throws {
    let text = String(repeating: "größe-🚀 ", count: 150_000)
    let ending = try await RunningShell.run(.init(.testShell), input: Self.ping("1", #"{"x":"\#(text)"}"#) + "\n")
    #expect(ending.texts == [Self.pong("1", #"{"x":"\#(text)"}"#)])
  }

  @Test func `answers headers with exactly one header`() async throws {
    var setup = try RunningShell.Setup(
      script: #"printf 'Content-Length: 30\r\n\r\n{"id":1,"method":"shell.ping"}' | "$TESTSHELL" | od -c -An"#)
    setup.environment["LC_ALL"] = "C"
    let ending = try await RunningShell.run(setup)
    let shown = ending.texts.joined().split(separator: " ").joined()
    #expect(shown == #"Content-Length:36\r\n\r\n{"jsonrpc":"2.0","id":1,"result":{}}"#)
  }
}
