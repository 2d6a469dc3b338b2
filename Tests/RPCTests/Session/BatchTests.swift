import Testing

@testable import RPCShell

/// Arrays of messages (JSON-RPC 2.0, section 6).
@Suite(.timeLimit(.usualMinutes(1)))
struct BatchTests {
  @Test func `answers a batch with one array when its last call is answered`() async throws {
    let host = TestHost()
    try await host.send(
      #"[{"id":"a","method":"test.wait","params":{"gate":"g"}},{"id":"b","method":"shell.ping"},{"method":"update"}]"#
        + "\n")
    // A later request overtakes the batch.
    #expect(try await host.call("shell.ping").text == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
    #expect(host.passed == [])
    try await host.notify("test.unblock", #"{"gate":"g"}"#)
    #expect(
      try await host.next().text == #"[{"jsonrpc":"2.0","id":"b","result":{}},{"jsonrpc":"2.0","id":"a","result":"g"}]"#
    )
    #expect(try await host.finish().status == .success)
  }

  @Test func `says nothing about a batch of notifications, even after slow ones`() async throws {
    let host = TestHost()
    try await host.send(#"[{"method":"test.wait","params":{"gate":"g"}},{"method":"update"},{"method":"$/x"}]"# + "\n")
    try await host.notify("test.unblock", #"{"gate":"g"}"#)
    let transcript = try await host.finish()
    #expect(transcript.texts == [])
    #expect(transcript.status == .success)
  }

  @Test func `says nothing about a batch of answers`() async throws {
    let transcript = try await converse(#"[{"id":1,"result":1},{"id":2,"error":{"code":1,"message":""}}]"# + "\n")
    #expect(transcript.texts == [])
    #expect(transcript.log.count == 2)
  }

  @Test func `sends events before the array that they belong to`() async throws {
    let transcript = try await converse(
      #"[{"id":1,"method":"shell.ping"},{"id":2,"method":"test.event","params":{"revision":1,"section":"x"}}]"# + "\n")
    #expect(transcript.frames.map(\.method) == ["test.state", nil])
    #expect(transcript.frames.last?.at("1.result") == "true")
  }

  @Test func `finishes a batch at the end of input`() async throws {
    let host = TestHost()
    try await host.send(
      #"[{"id":1,"method":"test.slow","params":{"seconds":3}},{"id":2,"method":"test.slow","params":{"seconds":5}}]"#)
    host.end()
    await host.clock.waitForSleepers(2)
    host.clock.advance(by: .seconds(5))
    let transcript = try await host.transcript()
    #expect(transcript.texts == [#"[{"jsonrpc":"2.0","id":1,"result":true},{"jsonrpc":"2.0","id":2,"result":true}]"#])
    #expect(transcript.status == .success)
  }

  @Test func `serves a batch up to an 'exit' in it`() async throws {
    let transcript = try await converse(
      #"[{"id":1,"method":"shell.ping"},{"method":"exit"},{"id":2,"method":"test.wait","params":{"gate":"g"}}]"#)
    #expect(transcript.texts == [#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#])
    #expect(transcript.status == .failure)
  }

  @Test(arguments: [65536, 65537])
  func `refuses a batch of more than 65,536 messages as one`(_ count: Int) async throws {
    let transcript = try await converse("[" + Array(repeating: "7", count: count).joined(separator: ",") + "]\n")
    let answer = try #require(transcript.frames.first)
    #expect(transcript.frames.count == 1)
    if count > 65536 {
      #expect(answer.errorCode == -32600 && answer.errorMessage?.contains("65536") == true, "\(answer)")
    } else {
      #expect(try answer.json.elements.count == count)
    }
  }

  @Test func `takes numbers of any size for ids of its calls`() async throws {
    let transcript = try await converse(
      #"[{"id":123456789012345678901234567890,"method":"shell.ping"},{"id":1e999,"method":"shell.ping"}]"# + "\n")
    #expect(
      transcript.texts == [
        #"[{"jsonrpc":"2.0","id":123456789012345678901234567890,"result":{}},{"jsonrpc":"2.0","id":1e999,"result":{}}]"#
      ])
  }

  @Test func `takes a batch of many calls`() async throws {
    let calls = (0..<5000).map { #"{"id":\#($0),"method":"shell.ping","params":{"n":\#($0)}}"# }
    let transcript = try await converse("[" + calls.joined(separator: ",") + "]\n")
    let answers = (0..<5000).map { #"{"jsonrpc":"2.0","id":\#($0),"result":{"n":\#($0)}}"# }
    #expect(transcript.texts == ["[" + answers.joined(separator: ",") + "]"])
  }
}

/// Two requests under one id: the second is refused under null, and the first is unharmed.
@Suite(.timeLimit(.usualMinutes(1)))
struct DuplicateIDTests {
  @Test(arguments: [
    ("1", "1"), ("1", "1.0"), ("1", "10e-1"), ("1.5", "15e-1"), ("0", "-0"), (#""a""#, #""\u0061""#),
    (#""""#, #""""#), ("null", "null"), ("123456789012345678901234567890", "123456789012345678901234567890.0"),
  ])
  func `refuses a second call under an id that is in flight, by value`(_ first: String, _ second: String) async throws {
    for refused in ["shell.ping", "test.slow", "test.nope"] {
      let host = TestHost()
      try await host.send(
        #"{"id":\#(first),"method":"test.wait","params":{"gate":"g"}}"# + "\n"
          + #"{"id":\#(second),"method":"\#(refused)"}"# + "\n")
      let refusal = try await host.next()
      #expect(refusal.text.hasPrefix(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#), "\(refusal)")
      #expect(refusal.text.hasSuffix(#""data":{"id":\#(second)}}}"#), "\(refusal)")
      try await host.notify("test.unblock", #"{"gate":"g"}"#)
      let transcript = try await host.finish()
      #expect(transcript.texts == [#"{"jsonrpc":"2.0","id":\#(first),"result":"g"}"#])
      #expect(transcript.status == .failure)
    }
  }

  @Test(arguments: [("1", #""1""#), ("1", "1.5"), ("null", #""null""#), ("0", #""""#), ("1", "-1"), ("10", "1")])
  func `tells ids of different values apart`(_ first: String, _ second: String) async throws {
    let host = TestHost()
    try await host.send(
      #"{"id":\#(first),"method":"test.wait","params":{"gate":"g"}}"# + "\n"
        + #"{"id":\#(second),"method":"shell.ping"}"# + "\n")
    #expect(try await host.next().text == #"{"jsonrpc":"2.0","id":\#(second),"result":{}}"#)
    try await host.notify("test.unblock", #"{"gate":"g"}"#)
    #expect(try await host.finish().frames.count == 1)
  }

  @Test func `takes an id again once it is answered`() async throws {
    let line = #"{"id":1,"method":"test.slow","params":{"seconds":0}}"# + "\n"
    let host = TestHost()
    for _ in 0..<3 {
      try await host.send(line)
      #expect(try await host.next().text == #"{"jsonrpc":"2.0","id":1,"result":true}"#)
    }
    #expect(try await host.finish().status == .success)
  }

  @Test func `counts the calls of a batch as in flight until their array is sent`() async throws {
    let host = TestHost()
    try await host.send(
      #"[{"id":"a","method":"shell.ping"},{"id":"b","method":"test.wait","params":{"gate":"g"}}]"# + "\n"
        + #"{"id":"a","method":"shell.ping"}"# + "\n")
    let refusal = try await host.next()
    #expect(refusal.errorCode == -32600 && refusal.id == "null" && refusal.at("error.data.id") == "\"a\"", "\(refusal)")
    try await host.notify("test.unblock", #"{"gate":"g"}"#)
    #expect(try await host.next().text.hasPrefix("["))
    try await host.send(#"{"id":"a","method":"shell.ping"}"# + "\n")
    #expect(try await host.next().text == #"{"jsonrpc":"2.0","id":"a","result":{}}"#)
    #expect(try await host.finish().frames == [])
  }

  @Test(arguments: ["shell.ping", "test.slow"])
  func `refuses a second call under an id of the same batch`(_ method: String) async throws {
    let params = method == "test.slow" ? #"{"seconds":0}"# : "{}"
    let call = #"{"id":7,"method":"\#(method)","params":\#(params)}"#
    let transcript = try await converse("[\(call),\(call)]\n")
    let answers = try #require(try transcript.frames.first?.json.elements)
    #expect(transcript.frames.count == 1 && answers.count == 2)
    #expect(answers.filter { $0["id"]?.integer == 7 }.count == 1)
    #expect(answers.filter { $0["id"]?.isNull == true && $0["error"]?["data"]?["id"]?.integer == 7 }.count == 1)
  }
}
