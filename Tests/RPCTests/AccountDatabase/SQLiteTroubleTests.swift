import AccountModel
import Glibc
import RPCShell
import Testing

@testable import AccountDatabase

/// What an account's file may have become, and what stands beside it.
@Suite(.timeLimit(.usualMinutes(2)))
struct SQLiteTroubleTests {
  private let rig = try! StoreRig()
  private var path: String { rig.folder.at("state/account.db") }

  private func mode(_ name: String) -> mode_t {
    var status = stat()
    stat(rig.folder.at(name), &status)
    return status.st_mode & 0o7777
  }

  /// Writes a plan and an action, and ends the session.
  private func used() async throws {
    let session = rig.session(initial: .plus)
    #expect(try await session.load().plan == .plus)
    #expect(try await session.begin("k") == .begun)
    try await session.end("k", .failed)
    try await session.end()
  }

  private func execute(_ statement: String) throws {
    let script = "import sqlite3,sys; base=sqlite3.connect(sys.argv[1]); base.execute(sys.argv[2]); base.commit()"
    try Spawn("/usr/bin/python3", ["-c", script, path, statement], standard: [nil, nil, 2]).run()
  }

  // MARK: Damage

  @Test(arguments: [
    ("no database at all, but a text", "is no database; move it and its -lock file away to start over"),
    (String(repeating: "x", count: 100_000), "is no database; move it and its -lock file away to start over"),
  ])
  func `a file that is no database stays as it is, and the copy shows what was known`(
    content: String, reason: String
  ) async throws {
    try await used()
    rig.folder.write("state/account.db", content)
    let failure = try await rig.session(initial: .top).failure()
    #expect(failure.message == "The account store \(path) \(reason)")
    #expect(failure.file == path)
    #expect(failure.lastGood == AccountRecord(plan: .plus))
    #expect(TemporaryFile.read(path) == content)
  }

  @Test func `a damaged database says so`() async throws {
    try await used()
    // All but the first page, which says what is where.
    var status = stat()
    stat(path, &status)
    let file = open(path, O_WRONLY | O_CLOEXEC)
    lseek(file, 4096, SEEK_SET)
    writeAll(Array(repeating: 0xA5, count: Int(status.st_size) - 4096), to: file)
    close(file)
    let session = rig.session()
    let failure = try await session.failure()
    #expect(
      failure.message
        == "The account store \(path) is damaged; move it and its -lock file away to start over, or put a copy in its place"
    )
    #expect(failure.lastGood == AccountRecord(plan: .plus))
    await #expect(throws: StoreFailure.self) { try await session.begin("n") }
    guard case .failure(let found) = await session.store.check().get() else { throw StoreSession.Unexpected() }
    #expect(found.message.contains("is damaged"), "\(found.message)")
  }

  @Test func `what a later version wrote is left to that`() async throws {
    try await used()
    try execute("PRAGMA user_version = 7")
    let failure = try await rig.session().failure()
    #expect(
      failure.message
        == "The account store \(path) was written by a later rpcshell (version 7; this one knows up to \(Migrations.current)); use that one"
    )
    #expect(failure.lastGood?.plan == .plus)
  }

  @Test func `another app's database is not touched`() async throws {
    rig.folder.makeFolder("state")
    try execute("CREATE TABLE theirs (x)")
    let failure = try await rig.session().failure()
    #expect(failure.message == "The account store \(path) is another app's database; name another file as the store")
    #expect(failure.lastGood == nil)
  }

  @Test(arguments: [
    ("UPDATE account SET plan = '{'", "the plan"), ("UPDATE account SET plan = '{\"name\":1}'", "the plan"),
    ("UPDATE journal SET action = 'dance', outcome = NULL", "a line of the journal"),
  ])
  func `what cannot be read is said`(statement: String, what: String) async throws {
    try await used()
    try execute(statement)
    let failure = try await rig.session().failure()
    #expect(failure.message.contains("holds something that cannot be read (\(what))"), "\(failure.message)")
    #expect(failure.lastGood?.plan == .plus)
  }

  @Test func `a folder in the place of the file is no store`() async throws {
    rig.folder.makeFolder("state/account.db")
    #expect(
      try await rig.session().failure().message == "The account store \(path) is a folder; name a file as the store")
  }

  @Test func `a file in the place of the folder is no store`() async throws {
    rig.folder.write("state", "")
    let failure = try await rig.session().failure()
    #expect(failure.message == "The account store \(path) cannot be made: Not a directory")
  }

  @Test func `a file that is moved away while it is open is noticed before anything is promised`() async throws {
    let session = rig.session()
    #expect(try await session.begin("k") == .begun)
    rename(path, path + ".old")
    await #expect(throws: StoreFailure.self) { try await session.end("k", plan: .top) }
    #expect(!rig.folder.has("state/account.db"))
    rename(path + ".old", path)
    #expect(try await session.load().plan == .top)
  }

  @Test func `a store is opened with the first call, and not before`() async throws {
    let session = rig.session()
    #expect(rig.folder.list() == [])
    _ = try await session.load()
    #expect(rig.folder.list() == ["state"])
  }

  // MARK: What is beside it

  @Test func `all is for its owner alone`() async throws {
    let session = rig.session(initial: .plus)
    _ = try await session.load()
    #expect(try await session.begin("k") == .begun)
    try await session.end("k")
    #expect(mode("state") == 0o700)
    let names = rig.folder.list("state")
    #expect(
      names == [
        "account-log.jsonl", "account.db", "account.db-lock", "account.db-shm", "account.db-wal", "plan.json",
      ])
    for name in names { #expect(mode("state/" + name) == 0o600, "\(name)") }
    try await session.end()
    #expect(!rig.folder.has("state/account.db-wal"))
  }

  @Test func `the log has a line for each end`() async throws {
    let session = rig.session(account: "me")
    for (key, name) in [("a\n\"", IntentOutcome.Name.failed), ("b", .cancelled), ("b", .completed)] {
      #expect(try await session.begin(key, .onRestore) == .begun)
      try await session.end(key, name)
    }
    #expect(
      TemporaryFile.read(rig.folder.at("state/account-log.jsonl")) == #"""
        {"time":"1970-01-01T00:33:20Z","accountId":"me","action":"restore","idempotencyKey":"a\n\"","outcome":"failed"}
        {"time":"1970-01-01T00:33:20Z","accountId":"me","action":"restore","idempotencyKey":"b","outcome":"cancelled"}
        {"time":"1970-01-01T00:33:20Z","accountId":"me","action":"restore","idempotencyKey":"b","outcome":"completed"}

        """#)
  }

  @Test func `a log and a copy that cannot be written stop nothing, and lines say so`() async throws {
    rig.folder.makeFolder("state/account-log.jsonl")
    rig.folder.makeFolder("state/plan.json/x")
    let session = rig.session()
    #expect(try await session.begin("k") == .begun)
    try await session.end("k", plan: .plus)
    #expect(try await session.history() == ["k=completed"])
    let folder = rig.folder.at("state")
    #expect(
      rig.lines.withLock { $0 } == [
        "the copy of the plan is not up to date: \(folder)/plan.json cannot be written: Is a directory",
        "\(folder)/account-log.jsonl cannot be written: Is a directory",
      ])
  }

  @Test func `the copy is the last plan, of one account`() async throws {
    let session = rig.session()
    try await session.keep(.top, asOf: DateValue("2026-10-19"))
    let text = TemporaryFile.read(rig.folder.at("state/plan.json"))
    #expect(text == #"{"accountId":"default","plan":\#(PlanUsage.top.jsonText),"asOf":"2026-10-19"}"# + "\n")
    try await session.end()
    rig.folder.write("state/account.db", "broken")
    #expect(try await rig.session().failure().lastGood == AccountRecord(plan: .top, asOf: DateValue("2026-10-19")))
    #expect(try await rig.session(account: "other").failure().lastGood == nil)
    for text in ["", "{", #"{"accountId":"default","plan":{"name":""}}"#, "[]"] {
      rig.folder.write("state/plan.json", text)
      #expect(try await rig.session().failure().lastGood == nil)
    }
  }

  @Test func `another file has other companions`() {
    #expect(CompanionFiles(beside: "/a/account.db").paths == ["/a/plan.json", "/a/account-log.jsonl"])
    #expect(CompanionFiles(beside: "/a/b.db").paths == ["/a/b-plan.json", "/a/b-log.jsonl"])
    #expect(CompanionFiles(beside: "/b").paths == ["/b-plan.json", "/b-log.jsonl"])
  }
}
