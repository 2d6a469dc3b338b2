import Glibc
import Testing

@testable import RPCShellMain

/// rpcshell's own options.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct CommandLineTests {
  @Test(arguments: [
    ["--help"], ["-h"], ["call", "--help"], ["--help", "call"], ["call", "plan.get", "-h"], ["schema", "--help"],
    ["config", "--help"], ["config", "check", "--help"], ["store", "-h"],
    ["--framing", "lines", "config", "example", "-h"],
  ])
  func `explains itself on one screen`(_ arguments: [String]) async throws {
    let ending = try await RunningShell.run(.init(.rpcshell, arguments))
    #expect(ending.exit == .status(0))
    let command = arguments.first { ["call", "schema", "config", "store"].contains($0) }
    #expect(ending.texts.first?.hasPrefix("rpcshell \(command.map { $0 + ":" } ?? "")") == true)
    #expect(ending.texts.contains { $0.hasPrefix("usage: rpcshell ") } && ending.texts.count <= 24)
    #expect(ending.texts.allSatisfy { $0.count <= 80 })
    #expect(ending.errors == [])
  }

  @Test func `its help names every option`() async throws {
    let all = try await RunningShell.run(
      .init(
        script: "'\(Binary.rpcshell.path)' -h; '\(Binary.rpcshell.path)' call -h; '\(Binary.rpcshell.path)' store -h"))
    for key in OptionKey.allCases {
      #expect(all.texts.contains { $0.contains("--\(key.text)") }, "\(key)")
    }
  }

  @Test(arguments: [["--version"], ["call", "--version"]])
  func `says its version`(_ arguments: [String]) async throws {
    let ending = try await RunningShell.run(.init(.rpcshell, arguments))
    #expect(ending.exit == .status(0))
    #expect(ending.texts.count == 1 && ending.texts[0].hasPrefix("rpcshell "))
  }

  @Test(arguments: [
    (["--demp"], "did you mean '--demo'?"), (["--framing", "line"], "did you mean 'lines'?"),
    (["--framing"], "needs a value"),
    (["--drain", "soon"], "--drain"), (["--drain", "-1"], "--drain"), (["--max-message", "0"], "--max-message"),
    (["--max-message", "1e99"], "--max-message"), (["--locale", "no such locale"], "--locale"),
    (["--time-zone", "Mars/Olympus"], "--time-zone"), (["serve"], "'serve'"), (["-x"], "'-x'"), (["-demo"], "'-d'"),
    (["--strict=1"], "'--strict=1'"), (["--output", "json"], "takes no option '--output'"),
    (["--quiet"], "takes no option '--quiet'"), (["--config", ""], "--config"),
    (["plan.get"], "did you mean 'call plan.get'?"), (["cal"], "did you mean 'call'?"),
    (["--drain", "1e300"], "--drain"), (["--max-message", "1.5"], "--max-message"), (["--trace", ""], "--trace"),
    (["--trace", "/nowhere/at/all"], "/nowhere/at/all"),
  ])
  func `refuses what makes no sense, before it reads anything`(_ arguments: [String], _ hint: String) async throws {
    let ending = try await RunningShell.run(
      .init(.rpcshell, arguments), input: #"{"id":1,"method":"shell.ping"}"# + "\n")
    #expect(ending.exit == .status(2))
    #expect(ending.texts == [] && ending.leftover == "")
    #expect(ending.errors.first?.hasPrefix("rpcshell: ") == true)
    #expect(ending.errors.contains { $0.contains(hint) }, "\(ending.errors)")
  }

  @Test(arguments: [
    (["--framing", "lines"], "Content-Length: 2\r\n\r\n", -32700), (["--framing", "headers"], "{\"id\":1}\n", -32700),
    (["--strict"], #"{"id":1,"method":"shell.ping"}"# + "\n", -32600),
    (["--max-message", "10"], #"{"id":1,"method":"shell.ping"}"# + "\n", -32600),
  ])
  func `does what its options say`(_ arguments: [String], _ input: String, _ code: Int) async throws {
    let ending = try await RunningShell.run(.init(.rpcshell, arguments), input: input)
    #expect(ending.frames.first?.errorCode == code, "\(ending.texts)")
    #expect(ending.exit == .status(1))
  }

  @Test func `passes over a time zone of the environment that does not exist, with one line`() async throws {
    var setup = try RunningShell.Setup(.rpcshell, ["--demo"])
    setup.environment = ["TZ": "Mars/Olympus"]
    let ending = try await RunningShell.run(setup, input: #"{"id":1,"method":"plan.get"}"# + "\n")
    #expect(ending.errors.count == 1 && ending.errors[0].contains("Mars/Olympus"), "\(ending.errors)")
    #expect(ending.frames.first?.at("result.state.timeZone") == "\"UTC\"")
    #expect(ending.exit == .status(0))
  }

  @Test func `traces a session that can be replayed`() async throws {
    let file = try TemporaryFile()
    defer { for end in [".in", ".out"] { unlink(file.path + end) } }
    let input = #"{"id":1,"method":"plan.upgrade"}"# + "\nnot json\n"
    let ending = try await RunningShell.run(.frozenDemo(["--trace", file.path]), input: input)
    #expect(TemporaryFile.read(file.path + ".in") == input)
    let output = TemporaryFile.read(file.path + ".out")
    #expect(output == ending.texts.map { $0 + "\n" }.joined())
    let replayed = try await RunningShell.run(.frozenDemo(), input: input)
    #expect(replayed.texts == ending.texts)
  }
}

extension RunningShell.Setup {
  /// The sample account on the day of the examples.
  static func frozenDemo(_ arguments: [String] = []) throws -> RunningShell.Setup {
    var setup = try RunningShell.Setup(.rpcshell, ["--demo", "--time-zone", "UTC"] + arguments)
    setup.environment = ["RPCSHELL_NOW": "2026-10-19T09:00:00Z"]
    return setup
  }
}
