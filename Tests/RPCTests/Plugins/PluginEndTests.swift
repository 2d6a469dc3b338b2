import ChildProcesses
import Glibc
import Testing

@testable import PluginProcesses
@testable import RPCShell

/// The end of sessions with plugins that are processes.
@Suite(.serialized, .timeLimit(.usualMinutes(2)))
struct PluginEndTests {
  @Test func `what is accepted at the end of input is answered, then the plugin is told to end`() async throws {
    let log = try TemporaryFile()
    let host = ScriptedPlugin.host(["--log", log.path])
    host.output.start()
    try await host.send((1...50).map { #"{"id":\#($0),"method":"p.echo"}"# + "\n" }.joined())
    let transcript = try await host.finish()
    #expect(transcript.replies.map(\.id) == (1...50).map { "\($0)" })
    #expect(transcript.status == .success)
    #expect(
      log.content.split(separator: "\n").suffix(2) == [
        #"{"jsonrpc":"2.0","id":52,"method":"shutdown"}"#, #"{"jsonrpc":"2.0","method":"exit"}"#,
      ])
  }

  @Test func `a notification is delivered before the end`() async throws {
    let folder = try TemporaryFolder()
    let host = ScriptedPlugin.host()
    try await host.notify("p.touch", #"{"path":"\#(folder.at("there"))"}"#)
    #expect(try await host.finish().status == .success)
    #expect(folder.has("there"))
  }

  @Test func `a session that calls no plugin starts none`() async throws {
    let starts = try TemporaryFile()
    let host = ScriptedPlugin.host(["--crash", "0", starts.path])
    _ = try await host.call("initialize")
    #expect(try await host.call("shell.ping").at("result") == "{}")
    #expect(try await host.finish().status == .success)
    #expect(starts.content == "")
  }

  @Test func `one that takes no notice is killed after two seconds`() async throws {
    let host = ScriptedPlugin.host(["--stubborn"])
    let id = try #require(pid_t(try await host.call("p.pid").at("result") ?? ""))
    let watch = try #require(ProcessWatch(id))
    host.end()
    try await host.pass(.seconds(1))
    try await host.pass(.seconds(1))
    watch.waitForEnd()
    #expect(try await host.finish().status == .success)
  }

  @Test func `a plugin that is gone does not stand in the way of shutdown and exit`() async throws {
    let host = ScriptedPlugin.host()
    let id = try #require(pid_t(try await host.call("p.pid").at("result") ?? ""))
    let watch = try #require(ProcessWatch(id))
    kill(id, SIGKILL)
    watch.waitForEnd()
    #expect(try await host.call("shutdown").at("result") == "null")
    try await host.notify("exit")
    let transcript = try await host.transcript()
    #expect(transcript.status == .success)
    #expect(transcript.log == ["rpcshell: plugin 'p' ended: killed by signal 9 (Killed)"])
  }

  @Test func `the drain stops what still runs there`() async throws {
    let host = ScriptedPlugin.host { $0.drain = .seconds(1) }
    let kind = try await host.start("p.wait")
    let deaf = try await host.start("p.ignore")
    _ = try await host.call("p.echo")
    host.end()
    try await host.pass(.seconds(1))
    try await host.pass(HandlerRun.graceAtEnd * 4)
    for id in [kind, deaf] { #expect(try await host.reply(to: id).errorCode == 105) }
    #expect(try await host.transcript().status == .failure)
  }

  @Test func `one that takes no notice has little time left once that of the end is over`() async throws {
    let host = ScriptedPlugin.host(["--stubborn"])
    let id = try #require(pid_t(try await host.call("p.pid").at("result") ?? ""))
    let watch = try #require(ProcessWatch(id))
    let ignoring = try await host.start("p.ignore")
    _ = try await host.call("p.echo")
    host.interrupt()
    try await host.pass(.seconds(2))
    try await host.pass(HandlerRun.graceAtEnd * 4)
    #expect(try await host.reply(to: ignoring).errorCode == 105)
    try await host.pass(PluginProcess.shortEndTime)
    try await host.pass(PluginProcess.shortEndTime)
    watch.waitForEnd()
    #expect(try await host.transcript().status == .failure)
  }

  @Test func `one that has nothing to do is killed when the two seconds of a signal are over`() async throws {
    let host = ScriptedPlugin.host(["--stubborn"])
    let id = try #require(pid_t(try await host.call("p.pid").at("result") ?? ""))
    let watch = try #require(ProcessWatch(id))
    host.interrupt()
    try await host.pass(.seconds(1))
    // The bound of the end, the look at its reader, and what is left for the plugin.
    while host.clock.sleeping.filter({ $0 == .seconds(1) }).count < 3 {
      try Task.checkCancellation()
      await host.settle()
    }
    host.clock.advance(by: .seconds(1))
    watch.waitForEnd()
    #expect(try await host.transcript().status == .success)
  }

  @Test func `a second signal does not wait, and leaves no process`() async throws {
    let host = ScriptedPlugin.host(["--stubborn"])
    let id = try #require(pid_t(try await host.call("p.pid").at("result") ?? ""))
    let watch = try #require(ProcessWatch(id))
    _ = try await host.start("p.ignore")
    host.interrupt()
    host.interrupt()
    let transcript = try await host.transcript()
    #expect(transcript.status == .failure)
    #expect(transcript.log.filter { $0.contains("ended") } == [], "it did what it was told")
    watch.waitForEnd()
  }

  @Test func `when the session is killed, so is the plugin`() async throws {
    let file = try TemporaryFile(
      #"{"plugins":[{"name":"p","command":["python3","-u","\#(ScriptedPlugin.path)","--stubborn","p"],"env":["PATH"]}]}"#
    )
    let ending = try await RunningShell.run(.init(.rpcshell, ["--config", file.path])) { shell in
      try await shell.send(#"{"id":1,"method":"p.pid"}"# + "\n")
      let id = try #require(pid_t(try await shell.next().at("result") ?? ""))
      let watch = try #require(ProcessWatch(id))
      shell.signal(SIGKILL)
      watch.waitForEnd()
    }
    #expect(ending.exit == .signal(SIGKILL))
  }

  @Test func `forty sessions leave no zombie`() async throws {
    for _ in 1...40 {
      let host = ScriptedPlugin.host()
      let id = try #require(pid_t(try await host.call("p.pid").at("result") ?? ""))
      #expect(try await host.finish().status == .success)
      #expect(kill(id, 0) == -1 && errno == ESRCH, "\(id) is still there")
    }
  }
}
