import Glibc
import Testing

@testable import RPCShell

/// Programs that do actions, with the real program.
@Suite(.serialized, .timeLimit(.usualMinutes(3)))
struct ExecSessionTests {
  private static let report = #"echo "{\"progress\":null,\"message\":\"$$\"}""#

  // MARK: What they say

  @Test func `what a program prints never tears a frame`() async throws {
    let session = try ExecSession([
      .onUpgrade:
        #"printf 'hi\n\033[2J{"jsonrpc":"2.0","id":7,"result":1}\n'; printf '\377\376\n'; echo '{"outcome":"pending"}'"#
    ])
    let ending = try await RunningShell.run(session.setup, input: ExecSession.request(1, "plan.upgrade"))
    for frame in ending.frames { #expect(throws: Never.self) { try frame.json } }
    #expect(ending.frames.last?.at("result.outcome") == "\"pending\"")
    #expect(
      ending.errors == [
        "rpcshell: exec onUpgrade: ignored 3 lines of its output that are neither reports nor the result, the first: 'hi'"
      ])
  }

  @Test func `reports stream as progress under a token`() async throws {
    let session = try ExecSession([
      .onUpgrade: #"echo '{"progress":0.4,"message":"Waiting"}'; echo '{"progress":0.9}'; echo '{"outcome":"pending"}'"#
    ])
    let ending = try await RunningShell.run(
      session.setup, input: ExecSession.request(1, "plan.upgrade", #"{"workDoneToken":0}"#))
    let values = ending.frames.filter { $0.method == "$/progress" }.map { $0.at("params.value") }
    #expect(
      values == [
        #"{"kind":"begin","title":"Upgrade to Studio","cancellable":true,"percentage":0}"#,
        #"{"kind":"report","message":"Waiting","percentage":40}"#,
        #"{"kind":"report","percentage":90}"#, #"{"kind":"end"}"#,
      ])
  }

  @Test func `a line of 10 MB takes little room`() async throws {
    let session = try ExecSession(
      [
        .onUpgrade: #"head -c 10485760 /dev/zero | tr '\0' x; echo; echo '{"outcome":"pending"}'"#
      ], timeout: 600)
    _ = try await RunningShell.run(session.setup) { shell in
      let reply = try await shell.call(1, "plan.upgrade")
      #expect(reply.at("result.outcome") == "\"pending\"")
      if Binary.sanitizer == nil { #expect(shell.peakMemory < 40, "MiB") }
    }
  }

  @Test func `a megabyte on stderr holds nobody up, though nobody reads ours`() async throws {
    var session = try ExecSession(
      [.onUpgrade: "yes 'out of patience' | head -c 1048576 >&2; exit 1"], arguments: ["--trace", "/dev/null"])
    session.setup.arguments[3] = session.folder.at("trace")
    session.setup.errors = .unread
    let ending = try await RunningShell.run(
      session.setup,
      input: (1...50).map { ExecSession.request($0, "no.such") }.joined() + ExecSession.request(99, "plan.upgrade"))
    let reply = ending.frames.last { $0.id == "99" }
    #expect(reply?.errorMessage == "out of patience")
    let tail = try #require(try reply?.json["error"]?["data"]?["stderrTail"]?.string)
    #expect(tail.utf8.count == 64 << 10 && ending.exit == .status(1))
  }

  // MARK: What they take

  @Test func `a program's stdin is never ours`() async throws {
    let session = try ExecSession([.onClearCache: "cat >/dev/null", .onUpgrade: "cat >/dev/null"])
    let usage = #"{"usage":{"downloads":[],"cache":1000000,"photos":0,"other":0}}"#
    let ending = try await RunningShell.run(
      session.setup,
      input: ExecSession.request(1, "storage.set", usage)
        + ExecSession.request(2, "storage.clearCache", #"{"confirmed":true}"#) + ExecSession.request(3, "plan.upgrade"))
    for id in ["2", "3"] {
      #expect(ending.frames.last { $0.id == id }?.at("result.outcome") == "\"completed\"", "\(ending.texts)")
    }
    #expect(ending.exit == .status(0))
  }

  @Test func `a megabyte for a program that reads nothing is no failure`() async throws {
    let session = try ExecSession([.onUpgrade: "exit 0"])
    let detail = String(repeating: "x", count: 1 << 20)
    let plan =
      #"{"name":"A","price":{"free":true},"status":{"noRenewal":true},"upgrade":{"title":"T","detail":"\#(detail)"}}"#
    _ = try await RunningShell.run(session.setup) { shell in
      let taken = try await shell.call(1, "plan.set", #"{"plan":\#(plan)}"#)
      #expect(taken.errorCode == nil)
      #expect(try await shell.call(2, "plan.upgrade").at("result.outcome") == "\"completed\"")
    }
  }

  @Test func `5 MB of upgrades are all answered before anybody reads`() async throws {
    let session = try ExecSession([.onUpgrade: "exit 130"], more: #","store":"memory""#)
    let count = 5 << 20 / ExecSession.request(100_000, "plan.upgrade").utf8.count
    let requests = (0..<count).map { ExecSession.request(100_000 + $0, "plan.upgrade") }.joined()
    let ending = try await RunningShell.run(session.setup) { shell in
      try await shell.send(requests)
      shell.output.start()
    }
    let replies = ending.frames.filter { $0.method == nil }
    #expect(replies.count == count && Set(replies.map(\.id)).count == count)
    #expect(replies.contains { $0.at("result.outcome") == "\"cancelled\"" })
  }

  // MARK: How they end

  @Test func `a program is done when it ends, whoever else has its pipes`() async throws {
    let session = try ExecSession([.onUpgrade: #"sleep 999 & echo "{\"message\":\"$!\",\"outcome\":\"failed\"}""#])
    let ending = try await RunningShell.run(session.setup, input: ExecSession.request(1, "plan.upgrade"))
    let sleeper = try #require(pid_t(ending.frames.last { $0.id == "1" }?.errorMessage ?? ""))
    #expect(kill(sleeper, SIGKILL) == 0)
  }

  @Test func `a cancel leaves nobody behind`() async throws {
    var session = try ExecSession([.onUpgrade: "exec 3>lifeline; \(Self.report); sleep 999; :"])
    session.setup.errors = .pipe
    let lifeline = Lifeline(in: session.folder)
    let ending = try await RunningShell.run(session.setup) { shell in
      async let end: Void = lifeline.waitForEnd()
      try await shell.send(ExecSession.request(1, "plan.upgrade"))
      _ = try await shell.message()
      #expect(shell.children != "")
      try await shell.send(#"{"method":"$/cancelRequest","params":{"id":1}}"# + "\n")
      #expect(try await shell.reply(1).errorCode == -32800)
      try await end
    }
    #expect(ending.exit == .status(0) && ending.errors == [])
  }

  @Test func `a program that is deaf to the end of the session is killed with it`() async throws {
    let session = try ExecSession(
      [.onUpgrade: "trap '' TERM; exec 3>lifeline; sleep 999; sleep 999"], arguments: ["--drain", "0.2"])
    let lifeline = Lifeline(in: session.folder)
    async let end: Void = lifeline.waitForEnd()
    let ending = try await RunningShell.run(session.setup, input: ExecSession.request(1, "plan.upgrade"))
    #expect(ending.frames.last { $0.id == "1" }?.errorCode == 105 && ending.exit == .status(1))
    try await end
  }

  @Test func `a program ends with a shell that was killed`() async throws {
    let session = try ExecSession([.onUpgrade: "exec 3>lifeline; \(Self.report); exec sleep 999"])
    let lifeline = Lifeline(in: session.folder)
    let ending = try await RunningShell.run(session.setup) { shell in
      async let end: Void = lifeline.waitForEnd()
      try await shell.send(ExecSession.request(1, "plan.upgrade"))
      _ = try await shell.message()
      shell.signal(SIGKILL)
      try await end
    }
    #expect(ending.exit == .signal(SIGKILL))
  }

  @Test func `a thousand calls leave no process, no descriptor and no memory`() async throws {
    let session = try ExecSession([.onManage: #"echo noise >&2; echo '{"outcome":"presented"}'"#])
    var setup = session.setup
    setup.errors = .file("/dev/null", O_WRONLY)
    _ = try await RunningShell.run(setup) { shell in
      func call(_ ids: ClosedRange<Int>) async throws {
        for id in ids {
          let reply = try await shell.call(id, "plan.manage")
          #expect(reply.errorCode == nil)
        }
      }
      try await call(1...100)
      let (descriptors, memory) = (shell.descriptors, shell.memory)
      #expect(!descriptors.isEmpty && memory > 0)
      try await call(101...1000)
      #expect(shell.children == "")
      #expect(shell.descriptors == descriptors)
      if Binary.sanitizer == nil { #expect(shell.memory - memory < 512, "KiB") }
    }
  }

  // MARK: What a later session knows

  @Test func `what waits for approval does so after a restart, until somebody does not want it any more`() async throws
  {
    let session = try ExecSession([.onUpgrade: #"echo '{"outcome":"pending"}'"#])
    func phase() async throws -> String? {
      try await RunningShell.run(session.setup, input: ExecSession.request(1, "plan.get")).frames.first?.at(
        "result.state.upgrade.phase")
    }
    let upgrade = try await RunningShell.run(session.setup, input: ExecSession.request(1, "plan.upgrade"))
    #expect(upgrade.frames.contains { $0.at("result.outcome") == #""pending""# })
    #expect(try await phase() == #""pending""#)
    #expect(try await phase() == #""pending""#)
    _ = try await RunningShell.run(
      session.setup, input: ExecSession.request(1, "plan.dismiss", #"{"action":"upgrade"}"#))
    #expect(try await phase() == #""idle""#)
    _ = try await RunningShell.run(
      session.setup,
      input: ExecSession.request(1, "plan.upgrade") + ExecSession.request(2, "plan.dismiss", #"{"action":"upgrade"}"#))
    #expect(try await phase() == #""pending""#, "what ran could not be dismissed")
  }

  // MARK: What they cannot have

  @Test func `with few descriptors an action fails with words, and the session lives`() async throws {
    let session = try ExecSession([.onUpgrade: "exit 130"], more: #","store":"memory""#)
    var messages: [String] = []
    for limit in 5...24 {
      var setup = session.setup
      setup.arguments = ["-c", "ulimit -n \(limit) && exec \"$0\" \"$@\"", setup.path] + setup.arguments
      setup.path = "/bin/bash"
      let ending = try await RunningShell.run(
        setup, input: ExecSession.request(1, "plan.upgrade") + ExecSession.request(2, "shell.ping"))
      guard ending.frames.contains(where: { $0.id == "2" }) else { continue }  // no session at all
      let reply = try #require(ending.frames.last { $0.id == "1" }, "\(limit): \(ending.texts)")
      messages.append(reply.errorMessage ?? reply.at("result.outcome") ?? "")
    }
    let refusals = messages.prefix { $0 == "cannot start 'sh': Too many open files" }
    #expect(refusals.count >= 3, "\(messages)")
    #expect(messages.count > refusals.count && messages.dropFirst(refusals.count).allSatisfy { $0 == "\"cancelled\"" })
  }

  @Test(.enabled(if: getuid() == 0, "only root may become somebody else"))
  func `with a full process table an action fails with words, and the session lives`() async throws {
    let session = try ExecSession([.onUpgrade: "exit 130"], more: #","store":"memory""#)
    chmod(session.folder.path, 0o755)
    var setup = session.setup
    // Nobody else runs anything under this number.
    let user = ["--reuid=64123", "--regid=64123", "--clear-groups", "prlimit", "--nproc=1"]
    setup.arguments = user + [setup.path] + setup.arguments
    setup.path = "/usr/bin/setpriv"
    let ending = try await RunningShell.run(
      setup, input: ExecSession.request(1, "plan.upgrade") + ExecSession.request(2, "shell.ping"))
    #expect(
      ending.frames.last { $0.id == "1" }?.errorMessage == "cannot start 'sh': Resource temporarily unavailable")
    #expect(ending.frames.contains { $0.id == "2" && $0.errorCode == nil })
  }

  @Test(arguments: [
    (#""handlers":{"onUpgrade":{"adapter":"exec","command":["sh"]}},"store":"memory""#, "plan.upgrade", 100),
    (#""handlers":{"onUpgrade":{"adapter":"http","url":"http://[::1]:1"}},"store":"memory""#, "plan.upgrade", 100),
    (#""plugins":[{"name":"notes","command":["sh"]}]"#, "notes.list", 106),
    (#""store":"postgresql://[::1]:1/none""#, "plan.upgrade", 109),
  ])
  func `where there is no memory for a process the error says so, and the session lives`(
    configuration: String, method: String, code: Int
  ) async throws {
    let session = try ExecSession([:])
    session.folder.write("app.json", "{\(configuration)}")
    var setup = session.setup
    setup.arguments = [setup.path] + setup.arguments
    setup.path = Binary.root + "/Tests/Servers/without_children.py"
    let ending = try await RunningShell.run(
      setup, input: ExecSession.request(1, method) + ExecSession.request(2, "shell.ping"))
    let reply = try #require(ending.frames.last { $0.id == "1" }, "\(ending.texts) \(ending.errors)")
    #expect(reply.errorCode == code)
    let message = try #require(reply.errorMessage)
    #expect(message.contains("cannot start '"), "\(message)")
    #expect(message.contains("Cannot allocate memory"), "\(message)")
    #expect(ending.frames.contains { $0.id == "2" && $0.errorCode == nil })
  }
}
