import Testing

@testable import RPCShell

/// `initialize` (docs/PROTOCOL.md, "The life of a session") and the description of the methods.
@Suite(.timeLimit(.usualMinutes(1)))
struct InitializeTests {
  private static let result = #"""
    {"serverInfo":{"name":"rpcshell","version":"0"},"protocolVersion":"1","capabilities":{"batch":true,\#
    "cancellation":true,"progress":true,"framing":["lines","headers"],"events":[],"render":[]},"plugins":[{"name":\#
    "test","version":"0","methods":["subtract","sum","get_data","update","notify_sum","notify_hello","test.slow",\#
    "test.stubborn","test.wait","test.look","test.unblock","test.fail","test.ask","test.large","test.print","test.event"]}]}
    """#

  @Test(arguments: [
    "{}", #"{"processId":null}"#, #"{"clientInfo":{"name":"x"},"capabilities":{"a":[1]},"rootUri":null,"trace":"off"}"#,
    #"{"locale":"pt-BR","timeZone":"Europe/Berlin","textSize":"accessibility","reduceMotion":true,"theme":{}}"#,
    #"{"locale":"de_DE@calendar=gregorian;numbers=latn","handlers":[]}"#,
  ])
  func `says what it is and can do`(_ params: String) async throws {
    let transcript = try await converse(#"{"id":1,"method":"initialize","params":\#(params)}"# + "\n")
    #expect(transcript.texts == [#"{"jsonrpc":"2.0","id":1,"result":\#(Self.result)}"#])
    #expect(transcript.status == .success)
  }

  @Test func `refuses a second one`() async throws {
    let transcript = try await converse(
      #"{"id":1,"method":"initialize"}"# + "\n" + #"{"method":"initialized","params":{}}"# + "\n"
        + #"{"id":2,"method":"initialize"}"# + "\n")
    #expect(transcript.frames.map(\.errorCode) == [nil, -32600])
  }

  @Test func `may be sent again after it was refused`() async throws {
    let transcript = try await converse(
      #"{"id":1,"method":"initialize","params":{"locale":"?"}}"# + "\n" + #"{"id":2,"method":"initialize"}"# + "\n")
    #expect(transcript.frames.map(\.errorCode) == [-32602, nil])
  }

  @Test(arguments: [
    (#"{"locale":""}"#, "locale"), (#"{"locale":"english, please"}"#, "locale"), (#"{"locale":1}"#, "locale"),
    (#"{"locale":"en_US@"}"#, "locale"), (#"{"locale":"../../etc"}"#, "locale"),
    (#"{"timeZone":"Mars/Olympus"}"#, "timeZone"), (#"{"timeZone":1}"#, "timeZone"),
    (#"{"textSize":"huge"}"#, "textSize"), (#"{"reduceMotion":"yes"}"#, "reduceMotion"),
    (#"{"processId":"1"}"#, "processId"), (#"{"processId":-1}"#, "processId"),
  ])
  func `refuses what it cannot use, and says where`(_ params: String, _ path: String) async throws {
    let transcript = try await converse(#"{"id":1,"method":"initialize","params":\#(params)}"# + "\n") {
      $0.isKnownTimeZone = { $0 == "UTC" }
    }
    #expect(transcript.frames.map(\.errorCode) == [-32602])
    #expect(transcript.frames.first?.at("error.data.path") == "\"\(path)\"")
  }

  // MARK: The host's process

  @Test func `passes over a process that is not there, with one line`() async throws {
    let process = try IdleProcess()
    let gone = process.id
    process.end()
    let transcript = try await converse(
      #"{"id":1,"method":"initialize","params":{"processId":\#(gone)}}"# + "\n" + LifeTests.ping + "\n")
    #expect(transcript.frames.count == 2 && transcript.texts.last == LifeTests.pong)
    #expect(transcript.log.count == 1 && transcript.log[0].contains("process \(gone)"), "\(transcript.log)")
    #expect(transcript.status == .success)
  }

  @Test func `ends as by the end of input when the host's process dies`() async throws {
    let process = try IdleProcess()
    let host = TestHost()
    #expect(try await host.call("initialize", #"{"processId":\#(process.id)}"#).errorCode == nil)
    let slow = try await host.start("test.slow", #"{"seconds":1}"#)
    await host.clock.waitForSleepers()
    process.end()
    host.clock.advance(by: .seconds(1))
    #expect(try await host.reply(to: slow).at("result") == "true")
    // The input stays open all the while.
    #expect(try await host.transcript().status == .success)
  }

  // MARK: rpc.discover

  @Test func `describes every method in OpenRPC`() async throws {
    let host = TestHost()
    let document = try await host.call("rpc.discover")
    #expect(document.at("result.openrpc")?.hasPrefix("\"1.3") == true)
    let methods = try #require(try document.json["result"]?["methods"]?.elements.compactMap { $0["name"]?.string })
    for name in ["subtract", "test.slow", "shell.ping", "initialize", "rpc.discover"] {
      #expect(methods.contains(name), "\(name) in \(methods)")
    }
    #expect(Set(methods).count == methods.count)
    #expect(try await host.finish().status == .success)
  }

  @Test func `what is no part of how the person reads is refused by setEnvironment`() async throws {
    let host = TestHost()
    for (member, hint) in [("theme", ""), ("timezone", "; did you mean 'timeZone'?")] {
      let reply = try await host.call("$/setEnvironment", #"{"locale":"de_DE","\#(member)":"x"}"#)
      #expect(reply.errorCode == -32602)
      #expect(reply.errorMessage == "\(member): unknown member" + hint)
      #expect(reply.at("error.data.path") == #""\#(member)""#)
    }
    try await host.notify("$/setEnvironment", #"{"theme":"dark"}"#)
    #expect(try await host.call("$/setEnvironment", #"{"locale":"de_DE","_meta":1}"#).at("result") == "null")
    let transcript = try await host.finish()
    #expect(transcript.log == ["rpcshell: $/setEnvironment: theme: unknown member"])
    #expect(transcript.status == .failure)
  }
}
