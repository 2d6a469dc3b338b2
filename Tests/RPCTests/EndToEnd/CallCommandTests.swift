import Glibc
import Testing

@testable import RPCShell

/// `rpcshell call`: one request for a script or a person.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct CallCommandTests {
  private static func call(
    _ arguments: [String], input: String = "", variables: [String: String] = [:]
  ) async throws -> RunningShell.Ending {
    var setup = try RunningShell.Setup.frozenDemo(arguments)
    setup.environment.merge(variables) { $1 }
    return try await RunningShell.run(setup, input: input)
  }

  private static let plus = [
    "Plus · Active", "$9.99 per month", "Renews Nov 2", "Storage  8.2 of 10 GB", "Exports  412 of 1,000 · Resets Nov 2",
    "Upgrade to Studio · 100 GB and more exports",
  ]

  // MARK: Results

  @Test(arguments: [
    (["call", "shell.ping"], ["{}"]),
    (["call", "shell.ping", #"{"b": 1.0, "a": "\u00e9 ü"}"#], [#"{"b":1.0,"a":"\u00e9 ü"}"#]),
    (["call", "plan.upgrade"], [#"{"outcome":"completed","revision":2}"#]),
    (["call", "plan.restore", "{}", "--output", "json"], [#"{"outcome":"completed"}"#]),
    (["call", "--output=text", "plan.restore"], ["outcome: completed"]),
    (
      ["call", "plan.previewUpgrade", "--output=text"],
      ["Studio", "Due now      $19.99", "Next charge  $19.99 on Nov 2", "Starts now"]
    ),
    (["--output", "text", "call", "plan.upgrade"], ["outcome: completed", "revision: 2"]),
    (["call", "shutdown", "--output", "text"], []), (["call", "shutdown"], ["null"]),
    (
      ["call", "--output", "text", "--", "shell.ping", #"{"a":"x\ny","b":[1,{}],"c":null}"#],
      ["a: x y", "b: [1,{}]", "c: null"]
    ),
    (["call", "plan.upgrade", "--quiet"], []), (["call", "plan.get", "--quiet", "--output", "text"], []),
    (["call", "plan.get", "--output", "text"], plus),
    (
      ["call", "plan.get", "--locale", "de", "--output", "text"],
      [
        "Plus · Active", "9,99\u{A0}$ per month", "Renews 2. Nov.", "Storage  8,2 of 10 GB",
        "Exports  412 of 1.000 · Resets 2. Nov.", "Upgrade to Studio · 100 GB and more exports",
      ]
    ),
  ])
  func `prints the result and nothing else`(arguments: [String], lines: [String]) async throws {
    let ending = try await Self.call(arguments)
    #expect(ending.texts == lines)
    #expect(ending.errors == [])
    #expect(ending.exit == .status(0))
  }

  @Test func `the result of plan.get is that of a session`() async throws {
    let ending = try await Self.call(["call", "plan.get"])
    #expect(ending.texts == [Received(text: PlanLines.get).at("result")])
  }

  @Test func `parameters come from stdin where they are a dash`() async throws {
    let plan = #"{"plan": \#(PlanLines.top),\#n "asOf": "2026-10-19"}"#
    let ending = try await Self.call(["call", "plan.set", "-"], input: "\u{FEFF}" + plan + "\n")
    #expect(ending.texts == [#"{"revision":1}"#])
    #expect(ending.exit == .status(0))
  }

  @Test func `stdin is not read otherwise`() async throws {
    let shell = try Binary.rpcshell.path
    let ending = try await RunningShell.run(
      .init(script: "'\(shell)' --demo call shell.ping; cat"), input: "the rest\n")
    #expect(ending.texts == ["{}", "the rest"])
  }

  // MARK: Failures

  @Test(arguments: [
    (["call", "plan.gett"], 2, "unknown method 'plan.gett'; did you mean 'plan.get'?"),
    (["call", ""], 2, "unknown method ''; rpc.discover lists what there is"),
    (["call", "plan.get", #"{"a": }"#], 2, "the parameters are no JSON: line 1, column 7: expected a value"),
    (["call", "plan.get", ""], 2, "the parameters are no JSON: line 1, column 1: the text ends too soon"),
    (["call", "plan.get", "-"], 2, "the parameters are no JSON: line 1, column 1: the text ends too soon"),
    (["call", "plan.get", "{} {}"], 2, "the parameters are no JSON: line 1, column 4: expected nothing more"),
    (["call", "plan.get", "[1]"], 2, "params must be an object: parameters go by name, not by position"),
    (["call", "plan.dismiss"], 2, "action: missing; expected a string"),
    (["call", "plan.set", #"{"plan":{"name":""}}"#], 2, "plan.name: expected a string that is not empty"),
    (
      ["call", "plan.manage", "--quiet"], 1,
      "There is no page to manage this subscription: no manageURL is configured"
    ),
  ])
  func `says on one line why there is no result`(arguments: [String], status: Int32, line: String) async throws {
    let ending = try await Self.call(arguments)
    #expect(ending.errors == ["rpcshell: " + line])
    #expect(ending.texts == [] && ending.leftover == "")
    #expect(ending.exit == .status(status))
  }

  @Test func `what the client would have to do fails at once`() async throws {
    let file = try TemporaryFile(#"{"handlers":{"onUpgrade":{"adapter":"host"},"onRestore":null}}"#)
    var ending = try await Self.call(["call", "plan.upgrade", "--config", file.path])
    #expect(ending.errors == ["rpcshell: The upgrade didn't go through. Try again."])
    #expect(ending.exit == .status(1))
    ending = try await Self.call(["call", "plan.restore", "--config", file.path])
    #expect(ending.errors == ["rpcshell: No handler is bound to onRestore"])
    #expect(ending.exit == .status(1))
  }

  @Test func `a configuration that is wrong is said before anything is done`() async throws {
    let file = try TemporaryFile("{\"locale\": }")
    let ending = try await Self.call(["call", "plan.get"], variables: ["RPCSHELL_CONFIG": file.path])
    #expect(ending.exit == .status(0), "a demo reads only what --config names")
    var setup = try RunningShell.Setup(.rpcshell, ["call", "plan.get"])
    setup.environment = ["RPCSHELL_CONFIG": file.path]
    let failed = try await RunningShell.run(setup)
    #expect(failed.errors == ["rpcshell: \(file.path): line 1, column 12: expected a value"])
    #expect(failed.exit == .status(2))
  }

  // MARK: Its surroundings

  @Test func `a stdout that cannot be written is the status 74, a reader that went away is none`() async throws {
    let call = "'\(try Binary.rpcshell.path)' --demo call plan.get"
    for (script, status) in [
      ("\(call) >/dev/full", 74), ("\(call) >&-", 74), ("trap '' PIPE; \(call) | true; exit ${PIPESTATUS[0]}", 0),
    ] {
      let ending = try await RunningShell.run(.init(script: script))
      #expect(ending.exit == .status(Int32(status)), "\(script)")
      #expect(ending.errors.allSatisfy { $0.hasPrefix("rpcshell: cannot write stdout: ") })
    }
  }

  @Test func `traces its session`() async throws {
    let file = try TemporaryFile()
    defer { for end in [".in", ".out"] { unlink(file.path + end) } }
    let ending = try await Self.call(["call", "plan.upgrade", "--trace", file.path, "--quiet"])
    #expect(ending.exit == .status(0) && ending.texts == [])
    let input = #"{"jsonrpc":"2.0","id":1,"method":"plan.upgrade"}"# + "\n"
    #expect(TemporaryFile.read(file.path + ".in") == input)
    let lines = TemporaryFile.read(file.path + ".out").split(separator: "\n").map { String($0) }
    #expect(lines == [PlanLines.working, PlanLines.done, PlanLines.completed, PlanLines.folded])
    let refused = try await Self.call(["call", "plan.get", "--trace", "/nowhere/at/all"])
    #expect(refused.exit == .status(2) && refused.errors.count == 1)
  }
}
