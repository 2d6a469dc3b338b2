import Glibc
import Testing

@testable import RPCShell

/// `rpcshell store`: what the account is kept in.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct StoreCommandTests {
  private let folder = try! TemporaryFolder()
  private var database: String { folder.at("s/account.db") }

  private static let plan = #"{"name":"Plus","price":{"free":true},"status":{"noRenewal":true}}"#
  private static let entries = [
    #"{"idempotencyKey":"a","action":"upgrade","digest":"x","begun":100,"ended":110.5,"outcome":"completed","members":{"url":"https://x"}}"#,
    #"{"idempotencyKey":"b","action":"restore","digest":"","begun":90,"ended":95,"outcome":"interrupted","members":null}"#,
  ]
  private static let export =
    #"{"version":1,"plan":\#(plan),"asOf":"2026-10-19","catalogue":[\#(plan)],"journal":[\#(entries.joined(separator: ","))]}"#

  private func run(_ arguments: [String], input: String = "", store: String = "sqlite:s/account.db") async throws
    -> RunningShell.Ending
  {
    folder.write("config.json", #"{"store":"\#(store)"}"#)
    return try await RunningShell.run(
      .init(.rpcshell, ["--config", folder.at("config.json"), "store"] + arguments), input: input)
  }

  @Test func `what is exported can be imported, and is the same then`() async throws {
    let first = try await run(["import"], input: Self.export)
    #expect(first.exit == .status(0) && first.texts == [] && first.errors == [])
    let export = try await run(["export"])
    #expect(export.exit == .status(0) && export.errors == [])
    let text = export.texts.joined(separator: "\n")
    #expect(try JSONText(wholeText: Array(text.utf8)).description == Self.export)
    folder.write("export.json", text)
    #expect(try await run(["import", folder.at("export.json"), "--force"]).exit == .status(0))
    #expect(try await run(["export"]).texts == export.texts)
    let check = try await run(["check"])
    #expect(check.texts == ["\(database) is good: version 3, actions: 2, 1 of them interrupted"])
    #expect(check.exit == .status(0) && check.errors == [])
  }

  @Test func `an account that is there is replaced only where that is said`() async throws {
    #expect(try await run(["import"], input: Self.export).exit == .status(0))
    let empty = #"{"version":1,"journal":[]}"#
    let refused = try await run(["import", "--force=1"], input: empty)
    #expect(refused.exit == .status(2))
    let second = try await run(["import"], input: empty)
    #expect(second.exit == .status(1))
    #expect(
      second.errors == [
        "rpcshell: The account store \(database) has this account already; --force replaces it, with its journal"
      ])
    #expect(try await run(["check"]).texts == ["\(database) is good: version 3, actions: 2, 1 of them interrupted"])
    #expect(try await run(["import", "--force"], input: empty).exit == .status(0))
    #expect(try await run(["check"]).texts == ["\(database) is good: version 3, actions: 0"])
  }

  @Test(arguments: [
    ("", "line 1, column 1: the text ends too soon"), ("[]", "expected an object, got an array"),
    (#"{"version":2,"journal":[]}"#, "version: expected an integer from 1 to 1, got 2"),
    (#"{"version":1}"#, "journal: missing; expected an array"),
    (#"{"version":1,"plan":{"name":""},"journal":[]}"#, "plan.name: expected a string that is not empty"),
    (#"{"version":1,"journal":[{"idempotencyKey":"a"}]}"#, "journal[0].action: missing; expected a string"),
    (
      #"{"version":1,"journal":[{"idempotencyKey":"a","action":"upgrade","digest":"","begun":1,"outcome":"done"}]}"#,
      "journal[0].outcome: expected one of 'completed', 'presented', 'pending', 'cancelled', 'failed', 'interrupted', got 'done'"
    ),
    (
      #"{"version":1,"journal":[{"idempotencyKey":"a","action":"upgrade","digest":"","begun":1e20}]}"#,
      "journal[0].begun: expected a number from 0 to 253402300799"
    ),
    (
      #"{"version":1,"journal":[{"idempotencyKey":"a","action":"upgrade","digest":"","begun":1,"ended":-1}]}"#,
      "journal[0].ended: expected a number from 0 to 253402300799"
    ),
    (
      #"{"version":1,"journal":[{"idempotencyKey":"a","action":"upgrade","digest":"","begun":1e999}]}"#,
      "line 1, column 91: real number overflow near '1e999'"
    ),
  ])
  func `what is no export changes nothing`(input: String, reason: String) async throws {
    let ending = try await run(["import"], input: input)
    #expect(ending.errors == ["rpcshell: stdin: \(reason)"])
    #expect(ending.exit == .status(1))
    #expect(!folder.has("s"))
  }

  @Test func `where there is no database, none is made by looking`() async throws {
    let check = try await run(["check"])
    #expect(check.texts == ["\(database) is not there yet: a session makes it"] && check.exit == .status(0))
    let export = try await run(["export"])
    #expect(export.errors == ["rpcshell: \(database) is not there yet: a session makes it"])
    #expect(export.texts == [] && export.exit == .status(1))
    #expect(!folder.has("s"))
  }

  @Test func `what is wrong is one line with the status 1`() async throws {
    folder.write("s/account.db", String(repeating: "no database", count: 100))
    for arguments in [["check"], ["export"], ["import"]] {
      let ending = try await run(arguments, input: Self.export)
      let line = "rpcshell: The account store \(database) is no database; move it and its -lock file away to start over"
      #expect(ending.errors == [line] && ending.texts == [] && ending.exit == .status(1), "\(arguments)")
    }
  }

  @Test func `an account in memory has no store`() async throws {
    let check = try await run(["check"], store: "memory")
    #expect(check.texts == ["The account is kept in memory: there is no store"] && check.exit == .status(0))
    let export = try await run(["export"], store: "memory")
    #expect(export.errors == ["rpcshell: The account is kept in memory: there is no store"])
    #expect(export.exit == .status(1))
  }

  @Test func `a server that is not there is named without its password`() async throws {
    let ending = try await run(["check"], store: "postgresql://me:secret@/db?host=/nowhere")
    #expect(
      ending.errors == [
        "rpcshell: The account store postgresql:///nowhere/db cannot be reached: connection to server on socket "
          + "\"/nowhere/.s.PGSQL.5432\" failed: No such file or directory; start the server, or correct the store's URL"
      ])
    #expect(ending.exit == .status(1))
  }
}
