import AccountModel
import Glibc
import RPCShell
import Testing

@testable import AccountDatabase
@testable import StoreTool

/// Stores in processes of their own: that are killed, are other users', have no room left.
@Suite(.timeLimit(.usualMinutes(5)))
struct AccountDatabaseProcessTests {
  private static let needsRoot = Comment("only root may mount and change users")
  private static var isRoot: Bool { geteuid() == 0 }

  private let folder = try! TemporaryFolder(in: "/dev/shm")
  private var database: String { folder.at("account.db") }

  /// Runs a script that calls `"$tool"` on `"$base"` in the folder `"$in"`.
  private func run(_ script: String) async throws -> RunningShell.Ending {
    var setup = RunningShell.Setup("/bin/bash", ["-c", script])
    let tool = getenv("STORETOOL_BINARY").map { String(cString: $0) } ?? Binary.root + "/.build/debug/StoreTool"
    setup.environment = ["tool": tool, "base": database, "in": folder.path]
    return try await RunningShell.run(setup, input: "")
  }

  private func session() -> StoreSession {
    let store = AccountDatabase(
      SQLiteEngine(path: database), AccountDatabase.Settings(), executor: LoopExecutor(), now: { 1000 }, log: { _ in })
    return StoreSession(store)
  }

  // MARK: Kills

  @Test func `whenever it is killed, nothing that was answered is lost, and nothing is half done`() async throws {
    for step in 1... {
      for name in folder.list() { unlink(folder.at(name)) }
      let ending = try await run(
        #"exec "$tool" "$base" --kill-at \#(step) keep Plus begin k onUpgrade end k completed Studio"#)
      let said = ending.texts
      let session = session()
      let record = try await session.load()
      let history = try await session.history()
      if said.contains("kept") { #expect(record.plan != nil) }
      if said.contains("begun") { #expect(history.count == 1) }
      if said.contains("ended") { #expect(history == ["k=completed"]) }
      switch history {
      case []: #expect(record.plan?.name != "Studio")
      case ["k=interrupted"]:
        #expect(record.plan?.name == "Plus" && record.interrupted.map(\.key) == ["k"])
        #expect(try await session.begin("k") == .begun)
      case ["k=completed"]: #expect(record.plan?.name == "Studio" && record.interrupted == [])
      default: Issue.record("step \(step): \(history)")
      }
      #expect(try await session.store.check().get().get().version == Migrations.current)
      if ending.exit != .signal(SIGKILL) {
        #expect(ending.exit == .status(0) && said == ["kept", "begun", "ended"] && step > 30, "\(step) \(ending)")
        return
      }
    }
  }

  @Test func `an action is free at once when the process that ran it is killed`() async throws {
    let ending = try await run(
      #"""
      "$tool" "$base" begin one onUpgrade shell 'kill -9 $PPID'
      "$tool" "$base" begin two onRestore load history
      """#)
    #expect(
      ending.texts == ["begun", "begun", "plan none interrupted one", "history two=running one=interrupted"],
      "\(ending)")
  }

  @Test func `processes exclude each other while they live`() async throws {
    let ending = try await run(
      #"""
      "$tool" "$base" begin one onUpgrade shell '"$tool" "$base" begin two onRestore begin one onUpgrade load' \
        end one pending
      "$tool" "$base" begin one onUpgrade begin two onRestore
      """#)
    #expect(
      ending.texts == [
        "begun", "busy onUpgrade", "busy onUpgrade", "plan none interrupted ", "ended", "ended pending", "begun",
      ], "\(ending)")
  }

  // MARK: No room

  @Test(.enabled(if: isRoot, needsRoot))
  func `a full disk refuses, and an end is written once there is room`() async throws {
    let ending = try await run(
      #"""
      export tool base in; exec unshare -m --propagation private bash -c '
      mount -t tmpfs -o size=512k none "$in"
      "$tool" "$base" keep Plus begin k onUpgrade shell "head -c 1M /dev/zero > $in/fill 2>/dev/null" begin m onManage end k completed Studio load \
        shell "rm $in/fill" load history'
      """#)
    let full =
      "failed The account store \(database) cannot be written: no space is left on the device; make room and try again"
    #expect(
      ending.texts == [
        "kept", "begun", full, full, full, "plan Studio interrupted ", "history k=completed",
      ], "\(ending)")
  }

  // MARK: Rights and locks

  /// Runs commands of the tool as nobody.
  private func runAsNobody(_ commands: String, before: String) async throws -> [String] {
    let ending = try await run(
      #"""
      cp "$tool" "$in/tool"; chmod 755 "$in" "$in/tool"; mkdir "$in/d"; base=$in/d/account.db
      chown 65534 "$in/d"
      as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$in/tool" "$base" "$@"; }
      as_nobody keep Plus; \#(before); as_nobody \#(commands)
      """#)
    #expect(ending.texts.first == "kept", "\(ending)")
    return ending.texts.dropFirst().map { $0.replacing(folder.path, with: "F") }
  }

  @Test(
    .enabled(if: isRoot, needsRoot),
    arguments: [
      ("chmod 400 $base", "can only be read; let this user write it and the folder that it is in"),
      (
        "chmod 0 $base",
        "cannot be opened or written: Permission denied; let this user write it and the folder that it is in"
      ),
      (
        "chmod 500 $in/d; rm -f $base-wal $base-shm",
        "can only be read; let this user write it and the folder that it is in"
      ),
      ("chmod 0 $in/d", "cannot be opened: Permission denied; let this user write it and the folder that it is in"),
      (
        "rm $in/d/*; chmod 500 $in/d",
        "cannot be made: Permission denied; let this user write it and the folder that it is in"
      ),
    ])
  func `who has no right to it is told`(before: String, reason: String) async throws {
    let said = try await runAsNobody("load", before: before)
    #expect(said == ["failed The account store F/d/account.db \(reason)"])
  }

  @Test(
    .enabled(if: isRoot, needsRoot),
    arguments: [
      "chmod 400 $base", "chmod 500 $in/d; rm -f $base-wal $base-shm", "chmod 400 $base; chmod 500 $in/d",
      "chmod 400 $base $base-lock; chmod 500 $in/d", "rm $base-lock; chmod 500 $in/d; chmod 400 $base",
    ])
  func `what can only be read can be exported, and is not checked as good`(before: String) async throws {
    let settled =
      "as_nobody begin k onUpgrade; python3 -c 'import sqlite3; sqlite3.connect(\"'$base'\").execute(\"SELECT 1 FROM journal\").fetchall()'"
    let said = try await runAsNobody("export load check", before: "\(settled); \(before)")
    #expect(said.count == 4 && said[0] == "begun", "\(said)")
    #expect(said.count == 4 && said[1].contains(#""name":"Plus""#) && said[1].contains(#""outcome":"interrupted""#))
    #expect(
      said.suffix(2) == Array(repeating: "failed The account store F/d/account.db \(SQLiteFile.readOnly)", count: 2))
  }

  @Test(.enabled(if: isRoot, needsRoot))
  func `what cannot be read without writing is said`() async throws {
    let said = try await runAsNobody(
      "export", before: "as_nobody begin k onUpgrade shell 'kill -9 $PPID'; rm $base-shm; chmod 500 $in/d")
    #expect(
      said.count == 2
        && said[1].hasSuffix("copy F/d/account.db and F/d/account.db-wal to another folder, and export the copy"),
      "\(said)")
  }

  @Test(arguments: [
    ("mkfifo $base-wal", "cannot be used: F/account.db-wal is something that is no regular file; move that away"),
    ("mkdir $base-wal", "cannot be used: F/account.db-wal is a folder; move that away"),
    ("mkdir $base-shm", "cannot be used: F/account.db-shm is a folder; move that away"),
    ("rm $base-lock; mkdir $base-lock", "cannot be used: F/account.db-lock is a folder; move that away"),
    (
      "rm $base; ln -s $in/gone $base",
      "is a link to F/gone, which is not there; put the file there, or remove the link to start over"
    ),
    (
      "execute 'PRAGMA user_version = -1'",
      "has tables of version -1, which no rpcshell wrote (this one knows 1 to \(Migrations.current)); put a copy in its place"
    ),
    (
      "execute \"UPDATE account SET plan = x'00ff'\"",
      "holds something that cannot be read (the plan); put a copy in its place, or use a later rpcshell"
    ),
    ("ulimit -n 6", "cannot be opened or written: too many files are open; close some, or raise the limit (ulimit -n)"),
  ])
  func `a check finds what a session finds`(before: String, reason: String) async throws {
    let ending = try await run(
      #"""
      execute() {
        python3 -c 'import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()' "$base" "$1"
      }
      "$tool" "$base" keep Plus; execute "SELECT 1 FROM account"; rm -f "$base"-wal "$base"-shm
      \#(before); "$tool" "$base" load; "$tool" "$base" check
      """#)
    let line = "failed The account store F/account.db \(reason)"
    #expect(ending.texts.map { $0.replacing(folder.path, with: "F") } == ["kept", line, line], "\(ending)")
  }

  @Test func `a database that another process holds is given up after a while`() async throws {
    let ending = try await run(
      #"""
      "$tool" "$base" keep Plus
      python3 -c 'import sqlite3, sys, subprocess
      base = sqlite3.connect(sys.argv[1]); base.execute("BEGIN IMMEDIATE")
      subprocess.run(sys.argv[2:])' "$base" "$tool" "$base" load begin k onUpgrade load
      "$tool" "$base" begin k onUpgrade
      """#)
    #expect(
      ending.texts == [
        "kept", "plan Plus interrupted ",
        "failed The account store \(database) is held by another process; end that, or try again",
        "plan Plus interrupted ", "begun",
      ], "\(ending)")
  }
}
