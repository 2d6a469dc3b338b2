import Testing

@testable import RPCShell

/// `$/cancelRequest`: the request is answered once, whatever happens first.
@Suite(.timeLimit(.usualMinutes(1)))
struct CancelTests {
  static let slow = #"{"id":1,"method":"test.slow","params":{"seconds":60}}"#

  static func cancelled(_ id: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32800,"message":"Request cancelled","data":{"action":"slow"}}}"#
  }

  struct Form: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var id: String
    var cancel: String
  }

  @Test(arguments: [
    Form(testDescription: "as LSP has it", id: "1", cancel: #"{"method":"$/cancelRequest","params":{"id":1}}"#),
    Form(
      testDescription: "with more members", id: "1",
      cancel: #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"reason":"x","id":1,"_meta":{}}}"#),
    Form(
      testDescription: "another text of the number", id: "1",
      cancel: #"{"method":"$/cancelRequest","params":{"id":1.0}}"#),
    Form(testDescription: "a string", id: #""é""#, cancel: #"{"method":"$/cancelRequest","params":{"id":"\u00e9"}}"#),
    Form(testDescription: "null", id: "null", cancel: #"{"method":"$/cancelRequest","params":{"id":null}}"#),
    Form(
      testDescription: "a number of any size", id: "123456789012345678901234567890",
      cancel: #"{"method":"$/cancelRequest","params":{"id":123456789012345678901234567890}}"#),
    Form(
      testDescription: "a number that no double holds", id: "1e400",
      cancel: #"{"method":"$/cancelRequest","params":{"id":1e400}}"#),
    Form(testDescription: "as Vim sends it", id: "1", cancel: #"{"method":"$/cancelRequest","id":1}"#),
    Form(
      testDescription: "as Vim sends it, with the version", id: "1",
      cancel: #"{"jsonrpc":"2.0","id":1,"method":"$/cancelRequest"}"#),
    Form(
      testDescription: "as Vim sends it, null params", id: "1",
      cancel: #"{"id":1,"method":"$/cancelRequest","params":null}"#),
    Form(
      testDescription: "as Vim sends it, with an escape in the name", id: "1",
      cancel: #"{"method":"$\/cancelRequest","id":1}"#),
    Form(testDescription: "in a batch", id: "1", cancel: #"[{"method":"$/cancelRequest","params":{"id":1}}]"#),
  ])
  func `stops a request and answers it`(_ form: Form) async throws {
    for framed in [false, true] {
      let call = #"{"id":\#(form.id),"method":"test.slow","params":{"seconds":60}}"#
      let messages = [call, form.cancel]
      let input =
        framed
        ? messages.map { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" }.joined()
        : messages.map { $0 + "\n" }.joined()
      let transcript = try await converse(input)
      #expect(transcript.texts == [Self.cancelled(form.id)])
      #expect(transcript.status == .success, "a cancel is no failure")
      #expect(transcript.log == [])
    }
  }

  @Test(arguments: ["true", "false", "[1]", "[]", "{}"])
  func `takes no other value for an id`(_ value: String) async throws {
    let call = #"{"id":0,"method":"test.slow","params":{"seconds":0}}"#
    let transcript = try await converse(
      call + "\n" + #"{"method":"$/cancelRequest","params":{"id":\#(value)}}"# + "\n")
    #expect(transcript.texts == [#"{"jsonrpc":"2.0","id":0,"result":true}"#])
    #expect(transcript.log.count == 1 && transcript.log[0].contains("a string or a number"))
  }

  @Test func `answers each request once when its cancel comes in the same write`() async throws {
    let pairs = (1...1000).map { id in
      #"{"id":\#(id),"method":"test.slow","params":{"seconds":60}}"# + "\n"
        + #"{"method":"$/cancelRequest","params":{"id":\#(id)}}"# + "\n"
    }
    let transcript = try await converse(pairs.joined())
    #expect(transcript.frames.count == 1000)
    #expect(Set(transcript.texts) == Set((1...1000).map { Self.cancelled("\($0)") }))
    #expect(transcript.status == .success)
  }

  @Test(arguments: [
    #"{"method":"$/cancelRequest","params":{"id":99}}"#, #"{"method":"$/cancelRequest","params":{"id":"1"}}"#,
    #"{"method":"$/cancelRequest","id":99}"#, #"{"method":"$/cancelRequest","params":{"id":null}}"#,
  ])
  func `ignores a cancel of what does not run`(_ cancel: String) async throws {
    let transcript = try await converse(cancel + "\n" + #"{"id":1,"method":"shell.ping"}"# + "\n" + cancel + "\n")
    #expect(transcript.texts == [#"{"jsonrpc":"2.0","id":1,"result":{}}"#])
    #expect(transcript.status == .success)
    #expect(transcript.log == [])
  }

  @Test func `ignores a cancel of what is answered`() async throws {
    let host = TestHost()
    #expect(try await host.call("test.slow", #"{"seconds":0}"#).at("result") == "true")
    try await host.notify("$/cancelRequest", #"{"id":1}"#)
    try await host.notify("$/cancelRequest", #"{"id":1}"#)
    let transcript = try await host.finish()
    #expect(transcript.texts == [])
    #expect(transcript.status == .success)
  }

  @Test func `answers once when it is cancelled twice`() async throws {
    let cancel = #"{"method":"$/cancelRequest","params":{"id":1}}"#
    let transcript = try await converse([Self.slow, cancel, cancel].map { $0 + "\n" }.joined())
    #expect(transcript.texts == [Self.cancelled("1")])
  }

  @Test(arguments: [#"{"method":"$/cancelRequest","params":{}}"#, #"{"method":"$/cancelRequest"}"#])
  func `explains a cancel that names nothing`(_ cancel: String) async throws {
    let transcript = try await converse(cancel + "\n")
    #expect(transcript.texts == [])
    #expect(transcript.log.count == 1 && transcript.log[0].contains("expected the id of a request"))
  }

  @Test func `answers a cancel that has an id of its own`() async throws {
    let transcript = try await converse(
      Self.slow + "\n" + #"{"id":2,"method":"$/cancelRequest","params":{"id":1}}"# + "\n")
    #expect(Set(transcript.texts) == [Self.cancelled("1"), #"{"jsonrpc":"2.0","id":2,"result":null}"#])
  }

  @Test func `gives the result of an action that succeeded all the same`() async throws {
    let host = TestHost()
    let id = try await host.start("test.stubborn", #"{"seconds":1}"#)
    try await host.notify("$/cancelRequest", #"{"id":\#(id)}"#)
    await host.clock.waitForSleepers()
    #expect(try await host.call("shell.ping").errorCode == nil, "others are answered meanwhile")
    host.clock.advance(by: .seconds(1))
    #expect(try await host.reply(to: id).at("result") == "true")
    let transcript = try await host.finish()
    #expect(transcript.texts == [])
    #expect(transcript.status == .success)
  }

  @Test func `cancels one request and leaves the others alone`() async throws {
    let host = TestHost()
    let first = try await host.start("test.slow", #"{"seconds":60}"#)
    let second = try await host.start("test.slow", #"{"seconds":60}"#)
    try await host.notify("$/cancelRequest", #"{"id":\#(first)}"#)
    #expect(try await host.next().text == Self.cancelled("\(first)"))
    await host.clock.waitForSleepers()
    host.clock.advance(by: .seconds(60))
    #expect(try await host.reply(to: second).at("result") == "true")
    #expect(try await host.finish().status == .success)
  }

  @Test func `cancels a call of a batch, whose array then is complete`() async throws {
    let transcript = try await converse(
      #"[\#(Self.slow),{"id":2,"method":"shell.ping"}]"# + "\n" + #"{"method":"$/cancelRequest","params":{"id":1}}"#
        + "\n")
    #expect(transcript.texts == [#"[{"jsonrpc":"2.0","id":2,"result":{}},\#(Self.cancelled("1"))]"#])
  }

  @Test func `cancels a call of the very batch it stands in`() async throws {
    let transcript = try await converse(#"[\#(Self.slow),{"method":"$/cancelRequest","params":{"id":1}}]"# + "\n")
    #expect(transcript.texts == ["[\(Self.cancelled("1"))]"])
  }
}
