import AccountModel
import Glibc
import HostAdapters
import PlanPlugin
import PluginProcesses
import Testing

@testable import RPCShell

/// Actions that a plugin which is a process does.
@Suite(.serialized, .timeLimit(.usualMinutes(2)))
struct PluginHandlerTests {
  private static func host(_ behaviour: String, _ arguments: [String] = [], timeout: Double = 600) -> TestHost {
    ScriptedPlugin.host(
      ["--handle", behaviour] + arguments,
      more: { executor in
        var settings = PlanPlugin.Settings()
        settings.upgrade = ActionBinding(PluginHandler("p"), timeout: timeout, isCustom: true)
        settings.restore = ActionBinding(PluginHandler("gone"), timeout: 60, isCustom: true)
        let store = MemoryStore(.plus, executor: executor)
        return [PlanPlugin(version: "0", executor: executor, settings: settings, store: store)]
      })
  }

  @Test(
    arguments: [
      (#"{"result":null}"#, "{\"outcome\":\"completed\"", nil, nil),
      (#"{"result":{"outcome":"completed","plan":\#(PlanLines.top)}}"#, "{\"outcome\":\"completed\"", nil, nil),
      (#"{"result":{"outcome":"pending"}}"#, "{\"outcome\":\"pending\"", nil, nil),
      (#"{"result":{"outcome":"cancelled"}}"#, "{\"outcome\":\"cancelled\"", nil, nil),
      (#"{"error":{"code":-32800,"message":"x"}}"#, "{\"outcome\":\"cancelled\"", nil, nil),
      (#"{"result":{"outcome":"failed","message":"Card declined."}}"#, nil, 100, "Card declined."),
      (#"{"error":{"code":7,"message":"Card declined."}}"#, nil, 100, "Card declined."),
      (#"{"error":{"code":-32603,"message":"Traceback"}}"#, nil, 100, "The upgrade didn't go through. Try again."),
      (#"{"error":{"code":-32601,"message":"Unknown"}}"#, nil, 100, "The upgrade didn't go through. Try again."),
      (#"{"result":7}"#, nil, 100, "The upgrade didn't go through. Try again."),
      (#"{"die":true}"#, nil, 106, "The upgrade didn't go through. Try again."),
    ] as [(String, String?, Int?, String?)])
  func `an upgrade ends as the plugin says`(
    behaviour: String, result: String?, code: Int?, message: String?
  ) async throws {
    let host = Self.host(behaviour)
    let reply = try await host.call("plan.upgrade")
    if let result { #expect(reply.at("result")?.hasPrefix(result) ?? false, "\(reply)") }
    #expect(reply.errorCode == code)
    #expect(reply.errorMessage == message)
    if code == 100 { #expect(reply.at("error.data.handler") == #""plugin""#) }
  }

  @Test func `the plugin gets the call with its key, and a token of the shell's`() async throws {
    let log = try TemporaryFile()
    let host = Self.host(#"{"result":null}"#, ["--log", log.path])
    _ = try await host.call("plan.upgrade", #"{"idempotencyKey":"k1","workDoneToken":"t"}"#)
    let line = log.content.split(separator: "\n").first { $0.contains("p.onUpgrade") } ?? ""
    let call = Received(text: String(line))
    #expect(call.at("params.action") == #""onUpgrade""#)
    #expect(call.at("params.idempotencyKey") == #""k1""#)
    #expect(call.at("params.timeout") == "600")
    #expect(call.at("params.plan.name") == #""Plus""#)
    #expect(Int(call.at("params.workDoneToken") ?? "") != nil)
  }

  @Test func `its reports show`() async throws {
    let host = Self.host(#"{"report":{"kind":"report","percentage":40,"message":"Waiting"},"result":null}"#)
    _ = try await host.call("plan.upgrade", #"{"workDoneToken":"t"}"#)
    #expect(host.passed.contains { $0.at("params.state.upgrade.progress") == "0.4" })
    let report = host.passed.first { $0.at("params.value.kind") == #""report""# }
    #expect(report?.at("params.token") == #""t""#)
    #expect(report?.at("params.value") == #"{"kind":"report","message":"Waiting","percentage":40}"#)
  }

  @Test func `a cancel is passed on, and answered when the handler had its time`() async throws {
    let log = try TemporaryFile()
    let host = Self.host("{}", ["--log", log.path])
    let id = try await host.start("plan.upgrade")
    _ = try await host.next("plan.state")
    _ = try await host.call("p.echo")
    try await host.notify("$/cancelRequest", #"{"id":\#(id)}"#)
    try await host.pass(.seconds(2))
    #expect(try await host.reply(to: id).errorCode == -32800)
    _ = try await host.call("p.echo")
    #expect(log.content.contains("$/cancelRequest"))
  }

  @Test func `the time limit holds`() async throws {
    let host = Self.host("{}", timeout: 30)
    _ = try await host.call("p.echo")
    let id = try await host.start("plan.upgrade")
    try await host.pass(.seconds(30))
    try await host.pass(.seconds(2))
    #expect(try await host.reply(to: id).errorCode == 105)
  }

  @Test func `a plugin that is not there has gone`() async throws {
    let host = Self.host("{}")
    #expect(try await host.call("plan.restore").errorCode == 106)
  }
}
