import ChildProcesses
import Glibc
import RPCShell

/// Accounts in a database of a PostgreSQL server, in tables of a schema `rpcshell`.
///
/// What sessions hold they hold by advisory locks, which the server drops when a connection goes: each session one with
/// its number, whoever writes to an account one for the time of the transaction. Used on one thread at a time.
public final class PostgreSQLEngine: DatabaseEngine, @unchecked Sendable {
  /// Host and database.
  public let name: String
  public let session = Int.random(in: 1..<1 << 62)
  private let url: String
  private let helper: String?
  private let locks: Locks
  private let changes = Changes()
  private var connection: PostgreSQLConnection?
  private var wasOpen = false
  public private(set) var isReadOnly = false
  /// Its number among this session's; nil outside of one.
  private var transaction: Int?
  /// How many there were.
  private var transactions = 0

  /// - Parameters:
  ///   - url: `postgresql://…`; may hold secrets.
  ///   - account: whose changes are reported, and whose writers wait for each other.
  ///   - helper: the program that speaks to the server; by default the one that is installed with this program.
  public init(url: String, account: String, helper: String? = nil) {
    self.url = url
    self.helper = helper
    name = url.postgreSQLName
    locks = Locks(account)
  }

  /// Numbers of advisory locks. Those of sessions are above 0.
  private struct Locks {
    /// Whoever writes to the account.
    let writing: Int
    /// Shared by all who want to hear of changes.
    let watching: Int
    /// Whoever makes tables.
    let schema = -"schema".stableNumber - 1
    let channel: String

    init(_ account: String) {
      writing = -("write " + account).stableNumber - 1
      watching = -("watch " + account).stableNumber - 1
      channel = "rpcshell_\(("watch " + account).stableNumber)"
    }
  }

  // MARK: Opening

  public func open() throws(DatabaseFailure) { _ = try opened() }

  public func openForReading() throws(DatabaseFailure) {
    do throws(DatabaseFailure) { try open() } catch {
      guard error.reason == PostgreSQLFailure.readOnly else { throw error }
      isReadOnly = true
      try open()
    }
  }

  private func opened() throws(DatabaseFailure) -> PostgreSQLConnection {
    if let connection, !connection.isLost { return connection }
    connection = nil
    guard let helper = helper ?? HelperProgram.path(of: "rpcshell-postgres") else {
      throw DatabaseFailure(PostgreSQLFailure.noHelper)
    }
    let new: PostgreSQLConnection
    do throws(PostgreSQLRefusal) {
      new = try PostgreSQLConnection(url, helper: helper) { [changes] in changes.notice() }
    } catch { throw PostgreSQLFailure.failure(PostgreSQLPlace(url) == nil ? error.withoutURL : error) }
    guard new.version >= 140_000 else { throw DatabaseFailure(PostgreSQLFailure.outdated) }
    try prepare(new)
    // What others did in between was not heard of.
    if wasOpen { changes.notice() }
    (connection, wasOpen) = (new, true)
    return new
  }

  /// Settings that promises depend on, whatever they are on the server. A session that has vanished is noticed by the
  /// server within half a minute, one that stops within a transaction is ended.
  private static let settings = [
    "SET search_path = rpcshell", "SET default_transaction_isolation = 'read committed'", "SET lock_timeout = '5s'",
    "SET statement_timeout = '8s'", "SET idle_in_transaction_session_timeout = '30s'", "SET idle_session_timeout = 0",
    "SET tcp_keepalives_idle = 10", "SET tcp_keepalives_interval = 5", "SET tcp_keepalives_count = 3",
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') <> 'remote_apply'",
  ]

  private func prepare(_ connection: PostgreSQLConnection) throws(DatabaseFailure) {
    do throws(PostgreSQLRefusal) {
      guard !isReadOnly else {
        if let refusal = try connection.runAll(Self.settings).refusal { throw refusal }
        return
      }
      let isReadOnly = try connection.run(
        "SELECT (pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean)::integer", [])
      guard isReadOnly == [[.integer(0)]] else { throw PostgreSQLRefusal(.statement, "", state: "25006") }
      let answer = try connection.runAll(
        Self.settings + [
          "SELECT pg_advisory_lock_shared(\(locks.watching))", "LISTEN \(locks.channel)",
          "SELECT pg_try_advisory_lock(\(session))::integer",
        ])
      if let refusal = answer.refusal { throw refusal }
      if answer.results.last?.rows != [[.integer(1)]] { try takeOver(connection) }
    } catch { throw PostgreSQLFailure.failure(error) }
  }

  /// Ends this session's last connection, which the server believes to be there.
  private func takeOver(_ connection: PostgreSQLConnection) throws(PostgreSQLRefusal) {
    let answer = try connection.runAll([
      """
      SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
      AND classid = \(session >> 32) AND objid = \(session & 0xFFFF_FFFF) AND pid <> pg_backend_pid()
      """, "SELECT pg_advisory_lock(\(session))",
    ])
    if let refusal = answer.refusal { throw refusal }
  }

  // MARK: Statements

  @discardableResult
  public func run(_ statement: String, _ parameters: [SQLValue]) throws(DatabaseFailure) -> [[SQLValue]] {
    try asking { connection throws(PostgreSQLRefusal) in try connection.run(statement, parameters) }
  }

  /// Does something that may be done again where the connection was lost, unless it is a part of a transaction.
  private func asking<Value>(
    _ work: (PostgreSQLConnection) throws(PostgreSQLRefusal) -> Value
  ) throws(DatabaseFailure) -> Value {
    guard transaction == nil else {
      guard let connection else { throw DatabaseFailure(PostgreSQLFailure.undone) }
      do throws(PostgreSQLRefusal) { return try work(connection) } catch {
        throw error.kind == .lost ? DatabaseFailure(PostgreSQLFailure.undone) : PostgreSQLFailure.failure(error)
      }
    }
    let first = try opened()
    do throws(PostgreSQLRefusal) { return try work(first) } catch {
      // Who did not answer is not asked again: whoever waits has waited long enough.
      guard error.kind == .lost else { throw PostgreSQLFailure.failure(error) }
    }
    let second = try opened()
    do throws(PostgreSQLRefusal) { return try work(second) } catch { throw PostgreSQLFailure.failure(error) }
  }

  // MARK: Transactions

  public func begin() throws(DatabaseFailure) {
    let writing = locks.writing
    try asking { connection throws(PostgreSQLRefusal) in
      let answer = try connection.runAll([
        "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", "SELECT pg_advisory_xact_lock(\(writing))",
      ])
      guard let refusal = answer.refusal else { return }
      // What has begun is over, so that the next can begin.
      if !refusal.isLost { _ = try connection.runAll(["ROLLBACK"]) }
      throw refusal
    }
    transactions += 1
    transaction = transactions
  }

  public func commit() throws(DatabaseFailure) {
    guard let connection, let transaction else { throw DatabaseFailure(PostgreSQLFailure.undone) }
    do throws(PostgreSQLRefusal) {
      // Notifying is a transaction of its own: all that notify wait for each other to reach the disk. The server does it
      // even if this process ends meanwhile. Where nobody else listens it is left out.
      let answer = try connection.runAll([
        mark(transaction), "COMMIT",
        "SELECT pg_notify('\(locks.channel)', '') WHERE NOT pg_try_advisory_xact_lock(\(locks.watching))",
      ])
      // The answer to the commit of what has failed is ROLLBACK.
      guard !answer.results.contains(where: { $0.tag == "COMMIT" }) else { return self.transaction = nil }
      throw answer.refusal ?? PostgreSQLRefusal(.statement, "the transaction had failed before")
    } catch {
      guard error.isLost else { throw PostgreSQLFailure.failure(error) }
      self.transaction = nil
      guard error.kind == .lost else { throw DatabaseFailure(PostgreSQLFailure.unknown) }
      try findOut(transaction)
    }
  }

  public func rollback() {
    guard transaction != nil else { return }
    transaction = nil
    guard let connection, !connection.isLost else { return }
    let answer = try? connection.runAll(["ROLLBACK"])
    if answer?.refusal != nil { self.connection = nil }
  }

  /// Leaves a transaction's number with what it wrote, unless it wrote nothing.
  ///
  /// The server's own numbers (`pg_xact_status`) do not say what became of a transaction: those that a crash took with it
  /// are given again. In one message with the commit, this is no way to the server more; as one row for each account,
  /// whose writers wait for each other anyway, it neither grows nor holds anybody up.
  private func mark(_ transaction: Int) -> String {
    """
    INSERT INTO commits (place, session, number) SELECT \(locks.writing), \(session), \(transaction)
    WHERE pg_current_xact_id_if_assigned() IS NOT NULL
    ON CONFLICT (place) DO UPDATE SET session = excluded.session, number = excluded.number
    """
  }

  /// Seconds for which the server is asked what became of a transaction, as while it starts again.
  private static let patience = 10.0

  /// Asks what became of a transaction whose commit was not answered: it is never done again unless it was not done.
  /// - Throws: unless it was.
  private func findOut(_ transaction: Int) throws(DatabaseFailure) {
    let deadline = MonotonicTime.now.advanced(by: .seconds(Self.patience))
    repeat {
      if let last = lastCommit() {
        if last == [.integer(session), .integer(transaction)] { return }
        // Another session's stands in the place of this one's, or of the one before.
        let isOurs = last.isEmpty || last.first == .integer(session)
        throw DatabaseFailure(isOurs ? PostgreSQLFailure.undone : PostgreSQLFailure.unknown)
      }
      poll(nil, 0, 100)
    } while MonotonicTime.now < deadline
    throw DatabaseFailure(PostgreSQLFailure.unknown)
  }

  /// The session and the number of the account's last commit, once this session's last connection is gone with all that
  /// it was about to do.
  /// - Returns: empty where there is none; nil where that cannot be asked now.
  private func lastCommit() -> [SQLValue]? {
    guard let connection = try? opened() else { return nil }
    do throws(PostgreSQLRefusal) {
      return try connection.run("SELECT session, number FROM commits WHERE place = \(locks.writing)", []).first ?? []
    } catch {
      // The transaction would have made the table.
      return error.state == "42P01" ? [] : nil
    }
  }

  // MARK: Versions

  public func schemaVersion() throws(DatabaseFailure) -> Int {
    if transaction != nil { try prepareSchema() }
    guard case .text = try run("SELECT to_regclass('rpcshell.schema_version')::text").first?.first else { return 0 }
    guard case .integer(let version) = try run("SELECT version FROM schema_version").first?.first else { return 0 }
    return version
  }

  /// Whoever asks in a transaction is about to make tables: one does so at a time, whatever account it is about.
  private func prepareSchema() throws(DatabaseFailure) {
    try run("SELECT pg_advisory_xact_lock($1)", [.integer(locks.schema)])
    guard try run("SELECT to_regnamespace('rpcshell')::text") == [[.null]] else { return }
    try run("CREATE SCHEMA rpcshell")
  }

  public func setSchemaVersion(_ version: Int) throws(DatabaseFailure) {
    try run("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)")
    try run("DELETE FROM schema_version")
    try run("INSERT INTO schema_version (version) VALUES ($1)", [.integer(version)])
  }

  public func problems() throws(DatabaseFailure) -> [String] {
    // Reads every row; the server fails where one is damaged.
    for table in ["account", "journal"] { try run("SELECT COUNT(read::text) FROM \(table) AS read") }
    return []
  }

  // MARK: Others

  public func isAlive(_ session: Int) throws(DatabaseFailure) -> Bool {
    if session == self.session { return true }
    // Shared, so that two who look do not find each other.
    let isFree = try run("SELECT pg_try_advisory_xact_lock_shared($1)::integer", [.integer(session)])
    return isFree != [[.integer(1)]]
  }

  public func watch(_ noticed: @escaping @Sendable () -> Void) { changes.watch(noticed) }

  public func wasChanged() throws(DatabaseFailure) -> Bool {
    do throws(DatabaseFailure) { try run("SELECT 1") } catch {
      // Nobody hears of changes until there is a connection again.
      changes.noticeLater()
      throw error
    }
    return changes.take()
  }
}
