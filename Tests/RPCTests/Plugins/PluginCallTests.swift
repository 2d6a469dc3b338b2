import Glibc
import PluginProcesses
import Testing

@testable import RPCShell

/// What passes between a client and a plugin that is a process.
@Suite(.serialized, .timeLimit(.usualMinutes(2)))
struct PluginCallTests {
  private static func quoted(_ text: String) -> String { JSONText.string(text).description }

  // MARK: Byte for byte

  @Test(arguments: [
    (#"{"a": 1.0, "b":1e2,"c":"\u00e9/\/"}"#, #"{"a": 1.0, "b":1e2,"c":"\u00e9/\/"}"#),
    ("[1,  2]", "[1,  2]"), ("null", "null"), (#""""#, #""""#),
    ("{\n  \"a\": 1.00\n}", #"{"a":1.00}"#), ("\"\u{2028}\"", #""\u2028""#),
  ])
  func `results come back as they were written`(written: String, expected: String) async throws {
    let host = ScriptedPlugin.host()
    let params = #"{"framed":true,"text":\#(Self.quoted(#"{"jsonrpc":"2.0","id":ID,"result":\#(written)}"#))}"#
    let id = try await host.start("p.write", params)
    #expect(try await host.next().text == #"{"jsonrpc":"2.0","id":\#(id),"result":\#(expected)}"#)
  }

  @Test(arguments: [
    #"{"code": 7, "message":"no", "data": {"x": 1.0}}"#, #"{"code":-32601,"message":"nö"}"#,
  ])
  func `errors come back as they were written`(error: String) async throws {
    let host = ScriptedPlugin.host()
    let params = #"{"framed":true,"text":\#(Self.quoted(#"{"id":ID,"error":\#(error)}"#))}"#
    let id = try await host.start("p.write", params)
    #expect(try await host.next().text == #"{"jsonrpc":"2.0","id":\#(id),"error":\#(error)}"#)
    #expect(try await host.finish().status == .failure)
  }

  @Test(arguments: [
    #""1""#, "1", "1501691352102", #""""#, "null", "1.0", "123456789012345678901234567890", #""\u0061""#,
  ])
  func `ids are the client's`(id: String) async throws {
    let host = ScriptedPlugin.host()
    try await host.send(#"{"id":\#(id),"method":"p.echo","params":{"x":1}}"# + "\n")
    #expect(try await host.next().text == #"{"jsonrpc":"2.0","id":\#(id),"result":{"x":1}}"#)
  }

  @Test(arguments: [
    (#","params":{ "a" : 1.0,"b":[1,{"c":1E2}]}"#, #","params":{ "a" : 1.0,"b":[1,{"c":1E2}]}"#),
    (#","params":[1]"#, #","params":[1]"#), (#","params":null"#, #","params":null"#), ("", ""),
    (",\"params\":{\n\"a\":\n 1.0}", #","params":{"a":1.0}"#),
    (
      #","params":{"workDoneToken":"t","in":{"workDoneToken":2},"partialResultToken" : 0 }"#,
      #","params":{"workDoneToken":4,"in":{"workDoneToken":2},"partialResultToken" : 5 }"#
    ),
    (#","params":{"workDoneToken":null}"#, #","params":{"workDoneToken":null}"#),
  ])
  func `parameters go out as they were written, but for tokens`(params: String, expected: String) async throws {
    let host = ScriptedPlugin.host()
    _ = try await host.call("p.echo")
    try await host.send(#"{"id":1,"method":"p.line"\#(params)}"# + "\n")
    let line = try await host.next().json["result"]?.string ?? ""
    // 1 was the first call, 2 initialize.
    #expect(line == #"{"jsonrpc":"2.0","id":3,"method":"p.line"\#(expected)}"#)
  }

  @Test func `a method's name is what its escapes mean`() async throws {
    let host = ScriptedPlugin.host()
    try await host.send(#"{"id":1,"method":"p\u002eecho","params":{"x":1}}"# + "\n")
    #expect(try await host.next().at("result.x") == "1")
    try await host.send(#"{"id":2,"method":"p.\"\n"}"# + "\n")
    #expect(try await host.next().errorMessage == "\"\n? never heard of it")
  }

  @Test func `unknown methods are refused by the plugin itself`() async throws {
    let host = ScriptedPlugin.host()
    let reply = try await host.call("p.nothing")
    #expect(reply.errorCode == -32601)
    #expect(reply.errorMessage == "nothing? never heard of it")
    #expect(try await host.call("pp.echo").errorMessage == "unknown method 'pp.echo'; did you mean 'p.echo'?")
    for name in ["p.", "pp.", "p"] {
      let message = try await host.call(name).errorMessage
      #expect(message == "unknown method '\(name)'; rpc.discover lists what there is", "nothing is meant by itself")
    }
  }

  @Test func `a batch may have calls of several plugins`() async throws {
    let host = ScriptedPlugin.host()
    try await host.send(
      #"[{"id":1,"method":"p.echo","params":{"x":1}},{"id":2,"method":"shell.ping"},{"method":"p.touch","params":{"path":"/dev/null"}}]"#
        + "\n")
    let batch = try await host.next()
    #expect(Set([batch.at("0.id"), batch.at("1.id")]) == ["1", "2"])
    #expect(batch.at("2") == nil)
  }

  @Test func `a plugin that speaks in header blocks is answered in them`() async throws {
    let host = ScriptedPlugin.host(["--headers"])
    for number in 1...3 {
      #expect(try await host.call("p.echo", #"{"größe":\#(number)}"#).at("result.größe") == "\(number)")
    }
    let transcript = try await host.finish()
    #expect(transcript.status == .success)
    #expect(transcript.log == [])
  }

  @Test func `a large answer passes`() async throws {
    let host = ScriptedPlugin.host()
    let text = String(repeating: "x", count: 2 << 20)
    host.output.start()
    #expect(try await host.call("p.echo", #"{"text":"\#(text)"}"#).text.utf8.count > 2 << 20)
  }

  @Test func `an answer over the limit fails its call, and only that`() async throws {
    var command = ScriptedPlugin.command()
    command.maxMessage = 1 << 16
    let host = ScriptedPlugin.host(command: command)
    let text = String(repeating: "x", count: 1 << 17)
    let reply = try await host.call("p.echo", #"{"text":"\#(text)"}"#)
    #expect(reply.errorCode == -32603)
    #expect(try await host.call("p.echo").at("result") == "{}")
  }

  // MARK: Reports and cancels

  @Test func `reports come under the client's token`() async throws {
    let host = ScriptedPlugin.host()
    for token in ["0", #""0""#, #""""#] {
      let reply = try await host.call("p.report", #"{"workDoneToken":\#(token)}"#)
      #expect(reply.at("result") == "true")
      #expect(
        host.passed.last?.text
          == #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":\#(token),"value":{"kind":"report","percentage":40}}}"#
      )
    }
  }

  @Test func `a report under a token that was not given goes nowhere`() async throws {
    let host = ScriptedPlugin.host()
    _ = try await host.call("p.notify", ##"{"method":"$/progress","params":{"token":99,"value":{"kind":"end"}}}"##)
    #expect(host.passed == [])
  }

  @Test func `a cancel reaches the plugin`() async throws {
    let host = ScriptedPlugin.host()
    _ = try await host.call("p.echo")
    let id = try await host.start("p.wait")
    try await host.notify("$/cancelRequest", #"{"id":\#(id)}"#)
    let reply = try await host.reply(to: id)
    #expect(reply.at("error") == #"{"code":-32800,"message":"stopped"}"#)
    #expect(try await host.finish().status == .success)
  }

  @Test func `a cancel in the same write keeps the call from the plugin`() async throws {
    let log = try TemporaryFile()
    let host = ScriptedPlugin.host(["--log", log.path])
    try await host.send(
      #"{"id":7,"method":"p.wait"}"# + "\n" + #"{"method":"$/cancelRequest","params":{"id":7}}"# + "\n")
    #expect(try await host.next().errorCode == -32800)
    _ = try await host.call("p.echo")
    #expect(!log.content.contains("p.wait"))
  }

  @Test func `a plugin that takes no notice of a cancel is given up after a while`() async throws {
    let host = ScriptedPlugin.host()
    let id = try await host.start("p.ignore")
    _ = try await host.call("p.echo")
    try await host.notify("$/cancelRequest", #"{"id":\#(id)}"#)
    try await host.pass(.seconds(5))
    #expect(try await host.reply(to: id).errorCode == -32800)
    // Its late answer is nobody's.
    _ = try await host.call("p.write", #"{"framed":true,"answers":true,"text":"{\"id\":1,\"result\":1}"}"#)
    #expect(try await host.finish().log == [])
  }

  // MARK: What a plugin may say

  @Test func `notifications pass when they are the plugin's`() async throws {
    let host = ScriptedPlugin.host()
    for (method, isPassed) in [
      ("p.changed", true), ("plan.state", false), ("shell.ping", false), ("pp.changed", false), ("$/logTrace", false),
      ("p", false),
    ] {
      let before = host.passed.count
      _ = try await host.call("p.notify", #"{"method":"\#(method)","params":{"n":1.0}}"#)
      #expect(host.passed.count == before + (isPassed ? 1 : 0), "\(method)")
    }
    #expect(host.passed.first?.text == #"{"jsonrpc":"2.0","method":"p.changed","params":{"n":1.0}}"#)
    let transcript = try await host.finish()
    #expect(transcript.log.count == 4)
    #expect(
      transcript.log.first
        == "rpcshell: plugin 'p': dropped the notification 'plan.state': its names begin with 'p.'")
  }

  @Test func `a state event names the client's request`() async throws {
    let host = ScriptedPlugin.host()
    _ = try await host.call("p.echo")
    for (number, expected) in [("3", #""mine""#), ("99", "null")] {
      try await host.send(
        #"{"id":"mine","method":"p.notify","params":{"method":"p.state","params":{"revision":1,"requestId":\#(number)}}}"#
          + "\n")
      #expect(try await host.next("p.state").at("params.requestId") == expected)
      #expect(try await host.next().id == #""mine""#)
    }
  }

  @Test func `a plugin has nothing to ask the shell for`() async throws {
    let host = ScriptedPlugin.host()
    for method in ["plan.get", "host.onUpgrade", "shell.ping"] {
      let answer = try await host.call("p.ask", #"{"method":"\#(method)"}"#)
      #expect(answer.at("result.id") == #""mine""#)
      #expect(answer.at("result.error.code") == "-32601")
    }
  }

  @Test(arguments: [
    ("hello\\n", "wrote what is no message: hello"), ("{\\\"a\\\":}\\n", "wrote what is no message: {\"a\":}"),
    ("[]\\n", "a batch, which nobody asked for"), ("{}\\n", "the member \"method\" is missing: {}"),
    ("{\\\"id\\\":999,\\\"result\\\":1}\\n", "dropped an answer to nobody: id 999"),
    ("{\\\"id\\\":\\\"x\\\",\\\"result\\\":1}\\n", "dropped an answer to nobody: id \"x\""),
    (
      "{\\\"id\\\":null,\\\"error\\\":{\\\"message\\\":\\\"what?\\\"}}\\n",
      "dropped an answer to nobody: id null: what?"
    ),
    ("Content-Length: x\\r\\n\\r\\n", "wrote what is no message: Content-Length: x"),
  ])
  func `what is no message is one line, and the next one is served`(text: String, line: String) async throws {
    let host = ScriptedPlugin.host()
    _ = try await host.call("p.write", #"{"answers":true,"text":"\#(text)"}"#)
    #expect(try await host.call("p.echo").at("result") == "{}")
    let transcript = try await host.finish()
    #expect(transcript.log.first?.hasPrefix("rpcshell: plugin 'p': ") ?? false)
    #expect(transcript.log.first?.contains(line) ?? false, "\(transcript.log)")
    #expect(transcript.status == .success)
  }

  @Test func `a second answer is nobody's`() async throws {
    let host = ScriptedPlugin.host()
    _ = try await host.call("p.write", #"{"framed":true,"answers":true,"text":"{\"id\":ID,\"result\":1}"}"#)
    // What it says while it ends is no news, so it goes on.
    #expect(try await host.call("p.echo").at("result") == "{}")
    let transcript = try await host.finish()
    #expect(transcript.replies == [])
    #expect(transcript.log.first?.contains("dropped an answer to nobody") ?? false)
  }

  @Test func `complaints about a plugin end, and come again after a while`() async throws {
    let host = ScriptedPlugin.host()
    let noise = String(repeating: "hello\\n", count: 1000)
    _ = try await host.call("p.write", #"{"answers":true,"text":"\#(noise)"}"#)
    try await host.pass(.seconds(60))
    // Until whoever slept has woken.
    repeat { _ = try await host.call("p.write", #"{"answers":true,"text":"again\n"}"#) } while host.log.all.count < 22
    let log = try await host.finish().log
    #expect(log[20] == "rpcshell: plugin 'p': no more such lines for 60 s")
    #expect(log[21].hasSuffix("again"))
  }

  @Test func `what it writes to stderr has its name in front, and bounds`() async throws {
    let host = ScriptedPlugin.host()
    let long = String(repeating: "x", count: 5000)
    _ = try await host.call("p.error", #"{"text":"one\n\ntwo\u001b[31m\n\#(long)\nrest"}"#)
    let log = try await host.finish().log
    #expect(log.prefix(2) == ["rpcshell: p: one", "rpcshell: p: two"])
    #expect(log[2] == "rpcshell: p: " + String(repeating: "x", count: 1000) + "…")
    #expect(log.last == "rpcshell: p: rest")
  }

  @Test func `a megabyte on stderr does not hold it up`() async throws {
    let host = ScriptedPlugin.host()
    let text = String(repeating: "x\\n", count: 1 << 19)
    #expect(try await host.call("p.error", #"{"text":"\#(text)"}"#).at("result") == "true")
    #expect(try await host.finish().log.count < 1 << 18)
  }

  // MARK: What it is told

  @Test func `it is told how the person reads, at the start and when that changes`() async throws {
    let host = ScriptedPlugin.host()
    let first = try await host.call("p.environment")
    #expect(first.at("result.clientInfo") == #"{"name":"rpcshell","version":"0"}"#)
    #expect(first.at("result.locale") == #""en_US""#)
    #expect(first.at("result.processId") == "\(getpid())")
    let listed = try await host.call("initialize", #"{"locale":"de_DE","timeZone":"Europe/Berlin"}"#)
    #expect(listed.at("result.plugins.1") == #"{"name":"p","version":"7.1","methods":["p.echo"]}"#)
    let second = try await host.call("p.environment")
    #expect(second.at("result.locale") == #""de_DE""#)
    #expect(second.at("result.timeZone") == #""Europe/Berlin""#)
  }

  @Test func `what initialize says before the start comes with the start`() async throws {
    let log = try TemporaryFile()
    let host = ScriptedPlugin.host(["--log", log.path])
    let listed = try await host.call("initialize", #"{"locale":"de_DE"}"#)
    #expect(listed.at("result.plugins.1") == #"{"name":"p","version":null,"methods":[]}"#)
    #expect(try await host.call("p.environment").at("result.locale") == #""de_DE""#)
    #expect(!log.content.contains("setEnvironment"))
  }

  @Test func `a plugin without initialize is none the worse`() async throws {
    let host = ScriptedPlugin.host(["--no-initialize"])
    #expect(try await host.call("p.echo", #"{"x":1}"#).at("result.x") == "1")
    let described = try await host.call("rpc.discover")
    let methods = try described.json["result"]?["methods"]?.elements ?? []
    #expect(methods.last?["name"]?.string == "p.*")
    #expect(
      methods.last?["summary"]?.string == "the methods of the plugin 'p', which does not describe them")
  }

  @Test func `two plugins live side by side`() async throws {
    let host = ScriptedPlugin.host(more: { executor in
      [PluginProcess(ScriptedPlugin.command(name: "q"), executor: executor)]
    })
    let waiting = try await host.start("p.wait")
    #expect(try await host.call("q.echo", #"{"x":2}"#).at("result.x") == "2")
    #expect(try await host.call("q.die").errorCode == 106)
    #expect(try await host.call("p.echo", #"{"x":1}"#).at("result.x") == "1")
    try await host.notify("$/cancelRequest", #"{"id":\#(waiting)}"#)
    #expect(try await host.reply(to: waiting).errorCode == -32800)
  }
}
