import ChildProcesses
import Glibc
import Testing

@testable import PluginProcesses
@testable import RPCShell

/// Plugins that do not start, go away, do not read or do not stop writing.
@Suite(.serialized, .timeLimit(.usualMinutes(2)))
struct PluginFailureTests {
  // MARK: The start

  @Test func `one that is silent is ended after its time, with advice`() async throws {
    let host = ScriptedPlugin.host(["--silent"])
    let first = try await host.start("p.echo")
    let second = try await host.start("p.echo")
    try await host.pass(.seconds(10))
    for id in [first, second] {
      let reply = try await host.reply(to: id)
      #expect(reply.errorCode == 106)
      #expect(
        reply.errorMessage
          == "the plugin 'p' was ended: it did not answer 'initialize' within 10 s; if it needs longer, raise its startTimeout in the configuration"
      )
      #expect(reply.at("error.data") == #"{"plugin":"p"}"#)
    }
    #expect(try await host.call("shell.ping").at("result") == "{}")
    #expect(try await host.finish().status == .failure)
  }

  @Test func `one that reads and never answers is ended, too`() async throws {
    var command = ScriptedPlugin.command(["--mute"])
    command.startTimeout = .milliseconds(1500)
    let host = ScriptedPlugin.host(command: command)
    let id = try await host.start("p.echo")
    try await host.pass(.milliseconds(1500))
    #expect(try await host.reply(to: id).errorMessage?.contains("within 1.5 s") ?? false)
  }

  @Test(arguments: [
    (["--exit-after", "0"], "ended before it was ready (exit status 3); what it wrote to stderr may say why"),
    (["--refuse", "no licence"], "was ended: it refused 'initialize': no licence"),
  ])
  func `one that cannot start says why`(arguments: [String], message: String) async throws {
    let host = ScriptedPlugin.host(arguments)
    let reply = try await host.call("p.echo")
    #expect(reply.errorCode == 106)
    #expect(reply.errorMessage == "the plugin 'p' \(message)")
  }

  @Test func `a program that is not there is no crash, and may come`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.at("plugin")
    var command = ScriptedPlugin.command()
    command.command.arguments = [path]
    let host = ScriptedPlugin.host(command: command)
    for _ in 1...7 {
      #expect(
        try await host.call("p.echo").errorMessage
          == "the plugin 'p' cannot be started: cannot start '\(path)': No such file or directory")
    }
    folder.write("plugin", "#!/bin/sh\nexec python3 -u \(ScriptedPlugin.path) p\n")
    chmod(path, 0o755)
    #expect(try await host.call("p.echo").at("result") == "{}")
  }

  @Test func `a notification that cannot be delivered is a line and a status`() async throws {
    let host = ScriptedPlugin.host(["--exit-after", "0"])
    try await host.notify("p.echo")
    let transcript = try await host.finish()
    #expect(transcript.status == .failure)
    #expect(transcript.frames == [])
    #expect(transcript.log.contains { $0.hasPrefix("rpcshell: p.echo: the plugin 'p' ended before it was ready") })
    #expect(transcript.log.contains("rpcshell: p: no licence"))
  }

  // MARK: Crashes

  @Test func `what was pending when it dies has failed`() async throws {
    let host = ScriptedPlugin.host()
    let waiting = try await host.start("p.wait")
    let dying = try await host.start("p.die", #"{"status":4}"#)
    for id in [waiting, dying] {
      let reply = try await host.reply(to: id)
      #expect(reply.errorCode == 106)
      #expect(reply.errorMessage == "the plugin 'p' ended before it answered (exit status 4)")
      #expect(reply.at("error.data") == #"{"plugin":"p","exitStatus":4}"#)
    }
  }

  @Test func `one that crashes twice is started again, later each time`() async throws {
    let starts = try TemporaryFile()
    let host = ScriptedPlugin.host(["--crash", "2", starts.path])
    #expect(try await host.call("p.echo").errorCode == 106)
    let second = try await host.start("p.echo")
    try await host.pass(.milliseconds(100))
    #expect(try await host.reply(to: second).errorCode == 106)
    let third = try await host.start("p.echo", #"{"x":1}"#)
    try await host.pass(.milliseconds(200))
    #expect(try await host.reply(to: third).at("result.x") == "1")
    #expect(try await host.call("p.echo").at("result") == "{}")
    #expect(starts.content == "...")
  }

  @Test func `after five crashes it is not started any more`() async throws {
    let starts = try TemporaryFile()
    let host = ScriptedPlugin.host(["--crash", "9", starts.path])
    var rest = Duration.milliseconds(100)
    #expect(try await host.call("p.echo").errorCode == 106)
    for _ in 2...5 {
      let id = try await host.start("p.echo")
      try await host.pass(rest)
      #expect(try await host.reply(to: id).errorCode == 106)
      rest *= 2
    }
    for _ in 1...3 {
      let reply = try await host.call("p.echo")
      #expect(reply.errorCode == 106)
      #expect(
        reply.errorMessage
          == "the plugin 'p' ended 5 times in 180 s and is not started any more; mend it, then start a new session")
    }
    #expect(starts.content == ".....")
    #expect(try await host.call("rpc.discover").text.contains("could not be asked"))
    #expect(try await host.finish().status == .failure)
  }

  @Test func `crashes that are long ago do not count`() async throws {
    let host = ScriptedPlugin.host(["--exit-after", "1"])
    for _ in 1...7 {
      #expect(try await host.call("p.echo").errorCode == 106)
      try await host.pass(.milliseconds(100))
      try await host.pass(.seconds(180) - .milliseconds(100))
    }
  }

  @Test func `the rest grows up to five seconds`() {
    var failures = Failures()
    var rests: [Duration] = []
    for _ in 1...8 {
      rests.append(failures.add().rest)
      if rests.count > 2 { failures.forget() }
    }
    #expect(rests.first == .milliseconds(100))
    #expect(rests[6] == .seconds(5))
    #expect(rests.last == .seconds(5))
    #expect(!failures.areTooMany)
  }

  @Test func `one that leaves with nothing to do is started again at once`() async throws {
    let host = ScriptedPlugin.host()
    for _ in 1...7 {
      let id = try await host.call("p.pid").at("result") ?? ""
      let watch = try #require(ProcessWatch(pid_t(id) ?? 0))
      try await host.notify("p.die", #"{"status":0}"#)
      watch.waitForEnd()
    }
    #expect(try await host.call("p.echo").at("result") == "{}")
  }

  // MARK: Too much

  @Test func `over 1,024 unfinished calls there are no more`() async throws {
    let host = ScriptedPlugin.host()
    let lines = (1...1025).map { #"{"id":\#($0),"method":"p.wait"}"# + "\n" }.joined()
    host.output.start()
    try await host.send(lines)
    let refused = try await host.next()
    #expect(refused.id == "1025")
    #expect(refused.errorCode == 108)
  }

  @Test func `for one that does not read only so much is kept`() async throws {
    var command = ScriptedPlugin.command(["--deaf"])
    command.unreadLimit = 1 << 20
    let host = ScriptedPlugin.host(command: command)
    let text = String(repeating: "x", count: 400_000)
    let lines = (1...8).map { #"{"id":"\#($0)","method":"p.echo","params":{"text":"\#(text)"}}"# + "\n" }.joined()
    host.output.start()
    try await host.send(lines)
    let refused = try await host.next()
    #expect(refused.errorCode == 108)
    #expect(refused.errorMessage == "the plugin 'p' does not read; 1 MiB wait for it; nothing was started")
    #expect(try await host.call("shell.ping").at("result") == "{}")
  }

  @Test func `one that floods leaves the session its time`() async throws {
    let host = ScriptedPlugin.host()
    host.output.start()
    let flood = try await host.start("p.flood", #"{"count":30000,"size":100}"#)
    _ = try await host.next("p.tick")
    #expect(try await host.call("shell.ping").at("result") == "{}")
    let before = host.passed.count
    #expect(try await host.reply(to: flood).at("result") == "true")
    #expect(host.passed.count > before, "the ping was answered in between")
    #expect(host.passed.filter { $0.method == "p.tick" }.count == 29_999)
  }

  @Test func `a client that does not read holds it up, and loses nothing`() async throws {
    let host = ScriptedPlugin.host()
    let flood = try await host.start("p.flood", #"{"count":100,"size":1000000}"#)
    while await !host.session.arePluginsPaused { try Task.checkCancellation() }
    #expect(try await host.reply(to: flood).at("result") == "true")
    #expect(host.passed.count == 100)
    #expect(try await host.call("p.echo").at("result") == "{}")
  }
}
