/// A value of a parameter or of a row.
public enum SQLValue: Sendable, Equatable {
  case null
  case integer(Int)
  case real(Double)
  case text(String)
}

/// A database that the account is kept in: the seam behind which a file or a server stands.
///
/// Everything that the store says in SQL is common to SQLite and PostgreSQL: parameters are `$1`, `$2` … in the order in
/// which they first occur, columns are TEXT, BIGINT and DOUBLE PRECISION. What the two say in words of their own is a
/// requirement here.
///
/// All is called on one thread at a time and may wait there, but not for ever: a database that others hold is given up
/// after some seconds. What ``watch(_:)`` is given is called on any thread.
public protocol DatabaseEngine: AnyObject, Sendable {
  /// The file or server, without secrets.
  var name: String { get }

  /// Opens the database, and makes it where there is none. Does nothing where it is open; called before all else.
  func open() throws(DatabaseFailure)

  /// Opens what can only be read, too, but makes nothing.
  func openForReading() throws(DatabaseFailure)

  /// Whether it was opened for reading alone.
  var isReadOnly: Bool { get }

  // MARK: Statements

  /// Carries out one statement.
  /// - Returns: its rows, in order; none where it has no result.
  @discardableResult
  func run(_ statement: String, _ parameters: [SQLValue]) throws(DatabaseFailure) -> [[SQLValue]]

  /// Begins a transaction that writes: nobody else writes until it ends.
  func begin() throws(DatabaseFailure)

  /// Ends the transaction; what it wrote survives a power loss when this returns.
  func commit() throws(DatabaseFailure)

  /// Ends the transaction as if it had not been, whatever became of it.
  func rollback()

  // MARK: Versions

  /// The version of the tables that are there; 0 for none.
  func schemaVersion() throws(DatabaseFailure) -> Int

  /// Notes the version, as a part of the transaction.
  func setSchemaVersion(_ version: Int) throws(DatabaseFailure)

  /// What is wrong with the database as a whole; empty where nothing is.
  func problems() throws(DatabaseFailure) -> [String]

  // MARK: Others

  /// Tells this session, from when it is open, from all others that ever were.
  var session: Int { get }

  /// Whether a session is there, which must be known at once and without a clock: that of a process which was killed is
  /// not.
  func isAlive(_ session: Int) throws(DatabaseFailure) -> Bool

  /// Has everybody's changes reported from now on, within a second, at no cost while there are none.
  /// - Parameter noticed: told on any thread that somebody may have changed something.
  func watch(_ noticed: @escaping @Sendable () -> Void)

  /// Whether somebody else changed something since the last call, or since the database was opened.
  func wasChanged() throws(DatabaseFailure) -> Bool
}

extension DatabaseEngine {
  public func openForReading() throws(DatabaseFailure) { try open() }
  public var isReadOnly: Bool { false }

  /// Carries out a statement without parameters.
  @discardableResult
  func run(_ statement: String) throws(DatabaseFailure) -> [[SQLValue]] { try run(statement, []) }

  /// Does all of `body`, or nothing of it.
  func transaction<Value>(_ body: () throws(DatabaseFailure) -> Value) throws(DatabaseFailure) -> Value {
    do throws(DatabaseFailure) {
      try begin()
      let value = try body()
      try commit()
      return value
    } catch {
      rollback()
      throw error
    }
  }
}

/// Why a database could not be opened, read or written.
public struct DatabaseFailure: Error, Sendable, Equatable {
  /// What is wrong and what to do, as it goes behind the database's name: `is no database; move it away to start over`.
  public var reason: String

  public init(_ reason: String) { self.reason = reason }
}
