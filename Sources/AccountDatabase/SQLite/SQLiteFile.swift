import Glibc
import RPCShell

/// The file of a database before SQLite sees it: what is in its place, and for whom it is.
struct SQLiteFile {
  /// Absolute, and no link: what stands beside it does so under this name, whatever else it is called.
  let path: String

  static let readOnly = "can only be read; let this user write it and the folder that it is in"
  static let held = "is held by another process; end that, or try again"
  static let full = "cannot be written: no space is left on the device; make room and try again"
  static let limited = "cannot be written: the file may grow no further; raise the limit (ulimit -f) and try again"
  static let otherApps = "is another app's database; name another file as the store"
  static let foreign = "is no database; move it and its -lock file away to start over"
  static let moved = "was moved or removed while it was open; start again to go on with what is there now"
  static let withoutLog = "lost its -wal file while it was open; start again"

  /// - Parameter what: is wrong, where that is known.
  static func damaged(_ what: String? = nil) -> DatabaseFailure {
    DatabaseFailure(
      "is damaged\(what.map { " (\($0))" } ?? ""); "
        + "move it and its -lock file away to start over, or put a copy in its place")
  }

  var lockPath: String { path + "-lock" }
  /// What SQLite has written and not yet moved into the database.
  var logPath: String { path + "-wal" }

  /// - Parameter name: absolute; links are followed, also where they lead to nothing.
  init(named name: String) { path = name.realPath }

  /// Whether nothing was ever kept in a file: neither it is there nor what says that it was.
  static func isUnused(_ name: String) -> Bool {
    var status = stat()
    guard lstat(name, &status) != 0, errno == ENOENT else { return false }
    return stat(SQLiteFile(named: name).lockPath, &status) != 0 || status.st_size == 0
  }

  static func isLink(_ name: String) -> Bool {
    var status = stat()
    return lstat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  // MARK: What is there

  /// What is in its place.
  enum Content {
    case nothing, noBytes, some
  }

  /// - Throws: where something is in its place, or in that of a file beside it, that is no file.
  func content() throws(DatabaseFailure) -> Content {
    for beside in ["-wal", "-shm", "-lock"] {
      guard let kind = try kind(of: path + beside)?.kind, kind != S_IFREG else { continue }
      let what = kind == S_IFDIR ? "a folder" : "something that is no regular file"
      throw DatabaseFailure("cannot be used: \(path)\(beside) is \(what); move that away")
    }
    guard let status = try kind(of: path) else { return .nothing }
    switch status.kind {
    case S_IFREG: return status.size == 0 ? .noBytes : .some
    case S_IFDIR: throw DatabaseFailure("is a folder; name a file as the store")
    default: throw DatabaseFailure("is no regular file; name another as the store")
    }
  }

  private func kind(of path: String) throws(DatabaseFailure) -> (kind: mode_t, size: off_t)? {
    var status = stat()
    if stat(path, &status) == 0 { return (status.st_mode & S_IFMT, status.st_size) }
    guard errno == ENOENT || errno == ENOTDIR else { throw failure("be opened", errno) }
    return nil
  }

  /// Whether this user may write it and what stands beside it.
  var isWritable: Bool { access(path, W_OK) == 0 && access(path.folder, W_OK) == 0 }

  /// Whether all that was written is in it.
  var isWhole: Bool {
    var status = stat()
    return stat(logPath, &status) != 0 || status.st_size == 0
  }

  /// Whether this process may write files up to a size alone.
  static var hasSizeLimit: Bool {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 && limit.rlim_cur != .max
  }

  // MARK: Making it

  /// Makes the folder that it is in, for its owner alone.
  func makeFolders() throws(DatabaseFailure) {
    guard StateFile(folder: path.folder, name: "").makeFolders() else { throw failure("be made", errno) }
  }

  /// Makes an empty file for its owner alone.
  ///
  /// An existing file is never opened here: closing it would take the locks of this process's other connections.
  func make() throws(DatabaseFailure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 || errno == EEXIST else { throw failure("be made", errno) }
    guard descriptor >= 0 else { return }
    close(descriptor)
    // The name is on disk before anything is promised.
    let directory = open(path.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return }
    fsync(directory)
    close(directory)
  }

  // MARK: Failures

  /// Nothing is begun anew where something was: whose key was promised to be known would be forgotten.
  /// - Parameter content: what is there now.
  func lost(_ content: Content) -> DatabaseFailure {
    switch content {
    case .nothing:
      DatabaseFailure("is not there, but \(lockPath) says it was: put it back, or move that away, too, to start over")
    case .noBytes:
      DatabaseFailure(
        "is empty, but what is beside it says it was not: put a copy in its place, or move it, \(lockPath), "
          + CompanionFiles(beside: path).paths.joined(separator: " and ") + " away to start over")
    case .some:
      DatabaseFailure(
        "lacks what was written last: its -wal file is missing, or it is an older copy; put that right, "
          + "or move \(lockPath) away to go on without what is missing")
    }
  }

  var unmoved: DatabaseFailure {
    DatabaseFailure(
      "can only be read, and not without its -wal file, which this user may not use: "
        + "copy \(path) and \(logPath) to another folder, and export the copy")
  }

  /// - Parameter target: what is not there.
  static func dangling(_ target: String) -> DatabaseFailure {
    DatabaseFailure("is a link to \(target), which is not there; put the file there, or remove the link to start over")
  }

  /// Why the system refused.
  /// - Parameter what: `be opened`
  func failure(_ what: String, _ code: Int32) -> DatabaseFailure {
    switch code {
    case ENOSPC, EDQUOT: return DatabaseFailure(Self.full)
    case EROFS: return DatabaseFailure(Self.readOnly)
    case EFBIG: return DatabaseFailure(Self.limited)
    case EMFILE, ENFILE:
      return DatabaseFailure("cannot \(what): too many files are open; close some, or raise the limit (ulimit -n)")
    case EACCES, EPERM:
      return DatabaseFailure(
        "cannot \(what): \(String(cString: strerror(code))); let this user write it and the folder that it is in")
    case 0: return DatabaseFailure("cannot \(what); look at the disk that it is on")
    default: return DatabaseFailure("cannot \(what): \(String(cString: strerror(code)))")
    }
  }
}

extension String {
  /// An absolute path with all links followed, which is the one name of a file, also where nothing is there.
  var realPath: String {
    var path = self
    // As many as the system follows (path_resolution(7)).
    for _ in 0..<40 {
      guard let target = path.linkTarget else { break }
      path = target.hasPrefix("/") ? target : path.folder + "/" + target
    }
    guard let folder = realpath(path.folder, nil) else { return path }
    defer { free(folder) }
    let real = String(cString: folder)
    return (real == "/" ? "" : real) + "/" + path.fileName
  }

  private var linkTarget: String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(self, &bytes, bytes.count)
    return count > 0 ? String(validating: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }

  /// Of an absolute path.
  var folder: String {
    let slash = utf8.lastIndex(of: UInt8(ascii: "/")) ?? startIndex
    return slash == startIndex ? "/" : String(self[..<slash])
  }

  var fileName: Substring {
    self[(utf8.lastIndex(of: UInt8(ascii: "/")).map { utf8.index(after: $0) } ?? startIndex)...]
  }
}
