import Testing

@testable import RPCShell

/// One message in, one answer out: what is in the envelope.
@Suite(.timeLimit(.usualMinutes(1)))
struct EnvelopeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var sent: String
    /// The answer's text, or how it starts.
    var answer: String
    var testDescription: String { sent }

    init(_ sent: String, _ answer: String) {
      self.sent = sent
      self.answer = answer
    }

    func expect(_ transcript: Transcript, sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(transcript.frames.count == 1, sourceLocation: sourceLocation)
      #expect(transcript.texts.first?.hasPrefix(answer) == true, "\(transcript.texts)", sourceLocation: sourceLocation)
    }
  }

  // MARK: jsonrpc

  @Test(arguments: [
    Case(#"{"id":1,"method":"shell.ping"}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#),
    Case(#"{"jsonrpc":"2.0","id":1,"method":"shell.ping"}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#),
    Case(#"{"jsonrpc":"1.0","id":1,"method":"shell.ping"}"#, #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#),
    Case(#"{"jsonrpc":2.0,"id":1,"method":"shell.ping"}"#, #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#),
    Case(#"{"jsonrpc":null,"id":1,"method":"shell.ping"}"#, #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#),
  ])
  func `takes a missing version and refuses a wrong one`(_ row: Case) async throws {
    row.expect(try await converse(row.sent + "\n"))
  }

  @Test(arguments: [
    Case(#"{"id":1,"method":"shell.ping"}"#, #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#),
    Case(#"{"jsonrpc":"2.0","id":1,"method":"shell.ping"}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#),
    Case(#"{"jsonrpc":"1.0","id":1,"method":"shell.ping"}"#, #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#),
    Case(#"{"method":"shell.ping"}"#, #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#),
    Case(
      #"{"jsonrpc":"2.0","id":1,"method":"shell.ping","param":{}}"#,
      #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#),
    Case(
      #"{"jsonrpc":"2.0","id":1,"method":"shell.ping","result":1}"#,
      #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#),
  ])
  func `refuses both, and unknown members, when it is strict`(_ row: Case) async throws {
    row.expect(try await converse(row.sent + "\n") { $0.isStrict = true })
  }

  // MARK: What is no request

  @Test(arguments: [
    Case(#"{}"#, #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#),
    Case(#"{"id":7}"#, #"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"#),
    Case(#"{"id":7,"method":null}"#, #"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"#),
    Case(#"{"id":{},"method":"shell.ping"}"#, #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#),
    Case(#"{"id":[1],"method":"shell.ping"}"#, #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#),
    Case(#"{"id":true,"method":"shell.ping"}"#, #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#),
    Case(
      #"{"id":"\#(String(repeating: "i", count: 4095))","method":"shell.ping"}"#,
      #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#),
    Case(#"{"result":1}"#, #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#),
    Case(#"not json"#, #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"#),
    Case(#"{"id":1,"method":"shell.ping","id":2}"#, #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"#),
    Case(#"[[]]"#, #"[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#),
  ])
  func `answers what is no request under the id that can be read`(_ row: Case) async throws {
    let transcript = try await converse(row.sent + "\n")
    row.expect(transcript)
    #expect(transcript.status == .failure)
  }

  @Test func `names the line and the column at which a message stops being JSON`() async throws {
    let transcript = try await converse("{\"id\":1,\n \"method\":oops}\n")
    #expect(transcript.frames.first?.at("error.data") == #"{"line":2,"column":11}"#)
  }

  // MARK: Ids

  @Test(arguments: [
    #"1"#, #"0"#, #"-1"#, #"1.0"#, #"1.50"#, #"1e3"#, #"-0"#, #"1501691352102"#, #"9007199254740993"#,
    #"18446744073709551616"#, #"123456789012345678901234567890"#, #"1e400"#, #"0.1000000000000000055511151231257827"#,
    #""""#, #""1""#, #""é""#, #""\u00e9\n\"\/""#, #""\ud83d\ude80""#, #""0b9d6c1e-5a77""#, #"null"#,
  ])
  func `gives the id back byte for byte`(_ id: String) async throws {
    for method in ["shell.ping", "test.fail", "test.nope"] {
      let transcript = try await converse(#"{"id":\#(id),"method":"\#(method)"}"# + "\n")
      #expect(transcript.texts.first?.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),""#) == true, "\(transcript.texts)")
    }
  }

  @Test func `counts null as an id`() async throws {
    let transcript = try await converse(#"{"jsonrpc":"2.0","id":null,"method":"shell.ping"}"# + "\n")
    #expect(transcript.texts == [#"{"jsonrpc":"2.0","id":null,"result":{}}"#])
  }

  // MARK: Names

  @Test(arguments: [
    ("test.slwo", "; did you mean 'test.slow'?"), ("Test.Slow", "; did you mean 'test.slow'?"),
    ("shell.pong", "; did you mean 'shell.ping'?"), ("initialise", "; did you mean 'initialize'?"),
    ("$/cancelrequest", "; did you mean '$/cancelRequest'?"), ("slow", "; did you mean 'test.slow'?"),
    ("entirelyDifferent", "; rpc.discover lists what there is"), ("", "; rpc.discover lists what there is"),
  ])
  func `names the nearest method`(_ name: String, _ end: String) async throws {
    let transcript = try await converse(#"{"id":1,"method":"\#(name)"}"# + "\n")
    #expect(transcript.frames.first?.errorCode == -32601)
    let message = transcript.frames.first?.errorMessage
    #expect(
      message?.hasPrefix("unknown method '\(name)'") == true && message?.hasSuffix(end) == true, "\(message ?? "")")
  }

  @Test func `reads a method's name through its escapes`() async throws {
    let transcript = try await converse(#"{"id":1,"method":"shell\u002eping"}"# + "\n")
    #expect(transcript.texts == [#"{"jsonrpc":"2.0","id":1,"result":{}}"#])
  }

  @Test func `reads the envelope's members through their escapes`() async throws {
    let transcript = try await converse(#"{"\u0069d":1,"m\u0065thod":"shell.ping"}"# + "\n")
    #expect(transcript.texts == [#"{"jsonrpc":"2.0","id":1,"result":{}}"#])
  }

  // MARK: Framings

  @Test(arguments: [
    "Content-Length: 3\r\n\r\n{\"a", "Content-Length: 5\r\n\r\n{{{{{", "Content-Length: x\r\n\r\n",
    "Content-Type: text/plain; charset=latin1\r\nContent-Length: 2\r\n\r\n{}",
  ])
  func `answers what is broken behind headers behind headers`(_ input: String) async throws {
    let transcript = try await converse(input)
    #expect(transcript.frames.map(\.errorCode) == [-32700])
    #expect(transcript.frames.map(\.framing) == [.headers])
  }

  @Test(arguments: [Framing.lines, .headers])
  func `answers in the framing that was pinned, whatever comes`(_ framing: Framing) async throws {
    let transcript = try await converse("noise\n") { $0.decoder.framing = framing }
    #expect(transcript.frames.map(\.errorCode) == [-32700])
    #expect(transcript.frames.map(\.framing) == [framing])
  }
}
