import Glibc
import Testing

@testable import RPCShell

/// A client that does actions itself, over real pipes.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct HostActionTests {
  private static let initialize =
    #"{"id":1,"method":"initialize","params":{"handlers":["onUpgrade","onManage"]}}"# + "\n"

  private static func next(_ shell: RunningShell, _ method: String?) async throws -> Received {
    while true {
      let frame = try await shell.next()
      if frame.method == method { return frame }
    }
  }

  @Test func `an upgrade that the client does itself`() async throws {
    let ending = try await RunningShell.run(.frozenDemo()) { shell in
      try await shell.send(Self.initialize + #"{"id":2,"method":"plan.upgrade","params":{"workDoneToken":"t"}}"# + "\n")
      let request = try await Self.next(shell, "host.onUpgrade")
      #expect(request.id == "1000001")
      #expect(request.at("params.plan.name") == "\"Plus\"")
      try await shell.send(
        #"{"method":"$/progress","params":{"token":"t","value":{"kind":"report","percentage":40}}}"# + "\n")
      #expect(try await Self.next(shell, "plan.state").at("params.state.upgrade.progress") == "0.4")
      try await shell.send(#"{"jsonrpc":"2.0","id":1000001,"result":{"plan":\#(PlanLines.top)}}"# + "\n")
      #expect(try await Self.next(shell, "plan.state").at("params.state.summary.name") == "\"Studio\"")
      #expect(try await Self.next(shell, nil).at("result.outcome") == "\"completed\"")
    }
    #expect(ending.exit == .status(0))
    #expect(ending.errors == [])
  }

  @Test(arguments: [
    (#"{"initializationOptions":{"handlers":["onUpgrade"],"other":1}}"#, true),
    (#"{"handlers":[],"initializationOptions":{"handlers":["onUpgrade"]}}"#, false),
    (#"{"handlers":null,"initializationOptions":{"handlers":["onUpgrade"]}}"#, true),
    (#"{"initializationOptions":[1]}"#, false), (#"{"initializationOptions":null}"#, false),
  ])
  func `clients of fixed types say it in their options`(params: String, isHosts: Bool) async throws {
    let ending = try await RunningShell.run(
      .frozenDemo(),
      input: #"{"id":1,"method":"initialize","params":\#(params)}"# + "\n" + #"{"id":2,"method":"plan.upgrade"}"# + "\n"
    )
    #expect(ending.frames.last { $0.id == "2" }?.errorCode == (isHosts ? 106 : nil))
  }

  @Test func `an answer that is in the pipe when the session is told to end counts`() async throws {
    let ending = try await RunningShell.run(.frozenDemo()) { shell in
      try await shell.send(Self.initialize + #"{"id":2,"method":"plan.upgrade"}"# + "\n")
      _ = try await Self.next(shell, "host.onUpgrade")
      kill(shell.id, SIGSTOP)
      try await shell.send(#"{"id":1000001,"result":{}}"# + "\n")
      kill(shell.id, SIGTERM)
      kill(shell.id, SIGCONT)
    }
    #expect(ending.frames.last { $0.id == "2" }?.at("result.outcome") == "\"completed\"")
    #expect(ending.exit == .status(0))
  }

  @Test func `when the input ends, what waits for the client has failed at once`() async throws {
    let ending = try await RunningShell.run(
      .frozenDemo(), input: Self.initialize + #"{"id":2,"method":"plan.upgrade"}"# + "\n")
    #expect(ending.frames.last?.errorCode == 106)
    #expect(ending.exit == .status(1))
  }

  @Test(arguments: [
    (
      #"["onUpgarde"]"#,
      "handlers[0]: expected one of 'onUpgrade', 'onManage', 'onRestore', 'onClearCache', 'onRemove', got 'onUpgarde'; did you mean 'onUpgrade'?"
    ),
    (#""onUpgrade""#, "handlers: expected an array, got a string"),
  ])
  func `actions that nobody knows are refused`(handlers: String, message: String) async throws {
    let ending = try await RunningShell.run(
      .frozenDemo(), input: #"{"id":1,"method":"initialize","params":{"handlers":\#(handlers)}}"# + "\n")
    #expect(ending.frames.first?.at("error.message") == "\"\(message)\"")
  }
}
