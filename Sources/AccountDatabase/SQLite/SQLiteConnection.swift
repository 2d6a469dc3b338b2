import CSQLite
import Glibc

/// An open connection with its prepared statements. No pointer of SQLite leaves this file.
final class SQLiteConnection {
  private let handle: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]

  /// How a database is opened.
  enum Mode {
    case writing, reading
    /// Reading what nobody writes: neither locks nor files beside it are needed.
    case unchanging
  }

  /// - Parameter busySeconds: how long a statement waits for others.
  init(_ path: String, _ mode: Mode = .writing, busySeconds: Double) throws(DatabaseFailure) {
    var handle: OpaquePointer?
    // One thread at a time: SQLite's own locks are not needed.
    let flags = SQLITE_OPEN_NOMUTEX | (mode == .writing ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
    let code =
      mode == .unchanging
      ? sqlite3_open_v2("file:\(path.inURI)?immutable=1", &handle, flags | SQLITE_OPEN_URI, nil)
      : sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      let failure = handle.map { Self.failure($0, path) } ?? DatabaseFailure("cannot be opened: out of memory")
      sqlite3_close_v2(handle)
      throw failure
    }
    self.handle = handle
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, Int32(busySeconds * 1000))
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Whether another file, or none, has the name now.
  var isMoved: Bool {
    var moved: Int32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
  }

  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Rows that were added, replaced and dropped on this connection.
  var changes: Int { Int(sqlite3_total_changes(handle)) }

  // MARK: Statements

  @discardableResult
  func run(_ text: String, _ parameters: [SQLValue] = []) throws(DatabaseFailure) -> [[SQLValue]] {
    let statement = try prepared(text)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in parameters.enumerated() { try bind(value, Int32(index + 1), statement) }
    var rows: [[SQLValue]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: rows.append(row(statement))
      case SQLITE_DONE: return rows
      default: throw failure
      }
    }
  }

  private func prepared(_ text: String) throws(DatabaseFailure) -> OpaquePointer {
    if let statement = statements[text] { return statement }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure }
    statements[text] = statement
    return statement
  }

  private func bind(_ value: SQLValue, _ index: Int32, _ statement: OpaquePointer) throws(DatabaseFailure) {
    let code =
      switch value {
      case .null: sqlite3_bind_null(statement, index)
      case .integer(let number): sqlite3_bind_int64(statement, index, Int64(number))
      case .real(let number): sqlite3_bind_double(statement, index, number)
      case .text(var text): text.withUTF8 { bind($0, index, statement) }
      }
    guard code == SQLITE_OK else { throw failure }
  }

  private func bind(_ text: UnsafeBufferPointer<UInt8>, _ index: Int32, _ statement: OpaquePointer) -> Int32 {
    guard let count = Int32(exactly: text.count) else { return SQLITE_TOOBIG }
    guard let start = text.baseAddress else { return cs_bind_text(statement, index, "", 0) }
    return cs_bind_text(statement, index, UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), count)
  }

  private func row(_ statement: OpaquePointer) -> [SQLValue] {
    (0..<sqlite3_column_count(statement)).map { column in
      switch sqlite3_column_type(statement, column) {
      case SQLITE_INTEGER: .integer(Int(sqlite3_column_int64(statement, column)))
      case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
      case SQLITE_NULL: .null
      default:
        .text(
          String(
            decoding: UnsafeBufferPointer(
              start: sqlite3_column_text(statement, column), count: Int(sqlite3_column_bytes(statement, column))),
            as: UTF8.self))
      }
    }
  }

  // MARK: Failures

  private var failure: DatabaseFailure { Self.failure(handle, name) }

  private var name: String { sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? "" }

  /// What went wrong last, and what to do about it.
  private static func failure(_ handle: OpaquePointer, _ path: String) -> DatabaseFailure {
    let extended = sqlite3_extended_errcode(handle)
    let system = sqlite3_system_errno(handle)
    switch extended & 0xFF {
    case SQLITE_NOTADB: return DatabaseFailure(SQLiteFile.foreign)
    case SQLITE_CORRUPT: return SQLiteFile.damaged()
    case SQLITE_BUSY, SQLITE_LOCKED: return DatabaseFailure(SQLiteFile.held)
    case SQLITE_READONLY: return DatabaseFailure(SQLiteFile.readOnly)
    case SQLITE_FULL where SQLiteFile.hasSizeLimit: return DatabaseFailure(SQLiteFile.limited)
    case SQLITE_FULL: return DatabaseFailure(SQLiteFile.full)
    case SQLITE_IOERR where system == ENOSPC || system == EDQUOT: return DatabaseFailure(SQLiteFile.full)
    case SQLITE_IOERR, SQLITE_CANTOPEN:
      return SQLiteFile(named: path).failure("be opened or written", system)
    default: return DatabaseFailure("cannot be used: \(String(cString: sqlite3_errmsg(handle)))")
    }
  }
}

extension String {
  /// A path with what has a meaning in a URI escaped.
  fileprivate var inURI: String {
    String(
      decoding: utf8.flatMap { "%?#".utf8.contains($0) ? Array("%\(String($0, radix: 16))".utf8) : [$0] }, as: UTF8.self
    )
  }
}
