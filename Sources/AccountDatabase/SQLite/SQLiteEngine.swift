import CSQLite
import Glibc

/// An account's database in a file (SQLite), with its folder for its owner alone.
///
/// Used on one thread at a time, but for the watch, which has its own.
public final class SQLiteEngine: DatabaseEngine, @unchecked Sendable {
  /// The file.
  public let name: String
  private let busySeconds: Double
  private var connection: SQLiteConnection?
  private var lock: SessionLock?
  private var watch: FileWatch?
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

  // MARK: Opening

  public func open() throws(DatabaseFailure) {
    if let connection {
      guard !connection.isMoved else {
        throw DatabaseFailure("was moved or removed while it was open; start again to go on with what is there now")
      }
      return
    }
    try SQLiteFile(path: name).prepare()
    let connection = try SQLiteConnection(name, busySeconds: busySeconds)
    guard !connection.isReadOnly else { throw DatabaseFailure(SQLiteFile.readOnly) }
    let lock = try SessionLock(name + "-lock")
    if try !Self.isOurs(connection) {
      // SQLite would refuse, and not wait for, another that does the same.
      try lock.alone(seconds: busySeconds) { () throws(DatabaseFailure) in try Self.claim(connection) }
    }
    // A committed transaction is on disk: WAL alone would leave that to the next checkpoint.
    try connection.run("PRAGMA synchronous = FULL")
    lastChange = try connection.run("PRAGMA data_version")
    self.connection = connection
    self.lock = lock
  }

  private static func isOurs(_ connection: SQLiteConnection) throws(DatabaseFailure) -> Bool {
    try connection.run("PRAGMA application_id") == [[.integer(applicationID)]]
  }

  /// Makes an empty database ours, and no other app's.
  private static func claim(_ connection: SQLiteConnection) throws(DatabaseFailure) {
    guard try !isOurs(connection) else { return }
    guard try connection.run("SELECT 1 FROM sqlite_master LIMIT 1").isEmpty else {
      throw DatabaseFailure("is another app's database; name another file as the store")
    }
    try connection.run("PRAGMA journal_mode = WAL")
    try connection.run("PRAGMA application_id = \(applicationID)")
  }

  private func opened() throws(DatabaseFailure) -> SQLiteConnection {
    guard let connection else { throw DatabaseFailure("is not open") }
    return connection
  }

  // MARK: Statements

  public func run(_ statement: String, _ parameters: [SQLValue]) throws(DatabaseFailure) -> [[SQLValue]] {
    try opened().run(statement, parameters)
  }

  public func begin() throws(DatabaseFailure) { try opened().run("BEGIN IMMEDIATE") }

  public func commit() throws(DatabaseFailure) {
    try opened().run("COMMIT")
    lock?.ring()
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
    guard watch == nil else { return }
    watch = FileWatch(of: name, noticed)
  }

  public func wasChanged() throws(DatabaseFailure) -> Bool {
    // Counts the commits of other connections alone.
    let change = try run("PRAGMA data_version")
    defer { lastChange = change }
    return change != lastChange
  }
}
