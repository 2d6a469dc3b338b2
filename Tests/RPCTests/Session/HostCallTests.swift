import Testing

@testable import RPCShell

/// Requests of the shell's own to the host.
@Suite(.timeLimit(.usualMinutes(1)))
struct HostCallTests {
  private static func ask(_ id: Int, _ more: String = "") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"test.ask","params":{"question":\#(id)\#(more)}}"# + "\n"
  }

  private static func request(_ id: Int, _ question: Int) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"host.test","params":{"question":\#(question)}}"#
  }

  private static func reply(_ id: Int, _ result: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#
  }

  /// A host that was asked; the request was taken.
  private static func asked(_ more: String = "") async throws -> TestHost {
    let host = TestHost()
    try await host.send(ask(1, more))
    if !more.isEmpty { _ = try await host.next() }
    #expect(try await host.next().text == request(1_000_001, 1))
    return host
  }

  // MARK: Answers

  @Test(
    arguments: [
      (#"{"jsonrpc":"2.0","id":1000001,"result":{"größe":[1,2.50]}}"#, #"{"größe":[1,2.5]}"#),
      (#"{"id":1000001,"result":null}"#, "null"), (#"{"id":1000001.0,"result":7}"#, "7"),
      (#"{"id":1000001,"result":true,"error":null}"#, "true"), (#"[{"id":1000001,"result":"a"}]"#, #""a""#),
      ("{\"id\":1000001,\n \"result\":2}", "2"), (#"{"jsonrpc":"2.0","id":1000001}"#, "null"),
    ])
  func `an answer reaches who asked`(answer: String, result: String) async throws {
    let host = try await Self.asked()
    try await host.send(answer + "\n")
    #expect(try await host.next().text == Self.reply(1, result))
    #expect(try await host.finish().status == .success)
  }

  @Test(arguments: [
    (#"{"code":7,"message":"Card declined."}"#, "7 Card declined."), (#"{"code":-32601,"message":"no"}"#, "-32601 no"),
    (#"{"code":1}"#, "1 "), (#"{"message":"m"}"#, "0 m"), ("1", "-32603 "),
    (#"{"code":-32800.0,"message":"m"}"#, "-32800 m"), (#"{"code":"-32603","message":"m"}"#, "-32603 m"),
  ])
  func `an error reaches who asked`(error: String, text: String) async throws {
    let host = try await Self.asked()
    try await host.send(#"{"jsonrpc":"2.0","id":1000001,"error":\#(error)}"# + "\n")
    #expect(try await host.next().at("error.message") == "\"\(text)\"")
  }

  @Test(arguments: [
    #"{"id":1000001,"result":{"a":1,"a":2}}"#, #"{"result":nul,"id":1000001}"#,
    #"{"error":{"message":"\ud800"},"id":1000001}"#,
  ])
  func `an answer that is not JSON fails what was asked, and is not answered itself`(answer: String) async throws {
    let host = try await Self.asked()
    try await host.send(answer + "\n")
    #expect(try await host.next().at("error.message") == #""-32603 the answer cannot be read""#)
    #expect(try await host.finish().frames == [])
  }

  @Test func `what is not JSON is answered under null, whatever its id`() async throws {
    let transcript = try await converse(#"{"id":7,"result":nul}"# + "\n" + #"{"id":8,"method":nul}"# + "\n")
    #expect(transcript.frames.map(\.id) == ["null", "null"])
    #expect(transcript.frames.map(\.errorCode) == [-32700, -32700])
  }

  @Test(arguments: [#""1000001""#, "1000002", "1", "1000001.5", "null"])
  func `an answer under another id is dropped with a line, and the right one still counts`(id: String) async throws {
    let host = try await Self.asked()
    try await host.send(#"{"id":\#(id),"result":1}"# + "\n" + #"{"id":1000001,"result":2}"# + "\n")
    #expect(try await host.next().text == Self.reply(1, "2"))
    let transcript = try await host.finish()
    #expect(transcript.log == ["rpcshell: dropped an answer to a request that was not made: id \(id)"])
  }

  @Test func `a second answer is dropped with a line`() async throws {
    let host = try await Self.asked()
    try await host.send(#"{"id":1000001,"result":1}"# + "\n" + #"{"id":1000001,"result":2}"# + "\n")
    let transcript = try await host.finish()
    #expect(transcript.texts == [Self.reply(1, "1")])
    #expect(transcript.log.count == 1)
  }

  @Test func `two hundred that wait are answered after all were sent, in any order`() async throws {
    let host = TestHost()
    for id in 1...200 { try await host.send(Self.ask(id)) }
    for id in 1...200 { #expect(try await host.next().text == Self.request(1_000_000 + id, id)) }
    let answers = (1...200).reversed().map { #"{"id":\#(1_000_000 + $0),"result":\#($0)}"# + "\n" }
    try await host.send(answers.joined())
    let transcript = try await host.finish()
    #expect(Set(transcript.texts) == Set((1...200).map { Self.reply($0, "\($0)") }))
    #expect(transcript.frames.count == 200)
  }

  @Test func `an answer passes over a thousand calls that wait`() async throws {
    let host = TestHost()
    let waiting = (2...1024).map { #"{"id":\#($0),"method":"test.wait","params":{"gate":"g"}}"# + "\n" }
    try await host.send(Self.ask(1) + waiting.joined() + #"{"id":1000001,"result":1}"# + "\n")
    #expect(try await host.next().text == Self.request(1_000_001, 1))
    #expect(try await host.next().text == Self.reply(1, "1"))
  }

  @Test func `a request goes out in the newest framing`() async throws {
    let body = #"{"id":1,"method":"test.ask","params":{"question":1}}"#
    let host = TestHost()
    try await host.send("Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    let frame = try await host.next()
    #expect(frame.framing == .headers)
    #expect(frame.text == Self.request(1_000_001, 1))
  }

  @Test(arguments: [
    #"{"id":1000001,"Error":{"code":1,"message":"Card declined"}}"#, #"{"id":1000001,"resutl":{}}"#,
    #"{"id":1000001,"params":{}}"#, #"{"jsonrpc":"1.0","id":1000001}"#,
  ])
  func `what is no answer but has its id is a failure, and not answered itself`(answer: String) async throws {
    let host = try await Self.asked()
    try await host.send(answer + "\n")
    #expect(
      try await host.next().at("error.message") == #""-32603 the answer has neither result nor error""#)
    #expect(try await host.finish().frames.isEmpty)
  }

  @Test func `an answer that is too large fails what asked, and is not answered itself`() async throws {
    let host = TestHost { $0.decoder.maxMessage = 2000 }
    try await host.send(Self.ask(1))
    _ = try await host.next()
    try await host.send(#"{"id":1000001,"result":"\#(String(repeating: "x", count: 3000))"}"# + "\n")
    #expect(try await host.next().at("error.message") == #""-32603 the answer cannot be read""#)
    #expect(try await host.finish().frames.isEmpty)
  }

  // MARK: Ends without an answer

  @Test func `at the end of input nobody answers any more`() async throws {
    let host = try await Self.asked()
    try await host.send(Self.ask(2))
    #expect(try await host.next().text == Self.request(1_000_002, 2))
    let transcript = try await host.finish()
    #expect(transcript.frames.map { "\($0.id ?? "") \($0.errorCode ?? 0)" }.sorted() == ["1 106", "2 106"])
    #expect(transcript.status == .failure)
  }

  @Test func `a cancel is passed on, and the host's answer to it waited for`() async throws {
    let host = try await Self.asked()
    try await host.notify("$/cancelRequest", #"{"id":1}"#)
    #expect(try await host.next().text == #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1000001}}"#)
    try await host.send(#"{"id":1000001,"result":"too late"}"# + "\n")
    #expect(try await host.next().text == Self.reply(1, #""too late""#))
  }

  @Test func `a request that nobody answers to a cancel is given up, and its late answer dropped quietly`() async throws
  {
    let host = try await Self.asked()
    try await host.notify("$/cancelRequest", #"{"id":1}"#)
    _ = try await host.next()
    await host.settle()
    host.clock.advance(by: .milliseconds(2100))
    #expect(try await host.next().at("error.message") == #""-32800 ""#)
    try await host.send(#"{"id":1000001,"result":1}"# + "\n")
    let transcript = try await host.finish()
    #expect(transcript.frames.isEmpty && transcript.log.isEmpty)
  }

  @Test func `what has arrived when the session is told to end counts`() async throws {
    let calls = String(repeating: #"{"method":"$/x"}"# + "\n", count: 9000)
    let host = try await Self.asked()
    host.output.start()
    try await host.send(calls + #"{"id":1000001,"result":"in time"}"# + "\n")
    host.interrupt()
    let transcript = try await host.transcript()
    #expect(transcript.texts == [Self.reply(1, #""in time""#)])
    #expect(transcript.status == .success)
  }

  // MARK: Progress

  @Test func `of two requests with one token the newest is reported on`() async throws {
    let host = TestHost()
    for id in 1...2 {
      try await host.send(Self.ask(id, #","workDoneToken":"t""#))
      for _ in 1...2 { _ = try await host.next() }
    }
    try await host.send(#"{"id":1000002,"result":2}"# + "\n")
    for _ in 1...2 { _ = try await host.next() }
    try await host.notify("$/progress", #"{"token":"t","value":{"percentage":40}}"#)
    #expect(try await host.next().at("params.value.percentage") == "40")
  }

  @Test(arguments: ["5", "null", "[]", "{}", #"{"kind":"begin","title":"x"}"#])
  func `a report of nothing is passed over`(value: String) async throws {
    let host = try await Self.asked(#","workDoneToken":"t""#)
    try await host.notify("$/progress", #"{"token":"t","value":\#(value)}"#)
    try await host.send(#"{"id":1000001,"result":1}"# + "\n")
    #expect(try await host.next().at("params.value.kind") == #""end""#)
  }

  @Test(arguments: [#""t""#, "0", #""""#, "1000001"])
  func `reports come under the caller's token or the request's id`(token: String) async throws {
    let own = token == "1000001" ? #""mine""# : token
    let host = try await Self.asked(#","workDoneToken":\#(own)"#)
    try await host.notify(
      "$/progress", #"{"token":\#(token),"value":{"kind":"report","percentage":40,"message":"Waiting for the bank"}}"#)
    #expect(
      try await host.next().text
        == #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":\#(own),"value":{"kind":"report","message":"Waiting for the bank","percentage":40}}}"#
    )
    try await host.notify("$/progress", #"{"token":\#(token),"value":{"kind":"end"}}"#)
    try await host.send(#"{"id":1000001,"result":1}"# + "\n")
    #expect(try await host.next().at("params.value.kind") == #""end""#)
    #expect(try await host.next().text == Self.reply(1, "1"))
  }

  @Test func `reports under other tokens and after the answer are passed over`() async throws {
    let host = try await Self.asked(#","workDoneToken":1"#)
    let report = { (token: String) in #"{"token":\#(token),"value":{"kind":"report","percentage":1}}"# }
    for token in [#""1""#, "2", "null", "[1]"] { try await host.notify("$/progress", report(token)) }
    try await host.send(#"{"id":1000001,"result":1}"# + "\n")
    try await host.notify("$/progress", report("1"))
    let transcript = try await host.finish()
    #expect(transcript.frames.map { $0.at("params.value.kind") ?? $0.id } == [#""end""#, "1"])
    #expect(transcript.status == .success)
  }
}
