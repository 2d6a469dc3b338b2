import AccountModel
import Glibc
import RPCShell
import Testing

@testable import AccountDatabase
@testable import StoreTool

/// Account files that were lost in whole or in part, and files with several names.
@Suite(.timeLimit(.usualMinutes(2)))
struct SQLiteLossTests {
  private let folder = try! TemporaryFolder(in: "/dev/shm")
  private var base: String { folder.at("account.db") }

  /// Runs a script that calls `"$tool"` on `"$base"` in the folder `"$in"`.
  private func run(_ script: String) async throws -> [String] {
    var setup = RunningShell.Setup("/bin/bash", ["-c", script])
    let tool = getenv("STORETOOL_BINARY").map { String(cString: $0) } ?? Binary.root + "/.build/debug/StoreTool"
    setup.environment = ["tool": tool, "base": base, "in": folder.path]
    return try await RunningShell.run(setup, input: "").texts.map { $0.replacing(folder.path, with: "F") }
  }

  /// Keeps an action, and is killed, so that SQLite leaves everything where it is.
  private static let used = #"""
    "$tool" "$base" keep Plus begin k onUpgrade end k completed Studio shell 'kill -9 $PPID'

    """#
  private static let said = ["kept", "begun", "ended"]

  // MARK: Loss

  @Test(arguments: [
    ("rm $base", "is not there, but F/account.db-lock says it was: put it back, or move that away, too, to start over"),
    (
      "rm $base $base-wal $base-shm",
      "is not there, but F/account.db-lock says it was: put it back, or move that away, too, to start over"
    ),
    (
      ": >$base",
      "is empty, but what is beside it says it was not: put a copy in its place, or move it, F/account.db-lock, F/plan.json and F/account-log.jsonl away to start over"
    ),
    (
      "rm $base-*; : >$base",
      "is empty, but what is beside it says it was not: put a copy in its place, or move it, F/account.db-lock, F/plan.json and F/account-log.jsonl away to start over"
    ),
    (
      "rm $base-wal",
      "lacks what was written last: its -wal file is missing, or it is an older copy; put that right, or move F/account.db-lock away to go on without what is missing"
    ),
  ])
  func `what was kept and is gone is never begun anew by itself`(loss: String, reason: String) async throws {
    let said = try await run(Self.used + "\(loss)\n" + #""$tool" "$base" load begin k onUpgrade"#)
    #expect(said == Self.said + Array(repeating: "failed The account store F/account.db \(reason)", count: 2))
    #expect(TemporaryFile.read(base).count == 0 || loss.hasSuffix("-wal"), "nothing was made")
  }

  @Test func `an older copy is not taken for what there was, until somebody says so`() async throws {
    let said = try await run(
      #"""
      settle() {
        python3 -c 'import sqlite3,sys; sqlite3.connect(sys.argv[1]).execute("SELECT 1 FROM account").fetchall()' "$base"
      }
      "$tool" "$base" keep Plus; settle; cp "$base" "$in/copy"
      "$tool" "$base" begin k onUpgrade end k completed Studio; settle
      cp "$in/copy" "$base"; "$tool" "$base" load; "$tool" "$base" load
      mv "$base-lock" "$in/old"; "$tool" "$base" load history
      """#)
    #expect(said.count == 7 && said[3] == said[4] && said[3].contains(" lacks what was written last: "), "\(said)")
    #expect(said.suffix(2) == ["plan Plus interrupted ", "history "])
  }

  @Test func `a session whose log is removed stops, and the next has all`() async throws {
    let said = try await run(
      #"""
      "$tool" "$base" keep Plus shell 'rm "$base-wal"' load begin k onUpgrade
      "$tool" "$base" load begin k onUpgrade
      """#)
    let lost = "failed The account store F/account.db \(SQLiteFile.withoutLog)"
    #expect(said == ["kept", lost, lost, "plan Plus interrupted ", "begun"])
  }

  @Test func `what is new beside an old log says so`() async throws {
    let said = try await run(Self.used + #"rm "$base" "$base"-*; "$tool" "$base" load begin k onUpgrade"#)
    #expect(
      said == Self.said + [
        "log F/account.db is new: the actions that F/account-log.jsonl tells of are not in it",
        "plan none interrupted ", "begun",
      ])
  }

  @Test func `the first sessions make a file together`() async throws {
    let said = try await run(
      #"for _ in 1 2 3 4 5 6; do "$tool" "$base" load & done; wait; "$tool" "$base" keep Plus load"#)
    #expect(said == Array(repeating: "plan none interrupted ", count: 6) + ["kept", "plan Plus interrupted "])
  }

  @Test func `what was kept before commits were counted is counted from then on`() async throws {
    let said = try await run(
      #"""
      "$tool" "$base" keep Plus begin k onUpgrade end k completed Studio
      python3 -c 'import sqlite3,sys
      c = sqlite3.connect(sys.argv[1]); c.execute("DROP TABLE commits")
      c.execute("ALTER TABLE account DROP COLUMN catalogue"); c.execute("PRAGMA user_version = 1"); c.commit()' "$base"
      printf '\0' >"$base-lock"
      "$tool" "$base" load history begin m onManage shell 'rm "$base"' load
      """#)
    #expect(said.dropFirst(3).prefix(3) == ["plan Studio interrupted ", "history k=completed", "begun"], "\(said)")
    #expect(TemporaryFile.read(base + "-lock").utf8.count == 8)
  }

  // MARK: Names

  @Test func `sessions that come by different names see each other`() async throws {
    let said = try await run(
      #"""
      mkdir "$in/real" "$in/links"; ln -s "$in/real" "$in/folder"; ln -s ../real/account.db "$in/links/mine"
      ln -s mine "$in/links/again"; base=$in/real/account.db
      "$tool" "$base" keep Plus begin k onUpgrade shell '
        for name in links/mine links/again folder/account.db; do
          "$tool" "$in/$name" load begin k onUpgrade begin other onRestore
        done' end k completed Studio
      "$tool" "$in/links/again" load; ls "$in/links" "$in/real" | grep -ve -wal -e -shm
      """#)
    let seen = ["plan Plus interrupted ", "busy onUpgrade", "busy onUpgrade"]
    #expect(
      said == ["kept", "begun"] + seen + seen + seen + [
        "ended", "plan Studio interrupted ", "F/links:", "again", "mine", "", "F/real:", "account-log.jsonl",
        "account.db", "account.db-lock", "plan.json",
      ])
  }

  @Test func `changes are noticed under every name`() async throws {
    let (real, link) = (folder.at("account.db"), folder.at("link.db"))
    let session = session(real)
    try await session.keep(.plus)
    symlink("account.db", link)
    let executor = LoopExecutor()
    let other = self.session(link, executor)
    #expect(try await other.load().plan == .plus)
    let changed = Later<Void>()
    other.store.watch { changed.set(()) }
    // It looks once by itself.
    #expect(try await other.load().plan == .plus)
    try await session.keep(.top)
    startThread { executor.run { _ = try? await changed.value } }
    try await changed.value
    #expect(try await other.load().plan == .top)
    #expect(folder.list().filter { $0.hasPrefix("link") } == ["link.db"])
  }

  @Test func `a link that leads elsewhere than it did is noticed`() async throws {
    let link = folder.at("link.db")
    symlink("one.db", link)
    try await session(folder.at("one.db")).keep(.plus)
    let session = session(link)
    #expect(try await session.load().plan == .plus)
    unlink(link)
    symlink("two.db", link)
    #expect(try await session.failure().message == "The account store \(link) \(SQLiteFile.moved)")
  }

  @Test func `a link that leads nowhere is said, and nothing is made there`() async throws {
    let link = folder.at("link.db")
    symlink("gone/account.db", link)
    folder.makeFolder("gone")
    let message = try await session(link).failure().message
    let reason = "is a link to \(folder.path)/gone/account.db, which is not there; "
    #expect(
      message == "The account store \(link) \(reason)put the file there, or remove the link to start over")
    #expect(folder.list("gone") == [])
  }

  private func session(_ path: String, _ executor: LoopExecutor = LoopExecutor()) -> StoreSession {
    let settings = AccountDatabase.Settings(companions: CompanionFiles(beside: path))
    return StoreSession(
      AccountDatabase(
        SQLiteEngine(path: path), settings, executor: executor, now: { 1000 }, log: { _ in }))
  }
}
