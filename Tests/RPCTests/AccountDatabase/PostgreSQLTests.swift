import AccountModel
import Glibc
import RPCShell
import Testing

@testable import AccountDatabase
@testable import StoreTool

/// What may happen to a server and to the way to it.
@Suite(.timeLimit(.usualMinutes(5)), .enabled(if: TestServer.isThere, TestServer.isMissing))
struct PostgreSQLTests {
  private let rig: StoreRig
  private var database: TestDatabase { rig.database! }

  init() throws { rig = try StoreRig(.postgresql) }

  /// Why a store on a URL cannot be loaded, without its name.
  private func refusal(_ url: String, helper: String = TestServer.helper) async throws -> String {
    let engine = PostgreSQLEngine(url: url, account: "default", helper: helper)
    let store = AccountDatabase(
      engine, AccountDatabase.Settings(), executor: LoopExecutor(), now: { 1000 }, log: { _ in })
    let message = try await StoreSession(store).failure().message
    let start = "The account store \(engine.name) "
    #expect(message.hasPrefix(start) && !message.contains("secret"), "\(message)")
    return String(message.dropFirst(start.count))
  }

  // MARK: Connections that break

  @Test func `whenever its connection breaks, what was answered is kept, and nothing is done twice`() async throws {
    for breaking in 1... {
      try database.execute("DROP SCHEMA IF EXISTS rpcshell CASCADE")
      let reached = Locked(0)
      let session = rig.session { [database] step throws(DatabaseFailure) in
        reached.withLock { $0 = max($0, step.number) }
        guard step.number == breaking else { return }
        do { try database.endConnections() } catch { throw DatabaseFailure("\(error)") }
      }
      func twice<Value>(_ work: () async throws -> Value) async throws -> Value {
        do { return try await work() } catch let failure as StoreFailure {
          #expect(failure.message.hasSuffix(" lost its connection; nothing was written, try again"))
          return try await work()
        }
      }
      try await twice { try await session.keep(.plus) }
      #expect(try await twice { try await session.begin("k") } == .begun)
      try await twice { try await session.end("k", plan: .top) }
      #expect(try await rig.session().kept() == AccountRecord(plan: .top))
      #expect(try await rig.session().history() == ["k=completed"])
      #expect(try await session.load().plan == .top)
      if reached.withLock({ $0 }) < breaking {
        #expect(breaking > 20)
        return
      }
    }
  }

  @Test func `a session that was cut off takes its place again, also where the server does not know yet`() async throws
  {
    let session = rig.session()
    #expect(try await session.begin("k") == .begun)
    let other = rig.session()
    // The helper stops, so that nobody tells the server that it will be gone.
    try database.endConnections()
    #expect(try await session.load().interrupted == [])
    #expect(try await other.begin("o") == .busy(.onUpgrade))
    try await session.end("k")
    #expect(try await other.history() == ["k=completed"])
  }

  // MARK: Commits whose answer is lost

  /// A helper that says which process it is.
  private func namedHelper() -> String {
    let path = rig.folder.write(
      "helper", "#!/bin/sh\necho $$ >'\(rig.folder.at("helper.pid"))'\nexec '\(TestServer.helper)'\n")
    chmod(path, 0o755)
    return path
  }

  private var helperID: pid_t { pid_t(TemporaryFile.read(rig.folder.at("helper.pid")).dropLast()) ?? 0 }

  /// Ends an action, and has its commit wait on the server until `meanwhile` was done and its helper is gone.
  private func endLosingTheAnswer(
    _ session: StoreSession, _ meanwhile: () throws -> Void
  ) async throws -> Result<Void, StoreFailure> {
    try database.execute(
      """
      CREATE FUNCTION rpcshell.hold() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER hold AFTER UPDATE ON rpcshell.journal DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION rpcshell.hold()
      """)
    let holder = try PostgreSQLConnection(database.url, helper: TestServer.helper) {}
    _ = try holder.run("SELECT pg_advisory_lock(4711)", [])
    let end = session.store.end("k", IntentOutcome(.completed, plan: .top, time: 2000))
    try database.wait(
      for:
        "SELECT 1 FROM pg_stat_activity WHERE datname = '\(database.name)' AND query LIKE '%; COMMIT;%' AND wait_event = 'advisory'"
    )
    kill(helperID, SIGKILL)
    try meanwhile()
    _ = try holder.run("SELECT pg_advisory_unlock(4711)", [])
    return await end.get()
  }

  private func sessionWithNamedHelper() -> StoreSession {
    let engine = PostgreSQLEngine(url: database.url, account: "default", helper: namedHelper())
    let store = AccountDatabase(
      engine, AccountDatabase.Settings(), executor: LoopExecutor(), now: { 1000 }, log: { _ in })
    return StoreSession(store)
  }

  @Test func `a commit whose answer was lost is asked for, and not done again`() async throws {
    let session = sessionWithNamedHelper()
    #expect(try await session.begin("k") == .begun)
    try await endLosingTheAnswer(session) {}.get()
    #expect(try await session.kept() == AccountRecord(plan: .top))
    #expect(try await rig.session().history() == ["k=completed"])
  }

  @Test func `a commit whose answer was lost and that the server gave up is done with the next call`() async throws {
    let session = sessionWithNamedHelper()
    #expect(try await session.begin("k") == .begun)
    let end = try await endLosingTheAnswer(session) {
      try TestServer.execute(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE query LIKE '%; COMMIT;%' AND datname = '\(database.name)'"
      )
    }
    #expect(throws: StoreFailure.self) { try end.get() }
    try database.execute("DROP TRIGGER hold ON rpcshell.journal")
    #expect(try await session.kept() == AccountRecord(plan: .top))
    #expect(try await session.history() == ["k=completed"])
  }

  // MARK: Secrets

  @Test func `nobody can read the password but libpq`() async throws {
    let url = TestServer.url(of: database.name, user: "guarded:right")
    try TestServer.execute("GRANT CREATE ON DATABASE \(database.name) TO guarded")
    let engine = PostgreSQLEngine(url: url, account: "default", helper: namedHelper())
    try engine.open()
    for file in ["cmdline", "environ"] {
      let descriptor = open("/proc/\(helperID)/\(file)", O_RDONLY | O_CLOEXEC)
      let content = String(decoding: readAll(descriptor), as: UTF8.self)
      close(descriptor)
      #expect(!content.contains("right") && content.contains("rpcshell-postgres") || file == "environ", "\(content)")
    }
    #expect(engine.name == "postgresql://\(TestServer.url!.split(separator: "=").last!)/\(database.name)")
  }

  // MARK: What refuses

  @Test func `what the server refuses is said with what to do`() async throws {
    let socket = String(TestServer.url!.split(separator: "=").last!)
    let connection = "connection to server on socket \"\(socket)/.s.PGSQL.5432\" failed: "
    let database = database.name
    for (url, reason) in [
      (
        TestServer.url(of: database, user: "guarded:secret"),
        "refuses the user: \(connection)FATAL:  password authentication failed for user \"guarded\"; correct user and password in the store's URL, PGPASSWORD or ~/.pgpass"
      ),
      (
        TestServer.url(of: database, user: "nobody:secret"),
        "refuses the user: \(connection)FATAL:  role \"nobody\" does not exist; correct user and password in the store's URL, PGPASSWORD or ~/.pgpass"
      ),
      (
        TestServer.url(of: "nothing"),
        "is not there: \(connection)FATAL:  database \"nothing\" does not exist; make it with createdb, or name another in the store's URL"
      ),
      (
        "postgresql://me:secret@/podcasts?host=/nowhere",
        "cannot be reached: connection to server on socket \"/nowhere/.s.PGSQL.5432\" failed: No such file or directory; start the server, or correct the store's URL"
      ),
      (
        "postgresql://me:secret@[::1/podcasts?x=secret",
        "cannot be used: its URL can be read in several ways: in a password, @ is written %40, / is %2F, ? is %3F, & is %26; correct the store's URL"
      ),
      (
        TestServer.url(of: database, user: "guarded:right"),
        "refuses what is needed: permission denied for database \(database); let its owner grant that"
      ),
    ] {
      #expect(try await refusal(url) == reason, "\(url)")
    }
  }

  @Test func `without the helper it says what is missing`() async throws {
    #expect(
      try await refusal(database.url, helper: "/nowhere/rpcshell-postgres")
        == PostgreSQLFailure.noHelper + " (cannot start '/nowhere/rpcshell-postgres': No such file or directory)")
    let broken = rig.folder.write("broken", "#!/bin/sh\nexit 127\n")
    chmod(broken, 0o755)
    #expect(
      try await refusal(database.url, helper: broken)
        == PostgreSQLFailure.noHelper + " (rpcshell-postgres ended: exit status 127)")
  }

  @Test func `what can only be read is not used`() async throws {
    #expect(try await rig.session(initial: .plus).load().plan == .plus)
    let session = rig.session()
    #expect(try await session.begin("k") == .begun)
    try TestServer.execute("ALTER DATABASE \(database.name) SET default_transaction_read_only = on")
    #expect(try await rig.session().failure().message.hasSuffix(" " + PostgreSQLFailure.readOnly))
    #expect(try await rig.session().failure().lastGood == AccountRecord(plan: .plus))
    let export = try await rig.session().store.export().get().get()
    #expect("\(export)".contains(#""name":"Plus""#) && "\(export)".contains(#""outcome":null"#), "the action runs")
    // Who is in already has said that he writes.
    try await session.end("k")
  }

  @Test func `what a later version wrote is left to that`() async throws {
    _ = try await rig.session().load()
    try database.execute("UPDATE rpcshell.schema_version SET version = 7")
    #expect(
      try await refusal(database.url)
        == "was written by a later rpcshell (version 7; this one knows up to \(Migrations.current)); use that one")
  }

  @Test func `who is kept waiting gives up`() async throws {
    let session = rig.session(initial: .plus)
    _ = try await session.load()
    let holder = try PostgreSQLConnection(database.url, helper: TestServer.helper) {}
    _ = try holder.runAll(["BEGIN", "LOCK TABLE rpcshell.account IN EXCLUSIVE MODE"])
    await #expect(throws: StoreFailure.self) { try await session.keep(.top) }
    #expect(try await session.load().plan == .plus)
    _ = try holder.runAll(["ROLLBACK"])
    try await session.keep(.top)
    #expect(try await session.load().plan == .top)
  }

  // MARK: Accounts

  @Test func `accounts do not wait for each other`() async throws {
    let (one, other) = (rig.session(account: "one"), rig.session(account: "other"))
    #expect(try await one.begin("k") == .begun)
    let engine = database.engine(account: "one")
    try engine.open()
    try engine.begin()
    #expect(try await other.begin("k") == .begun)
    try await other.end("k", plan: .top)
    engine.rollback()
    try await one.end("k")
  }
}
