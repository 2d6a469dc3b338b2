import PluginProcesses
import Testing

@testable import RPCShell

/// Plugins that break the protocol: nobody waits for ever, and the client sees none of it.
@Suite(.serialized, .timeLimit(.usualMinutes(2)))
struct PluginFaultTests {
  private static func quoted(_ text: String) -> String { JSONText.string(text).description }

  /// Has the plugin write something where a call of it waits for the answer; ID is that call's.
  private func write(_ text: String, _ host: TestHost, latin1: Bool = false) async throws -> Int {
    try await host.start("p.write", #"{\#(latin1 ? #""latin1":true,"# : "")"text":\#(Self.quoted(text))}"#)
  }

  private func expectEnd(of ids: [Int], because reason: String, _ host: TestHost) async throws {
    for id in ids {
      let reply = try await host.reply(to: id)
      #expect(reply.errorCode == 106)
      #expect(reply.errorMessage == "the plugin 'p' was ended: \(reason)")
    }
    #expect(try await host.logged { $0.contains("was ended") } == "rpcshell: plugin 'p' was ended: \(reason)")
    let next = try await host.start("p.echo", #"{"x":1}"#)
    try await host.pass(.milliseconds(100))
    #expect(try await host.reply(to: next).at("result.x") == "1", "the next call starts another")
  }

  // MARK: Its streams

  @Test(arguments: [(0, "stdin"), (1, "stdout")])
  func `one that closes a stream and runs on is ended and started again`(stream: Int, name: String) async throws {
    let host = ScriptedPlugin.host()
    let waiting = try await host.start("p.wait")
    let closing = try await host.start("p.close", #"{"stream":\#(stream)}"#)
    try await host.pass(.seconds(1))
    try await expectEnd(of: [waiting, closing], because: "it closed its \(name)", host)
  }

  @Test(arguments: ["Content-Length: 99999999999\r\n\r\n", "Content-Length: 67108865\r\n\r\n{\"id\":ID"])
  func `one that announces more than the limit is ended and started again`(text: String) async throws {
    let host = ScriptedPlugin.host()
    let waiting = try await host.start("p.wait")
    let writing = try await write(text, host)
    try await expectEnd(
      of: [waiting, writing], because: "it began a message over the limit of 67108864 bytes", host)
  }

  // MARK: Answers that cannot be read

  @Test(arguments: [
    (#"{"id":ID,"result":{"a":1,"a":2}}"#, "duplicate"), (#"{"result":{"a":1,"a":2},"id":ID}"#, "duplicate"),
    (#"{"id":ID,"result":"\#u{E9}"}"#, "UTF-8"), (#"{"id":ID,"result":nul}"#, "line 1, column"),
    (#"{"id":ID,"error":{"code":1,"message":"\ud800"}}"#, "line 1, column"),
    (#"{"id":ID,"result":\#(String(repeating: "[", count: 600) + String(repeating: "]", count: 600))}"#, "512"),
  ])
  func `an answer that is not JSON fails its call, and only that`(text: String, reason: String) async throws {
    let host = ScriptedPlugin.host()
    let before = try await host.call("p.pid").at("result")
    let reply = try await host.reply(to: write(text + "\n", host, latin1: true))
    #expect(reply.errorCode == -32603)
    #expect(reply.errorMessage?.hasPrefix("the answer of 'p' cannot be used: line 1, column ") ?? false, "\(reply)")
    #expect(reply.errorMessage?.contains(reason) ?? false, "\(reply)")
    #expect(try await host.call("p.pid").at("result") == before)
    #expect(try await host.finish().log == [])
  }

  @Test func `it does in header blocks, too`() async throws {
    let host = ScriptedPlugin.host()
    let body = #"{"id":3,"result":nul}"#
    _ = try await host.call("p.echo")
    let reply = try await host.reply(to: write("Content-Length: \(body.utf8.count)\r\n\r\n" + body, host))
    #expect(reply.errorCode == -32603)
  }

  @Test(arguments: [
    (#"{"result":{"a":1,"a":2}}"#, "line 1, column 18: duplicate member name"),
    (#"{"id":1,"id":ID,"result":1}"#, "line 1, column 9: duplicate member name"),
    (#"{"id":{},"result":1}"#, #"id must be a string, a number or null: {"id":{},"result":1}"#),
  ])
  func `where nobody can tell whose answer it is, all calls have failed`(text: String, reason: String) async throws {
    let host = ScriptedPlugin.host()
    let waiting = try await host.start("p.wait")
    let writing = try await write(text + "\n", host)
    try await expectEnd(of: [waiting, writing], because: "it wrote an answer that cannot be read: \(reason)", host)
  }

  @Test func `while nobody waits, such an answer is only a line`() async throws {
    let host = ScriptedPlugin.host()
    let before = try await host.call("p.pid").at("result")
    try await host.notify("p.write", ##"{"text":"{\"result\":nul}\n"}"##)
    let line = try await host.logged { _ in true }
    #expect(
      line.hasPrefix(
        "rpcshell: plugin 'p': it wrote an answer that cannot be read: line 1, column 14: expected a value"), "\(line)")
    #expect(try await host.call("p.pid").at("result") == before)
  }

  @Test func `an answer that its end cuts off is told by that`() async throws {
    let host = ScriptedPlugin.host()
    let writing = try await write(#"{"id":ID,"result":{"a":1"#, host)
    let dying = try await host.start("p.die")
    for id in [writing, dying] {
      #expect(try await host.reply(to: id).errorMessage == "the plugin 'p' ended before it answered (exit status 3)")
    }
  }

  @Test func `answers in a batch are taken`() async throws {
    let host = ScriptedPlugin.host()
    _ = try await host.call("p.echo")
    let first = try await host.start("p.wait")
    let second = try await write(#"[{"id":3,"result":"one"},{"id":ID,"result":"two"}]"# + "\n", host)
    #expect(try await host.reply(to: first).at("result") == #""one""#)
    #expect(try await host.reply(to: second).at("result") == #""two""#)
  }

  // MARK: Errors, reports and tokens

  @Test(arguments: [
    (#"{"message":"no code"}"#, "its error has no code that is an integer (no code)"),
    (#"{"code":"E1","message":"text"}"#, "its error has no code that is an integer (text)"),
    (#"{"code":1.5,"message":"half"}"#, "its error has no code that is an integer (half)"),
    (#"{"code":1}"#, "its error has no message that is a string"),
    (#"{"code":1,"message":5}"#, "its error has no message that is a string"),
    ("{}", "its error has no message that is a string"), (#""oops""#, "its error is no object"),
    ("7", "its error is no object"),
  ])
  func `an error that is none is replaced`(error: String, reason: String) async throws {
    let host = ScriptedPlugin.host()
    let reply = try await host.reply(to: write(#"{"id":ID,"error":\#(error)}"# + "\n", host))
    #expect(reply.at("error") == #"{"code":-32603,"message":"the answer of 'p' cannot be used: \#(reason)"}"#)
  }

  @Test(arguments: [
    ("{}", "value: missing; expected an object"), (#"{"value":"half"}"#, "value: expected an object, got a string"),
    (#"{"value":{"percentage":4}}"#, "value.kind: missing; expected a string"),
    (
      #"{"value":{"kind":"report","percentage":400}}"#, "value.percentage: expected a number from 0 to 100"
    ), (#"{"value":{"kind":"end","message":7}}"#, "value.message: expected a string, got an integer"),
  ])
  func `a report that is none is dropped`(params: String, reason: String) async throws {
    let host = ScriptedPlugin.host()
    _ = try await host.call("p.echo")
    let report = #"{"method":"$/progress","params":{"token":4,\#(params.dropFirst())}"#.replacing(",}", with: "}")
    let text = report + "\n" + #"{"id":ID,"result":true}"# + "\n"
    let id = try await host.start("p.write", #"{"workDoneToken":"t","text":\#(Self.quoted(text))}"#)
    #expect(try await host.reply(to: id).at("result") == "true")
    #expect(host.passed == [])
    #expect(try await host.finish().log == ["rpcshell: plugin 'p': dropped a $/progress: \(reason)"])
  }

  @Test func `parts of a result may be anything`() async throws {
    let host = ScriptedPlugin.host()
    _ = try await host.call("p.echo")
    let text = #"{"method":"$/progress","params":{"token":4,"value":[1]}}"# + "\n" + #"{"id":ID,"result":true}"# + "\n"
    let id = try await host.start("p.write", #"{"partialResultToken":7,"text":\#(Self.quoted(text))}"#)
    #expect(try await host.reply(to: id).at("result") == "true")
    #expect(host.passed.map { $0.at("params") } == [#"{"token":7,"value":[1]}"#])
  }

  @Test(arguments: ["p.echo", "rpc.discover"], ["workDoneToken", "partialResultToken"])
  func `what is no token is refused everywhere`(method: String, member: String) async throws {
    let host = ScriptedPlugin.host()
    for value in ["{}", "[1]", "1.5", "true"] {
      let reply = try await host.call(method, #"{"\#(member)":\#(value)}"#)
      #expect(reply.errorCode == -32602)
      #expect(reply.errorMessage == "\(member): expected a string or an integer")
      #expect(reply.at("error.data.path") == #""\#(member)""#)
    }
    let long = try await host.call(method, #"{"\#(member)":"\#(String(repeating: "x", count: 5000))"}"#)
    #expect(long.errorMessage == "\(member): expected up to 4096 bytes")
  }

  @Test func `rpc.discover lists a method once`() async throws {
    let host = ScriptedPlugin.host([
      "--describe", #"{"methods":[{"name":"p.a","x":1},{"name":"p.b"},{"name":"p.a","x":2},{"name":"plan.get"}]}"#,
    ])
    let methods = try await host.call("rpc.discover").json["result"]?["methods"]?.elements ?? []
    let own = methods.filter { $0["name"]?.string?.hasPrefix("p.") ?? false }
    #expect(own.map { $0["name"]?.string } == ["p.a", "p.b"])
    #expect(own.first?["x"]?.integer == 1)
    #expect(try await host.call("initialize").at("result.plugins.1.methods") == #"["p.a","p.b"]"#)
  }
}
