import Glibc
import Testing

@testable import RPCShell

/// Sessions of the release binary whose account is on a server.
@Suite(.serialized, .timeLimit(.usualMinutes(2)), .enabled(if: TestServer.isThere, TestServer.isMissing))
struct PostgreSQLSessionTests {
  private let folder: TemporaryFolder
  private let database: TestDatabase

  init() throws {
    (folder, database) = (try TemporaryFolder(), try TestDatabase())
    folder.write("config.json", #"{"store":"\#(database.url)"}"#)
  }

  private func setup(_ arguments: [String] = []) throws -> RunningShell.Setup {
    var setup = try RunningShell.Setup(.rpcshell, ["--config", folder.at("config.json")] + arguments)
    setup.environment["XDG_STATE_HOME"] = folder.at("state")
    return setup
  }

  private func call(_ method: String, _ params: String = "{}") async throws -> Received {
    let ending = try await RunningShell.run(setup(["call", method, params]), input: "")
    #expect(ending.exit == .status(0), "\(ending)")
    return ending.frames.last ?? Received(text: "null")
  }

  private static func next(
    _ shell: RunningShell, _ isWanted: (Received) -> Bool
  ) async throws -> Received {
    while true {
      let frame = try await shell.next()
      if isWanted(frame) { return frame }
    }
  }

  @Test func `what one session does another sees at once, and later ones find`() async throws {
    let ending = try await RunningShell.run(setup()) { shell in
      try await shell.send(#"{"jsonrpc":"2.0","id":1,"method":"plan.get"}"# + "\n")
      #expect(try await shell.next().at("result.state.summary.name") == "\"Plus\"")
      #expect(try await call("plan.upgrade").at("outcome") == "\"completed\"")
      let event = try await Self.next(shell) { $0.method == "plan.state" }
      #expect(event.at("params.cause") == "\"account\"")
      #expect(event.at("params.state.summary.name") == "\"Studio\"")
    }
    #expect(ending.exit == .status(0) && ending.errors == [])
    #expect(try await call("plan.get").at("state.summary.name") == "\"Studio\"")
    #expect(try await call("plan.history").at("entries.0.outcome") == "\"completed\"")
  }

  @Test func `a session that is killed within an upgrade leaves it interrupted, and nobody waits for it`() async throws
  {
    let running = try setup()
    do {
      _ = try await RunningShell.run(running) { shell in
        try await shell.send(
          #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"handlers":["onUpgrade"]}}"# + "\n")
        try await shell.send(
          #"{"jsonrpc":"2.0","id":2,"method":"plan.upgrade","params":{"idempotencyKey":"k"}}"# + "\n")
        _ = try await Self.next(shell) { $0.method == "host.onUpgrade" }
        #expect(try await call("plan.history").at("entries.0.outcome") == "\"running\"")
        shell.signal(SIGKILL)
        // The server drops its lock when it finds that the connection is gone.
        try database.wait(
          for:
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '\(database.name)' AND application_name = 'rpcshell'",
          is: 0)
      }
    }
    #expect(try await call("plan.history").at("entries.0.outcome") == "\"interrupted\"")
    #expect(try await call("plan.get").at("state.summary.name") == "\"Plus\"")
    #expect(try await call("plan.upgrade", #"{"idempotencyKey":"k"}"#).at("outcome") == "\"completed\"")
    #expect(try await call("plan.get").at("state.summary.name") == "\"Studio\"")
  }

  @Test func `accounts of one database are apart`() async throws {
    #expect(try await call("plan.upgrade").at("outcome") == "\"completed\"")
    folder.write("config.json", #"{"store":"\#(database.url)","accountId":"other"}"#)
    #expect(try await call("plan.get").at("state.summary.name") == "\"Plus\"")
  }

  @Test func `a server that goes and comes back is found again`() async throws {
    let ending = try await RunningShell.run(setup()) { shell in
      try await shell.send(#"{"jsonrpc":"2.0","id":1,"method":"plan.get"}"# + "\n")
      #expect(try await shell.next().at("result.state.summary.name") == "\"Plus\"")
      try database.endConnections()
      #expect(try await call("plan.upgrade").at("outcome") == "\"completed\"")
      let event = try await Self.next(shell) { $0.at("params.state.summary.name") == "\"Studio\"" }
      #expect(event.at("params.cause") == "\"account\"")
    }
    #expect(ending.exit == .status(0))
  }

  @Test func `a session without a server starts no helper`() async throws {
    folder.write("config.json", #"{"store":"memory"}"#)
    let ending = try await RunningShell.run(setup()) { shell in
      try await shell.send(#"{"jsonrpc":"2.0","id":1,"method":"plan.get"}"# + "\n")
      _ = try await shell.next()
      // pgrep(1) fails where there is none.
      let look = Spawn("/usr/bin/pgrep", ["-P", "\(shell.id)"], standard: [nil, nil, nil])
      #expect(try look.run() >> 8 & 0xFF == 1)
    }
    #expect(ending.exit == .status(0))
  }
}
