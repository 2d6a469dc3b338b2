import CLinux
import Glibc
import RPCShell

/// Tells sessions from each other, and those that live from those that do not.
///
/// A session is a number that no other has, and holds a lock (fcntl(2), open file description locks) on the byte with
/// that number in a file beside the database. The kernel drops it when the session's process ends, however it does: no
/// clock says who is alive. The file may be empty; locks lie behind its end.
final class SessionLock {
  /// From 1; of 62 bits, so that nobody meets another's by chance.
  let session: Int
  private let path: String
  private let descriptor: Int32

  init(_ path: String) throws(DatabaseFailure) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SQLiteFile(path: path).failure("be used: \(path) cannot be opened", errno) }
    session = Int.random(in: 1..<1 << 62)
    guard cl_lock_byte(descriptor, Int64(session)) == 0 else {
      let code = errno
      close(descriptor)
      throw DatabaseFailure("cannot be used: \(path) cannot be locked: \(String(cString: strerror(code)))")
    }
  }

  deinit { close(descriptor) }

  /// Whether a session holds its byte.
  func isHeld(_ other: Int) throws(DatabaseFailure) -> Bool {
    if other == session { return true }
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

  /// Has those who watch the folder look, now that a change can be seen: what SQLite writes it writes before.
  func ring() {
    var byte: UInt8 = 0
    pwrite(descriptor, &byte, 1, 0)
  }
}
