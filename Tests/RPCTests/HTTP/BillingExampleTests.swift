import Testing

/// The worked example of the http adapter, end to end.
@Suite(.serialized, .timeLimit(.usualMinutes(2)))
struct BillingExampleTests {
  /// Runs the example's server in a folder of its own, where it leaves its configuration and its charges.
  private static func withServer(_ body: (TemporaryFolder) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let server = Binary.root + "/Examples/billing-server/billing.py"
    let script = "cd '\(folder.path)' && exec python3 '\(server)' billing.json"
    _ = try await RunningShell.run(.init(script: script)) { process in
      _ = try await process.next()
      try await body(folder)
    }
  }

  private static let examples = ["README.md", "docs/ADAPTERS.md"].flatMap {
    DocumentedBlock.all("console billing", in: $0)
  }

  @Test func `the pages have an example each`() { #expect(Set(Self.examples.map(\.page)).count == 2) }

  @Test(arguments: examples)
  func `does what the pages say`(block: DocumentedBlock) async throws {
    try await Self.withServer { folder in
      let commands = try block.script(in: "cd '\(folder.path)' && export XDG_STATE_HOME=\"$PWD/state\"")
      let ending = try await RunningShell.run(.init(script: commands))
      #expect(ending.texts == block.lines)
    }
  }

  /// A person of the example, by token, and what an upgrade of theirs comes to.
  @Test(arguments: [
    ("app-token-1", #"{"outcome":"completed","revision":2}"#, 0, 1),
    ("app-token-2", nil, 1, 0), ("app-token-3", #"{"outcome":"cancelled","revision":2}"#, 130, 0),
    ("nobody", nil, 1, 0),
  ])
  func `charges who pays, and nobody else`(token: String, result: String?, status: Int32, charges: Int) async throws {
    try await Self.withServer { folder in
      var setup = try RunningShell.Setup.frozenDemo(["--config", folder.at("billing.json"), "call", "plan.upgrade"])
      setup.environment["BILLING_TOKEN"] = token
      let ending = try await RunningShell.run(setup, input: "")
      #expect(ending.texts == (result.map { [$0] } ?? []))
      #expect(ending.exit == .status(status))
      #expect(TemporaryFile.read(folder.at("charges.jsonl")).split(separator: "\n").count == charges)
    }
  }

  @Test func `an upgrade that is made again is charged once, another one again`() async throws {
    try await Self.withServer { folder in
      for key in ["order-1", "order-1", "order-2", "order-1"] {
        let params = #"{"idempotencyKey":"\#(key)"}"#
        var setup = try RunningShell.Setup.frozenDemo(
          ["--config", folder.at("billing.json"), "call", "plan.upgrade", params])
        setup.environment["BILLING_TOKEN"] = "app-token-1"
        #expect(try await RunningShell.run(setup, input: "").exit == .status(0))
      }
      #expect(TemporaryFile.read(folder.at("charges.jsonl")).split(separator: "\n").count == 2)
    }
  }
}
