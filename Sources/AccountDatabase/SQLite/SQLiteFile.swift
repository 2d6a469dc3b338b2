import Glibc
import RPCShell

/// The file of a database before SQLite sees it: what is in its place, and for whom it is.
struct SQLiteFile {
  /// Absolute.
  let path: String

  static let readOnly = "can only be read; let this user write it and the folder that it is in"
  static let held = "is held by another process; end that, or try again"
  static let full = "cannot be written: no space is left on the device; make room and try again"

  private var folder: String { path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "/" }

  /// Makes an empty file for its owner alone where there is none, in a folder that is, too.
  ///
  /// An existing file is not opened here: closing it would take the locks of this process's other connections.
  func prepare() throws(DatabaseFailure) {
    var status = stat()
    if stat(path, &status) == 0 {
      switch status.st_mode & S_IFMT {
      case S_IFREG: return
      case S_IFDIR: throw DatabaseFailure("is a folder; name a file as the store")
      default: throw DatabaseFailure("is no regular file; name another as the store")
      }
    }
    guard errno == ENOENT || errno == ENOTDIR else { throw failure("be opened", errno) }
    let state = StateFile(folder: folder, name: "")
    guard state.makeFolders() else { throw failure("be made", errno) }
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 || errno == EEXIST else { throw failure("be made", errno) }
    guard descriptor >= 0 else { return }
    close(descriptor)
    // The name is on disk before anything is promised.
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return }
    fsync(directory)
    close(directory)
  }

  /// Why the system refused.
  /// - Parameter what: `be opened`
  func failure(_ what: String, _ code: Int32) -> DatabaseFailure {
    switch code {
    case ENOSPC, EDQUOT: return DatabaseFailure(Self.full)
    case EROFS: return DatabaseFailure(Self.readOnly)
    case EACCES, EPERM:
      return DatabaseFailure(
        "cannot \(what): \(String(cString: strerror(code))); let this user write it and the folder that it is in")
    case 0: return DatabaseFailure("cannot \(what); look at the disk that it is on")
    default: return DatabaseFailure("cannot \(what): \(String(cString: strerror(code)))")
    }
  }
}
