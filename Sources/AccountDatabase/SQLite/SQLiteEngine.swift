import CSQLite
import Glibc

/// An account's database in a file (SQLite), with its folder for its owner alone.
///
/// Used on one thread at a time, but for the watch, which has its own.
public final class SQLiteEngine: DatabaseEngine, @unchecked Sendable {
  /// The file.
  public let name: String
  private let busySeconds: Double
  /// While it is open.
  private var file: SQLiteFile?
  private var connection: SQLiteConnection?
  private var lock: SessionLock?
  private var watch: FileWatch?
  /// Whether SQLite keeps a log beside the file, as it does unless somebody told it otherwise.
  private var hasLog = false
  /// Rows that were changed before the transaction.
  private var changes = 0
  public private(set) var isReadOnly = false
  private var lastChange: [[SQLValue]] = []

  /// Says in the file that it is ours (`PRAGMA application_id`): "rpcs".
  private static let applicationID = 0x7270_6373

  /// - Parameters:
  ///   - path: absolute. The folder and the file are made when it is opened and they are missing.
  ///   - busySeconds: how long others may hold the file.
  public init(path: String, busySeconds: Double = 5) {
    name = path
    self.busySeconds = busySeconds
  }

  /// Whether nothing was ever kept in a file: neither it is there nor what says that it was.
  public static func isUnused(_ path: String) -> Bool { SQLiteFile.isUnused(path) }

  // MARK: Opening

  public func open() throws(DatabaseFailure) {
    guard !isReadOnly else { throw DatabaseFailure(SQLiteFile.readOnly) }
    if let connection, let file { return try check(connection, of: file) }
    let file = SQLiteFile(named: name)
    let content = try file.content()
    let made = content == .some ? nil : try make(file, content)
    let connection = try SQLiteConnection(file.path, busySeconds: busySeconds)
    guard !connection.isReadOnly else { throw DatabaseFailure(SQLiteFile.readOnly) }
    let lock = if let made { made } else { try SessionLock(file) }
    if try !Self.isOurs(connection) {
      // SQLite would refuse, and not wait for, another that does the same.
      try lock.alone(seconds: busySeconds) { () throws(DatabaseFailure) in try Self.claim(connection) }
    }
    guard try Self.hasAll(lock.commits ?? 0, connection) else { throw file.lost(.some) }
    // A committed transaction is on disk: WAL alone would leave that to the next checkpoint.
    try connection.run("PRAGMA synchronous = FULL")
    lastChange = try connection.run("PRAGMA data_version")
    (self.file, self.connection, self.lock) = (file, connection, lock)
    hasLog = access(file.logPath, F_OK) == 0
  }

  public func openForReading() throws(DatabaseFailure) {
    guard !isReadOnly else { return }
    do throws(DatabaseFailure) { try open() } catch {
      let file = SQLiteFile(named: name)
      guard try file.content() == .some, !file.isWritable, access(file.path, R_OK) == 0 else { throw error }
      let connection = try Self.reader(file, busySeconds)
      let lock = SessionLock(reading: file)
      guard try Self.isOurs(connection) else { throw DatabaseFailure(SQLiteFile.otherApps) }
      guard try Self.hasAll(lock.commits ?? 0, connection) else { throw file.lost(.some) }
      (self.file, self.connection, self.lock) = (file, connection, lock)
      isReadOnly = true
    }
  }

  /// A connection that reads. SQLite wants to write beside a database, too, unless others have made what is needed there,
  /// or nobody is at work on it.
  private static func reader(_ file: SQLiteFile, _ busySeconds: Double) throws(DatabaseFailure) -> SQLiteConnection {
    do throws(DatabaseFailure) {
      let connection = try SQLiteConnection(file.path, .reading, busySeconds: busySeconds)
      _ = try isOurs(connection)
      return connection
    } catch {
      guard file.isWhole else { throw file.unmoved }
      return try SQLiteConnection(file.path, .unchanging, busySeconds: busySeconds)
    }
  }

  /// Whether an open database is still where it was.
  private func check(
    _ connection: SQLiteConnection, of file: SQLiteFile
  ) throws(DatabaseFailure) {
    guard !connection.isMoved, name.realPath == file.path else { throw DatabaseFailure(SQLiteFile.moved) }
    guard hasLog, access(file.logPath, F_OK) != 0 else { return }
    // What is in it is there as long as it is open, and can be moved into the database.
    _ = try? connection.run("PRAGMA wal_checkpoint")
    throw DatabaseFailure(SQLiteFile.withoutLog)
  }

  /// Makes a database that is empty, one session at a time, unless it was not always so.
  private func make(_ file: SQLiteFile, _ content: SQLiteFile.Content) throws(DatabaseFailure) -> SessionLock {
    guard content == .noBytes || !SQLiteFile.isLink(name) else { throw SQLiteFile.dangling(file.path) }
    try file.makeFolders()
    let lock = try SessionLock(file, "be made")
    try lock.alone(seconds: busySeconds) { () throws(DatabaseFailure) in
      // Another session may have made it meanwhile.
      let content = try file.content()
      guard content != .some else { return }
      guard lock.commits == nil, content == .nothing || !CompanionFiles(beside: file.path).isThere else {
        throw file.lost(content)
      }
      try file.make()
      try Self.claim(SQLiteConnection(file.path, busySeconds: busySeconds))
    }
    return lock
  }

  private static func isOurs(_ connection: SQLiteConnection) throws(DatabaseFailure) -> Bool {
    try connection.run("PRAGMA application_id") == [[.integer(applicationID)]]
  }

  /// Makes an empty database ours, and no other app's.
  private static func claim(_ connection: SQLiteConnection) throws(DatabaseFailure) {
    guard try !isOurs(connection) else { return }
    guard try connection.run("SELECT 1 FROM sqlite_master LIMIT 1").isEmpty else {
      throw DatabaseFailure(SQLiteFile.otherApps)
    }
    try connection.run("PRAGMA journal_mode = WAL")
    try connection.run("PRAGMA application_id = \(applicationID)")
  }

  /// Whether a database has had so many commits; those before they were counted are 0.
  private static func hasAll(_ commits: Int, _ connection: SQLiteConnection) throws(DatabaseFailure) -> Bool {
    guard commits > 0 else { return true }
    guard try !connection.run("SELECT 1 FROM sqlite_master WHERE name = 'commits'").isEmpty,
      case .integer(let number) = try connection.run("SELECT number FROM commits WHERE place = 0").first?.first
    else { return false }
    return number >= commits
  }

  private func opened() throws(DatabaseFailure) -> SQLiteConnection {
    guard let connection else { throw DatabaseFailure("is not open") }
    return connection
  }

  // MARK: Statements

  public func run(_ statement: String, _ parameters: [SQLValue]) throws(DatabaseFailure) -> [[SQLValue]] {
    try opened().run(statement, parameters)
  }

  public func begin() throws(DatabaseFailure) {
    let connection = try opened()
    try connection.run("BEGIN IMMEDIATE")
    changes = connection.changes
  }

  public func commit() throws(DatabaseFailure) {
    let connection = try opened()
    guard connection.changes != changes else { return _ = try connection.run("COMMIT") }
    let counted = try connection.run(
      """
      INSERT INTO commits (place, session, number) VALUES (0, $1, 1)
      ON CONFLICT (place) DO UPDATE SET session = excluded.session, number = commits.number + 1 RETURNING number
      """, [.integer(session)])
    try connection.run("COMMIT")
    if case .integer(let number) = counted.first?.first { lock?.note(commits: number) }
  }

  public func rollback() {
    // A failure may have ended it already.
    guard let connection, connection.isInTransaction else { return }
    _ = try? connection.run("ROLLBACK")
  }

  // MARK: Versions

  public func schemaVersion() throws(DatabaseFailure) -> Int {
    guard case .integer(let version) = try run("PRAGMA user_version").first?.first else { return 0 }
    return version
  }

  public func setSchemaVersion(_ version: Int) throws(DatabaseFailure) { try run("PRAGMA user_version = \(version)") }

  public func problems() throws(DatabaseFailure) -> [String] {
    try run("PRAGMA integrity_check(10)").compactMap { row in
      guard case .text(let text) = row.first, text != "ok" else { return nil }
      return text
    }
  }

  // MARK: Others

  public var session: Int { lock?.session ?? 0 }

  public func isAlive(_ session: Int) throws(DatabaseFailure) -> Bool {
    guard let lock else { throw DatabaseFailure("is not open") }
    return try lock.isHeld(session)
  }

  public func watch(_ noticed: @escaping @Sendable () -> Void) {
    guard watch == nil, let file else { return }
    watch = FileWatch(of: file.path, noticed)
  }

  public func wasChanged() throws(DatabaseFailure) -> Bool {
    // Counts the commits of other connections alone.
    let change = try run("PRAGMA data_version")
    defer { lastChange = change }
    return change != lastChange
  }
}
