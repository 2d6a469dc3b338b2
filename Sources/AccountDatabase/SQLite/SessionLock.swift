import CLinux
import Glibc
import RPCShell

/// Tells sessions from each other, and those that live from those that do not.
///
/// A session is a number that no other has, and holds a lock (fcntl(2), open file description locks) on the byte with
/// that number in a file beside the database. The kernel drops it when the session's process ends, however it does: no
/// clock says who is alive. Locks lie behind the file's end.
///
/// In the file is how many commits the database has had, as far as that was seen: a database that has had fewer has lost
/// some. It is written after a commit is on disk, so that it is never ahead of it.
final class SessionLock {
  /// From 1; of 62 bits, so that nobody meets another's by chance.
  let session: Int
  private let path: String
  private let descriptor: Int32

  /// - Parameter what: cannot be done where there is no lock: `be made`.
  init(_ file: SQLiteFile, _ what: String? = nil) throws(DatabaseFailure) {
    path = file.lockPath
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw file.failure(what ?? "be used: \(path) cannot be opened", errno) }
    session = Int.random(in: 1..<1 << 62)
    guard cl_lock_byte(descriptor, Int64(session)) == 0 else {
      let code = errno
      close(descriptor)
      throw DatabaseFailure("cannot be used: \(path) cannot be locked: \(String(cString: strerror(code)))")
    }
  }

  /// Looks at others' locks alone, of whom there are none where there is no such file.
  init(reading file: SQLiteFile) {
    path = file.lockPath
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    session = 0
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether a session holds its byte.
  func isHeld(_ other: Int) throws(DatabaseFailure) -> Bool {
    if other == session { return true }
    guard descriptor >= 0 else { return false }
    let held = cl_is_byte_locked(descriptor, Int64(other))
    guard held >= 0 else {
      throw DatabaseFailure("cannot be used: \(path) cannot be asked for locks: \(String(cString: strerror(errno)))")
    }
    return held != 0
  }

  /// Does what one session at a time may do.
  /// - Parameter seconds: for so long others may do it.
  func alone(seconds: Double, _ work: () throws(DatabaseFailure) -> Void) throws(DatabaseFailure) {
    let deadline = MonotonicTime.now.advanced(by: .seconds(seconds))
    while cl_lock_byte(descriptor, 0) != 0 {
      guard MonotonicTime.now < deadline else { throw DatabaseFailure(SQLiteFile.held) }
      poll(nil, 0, 10)
    }
    defer { cl_unlock_byte(descriptor, 0) }
    try work()
  }

  // MARK: Commits

  /// How many commits there were: 0 where nobody counted them; nil where there was none.
  var commits: Int? {
    var number: UInt64 = 0
    let count = pread(descriptor, &number, 8, 0)
    return count > 0 ? Int(exactly: UInt64(littleEndian: count == 8 ? number : 0)) ?? 0 : nil
  }

  /// Has those who watch the folder look, now that a commit can be seen: what SQLite writes it writes before.
  func note(commits number: Int) {
    var bytes = UInt64(number).littleEndian
    pwrite(descriptor, &bytes, 8, 0)
  }
}
