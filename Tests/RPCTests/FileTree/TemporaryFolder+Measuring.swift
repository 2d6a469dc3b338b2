import CLinux
import FileTree
import Glibc

/// What a measurement is tried on.
extension TemporaryFolder {
  /// Directories in each other, each with one more beside the next, which some file systems read before it on one level
  /// and after it on another.
  func chain(levels: Int) {
    var parent = dup(descriptor)
    for level in 0..<levels {
      let down = "\(level % 7)"
      for name in [down, "beside\(level % 16)"] { precondition(mkdirat(parent, name, 0o755) == 0) }
      let next = openat(parent, down, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      close(parent)
      parent = next
    }
    close(parent)
  }

  func posixStatus(_ name: String) -> stat { Self.posixStatus(at: descriptor, name) }

  static func posixStatus(at directory: Int32, _ name: String) -> stat {
    var status = stat()
    precondition(fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0, "\(name): \(errno)")
    return status
  }

  /// Bytes on disk of one entry alone.
  func allocated(_ name: String) -> Int { Int(posixStatus(name).st_blocks) * 512 }

  /// A directory below, or this one, as a unit. Its descriptor stays open until the end of the test run.
  func content(_ name: String = ".") -> TreeUnit {
    .content(
      of: openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path: name == "." ? path : "\(path)/\(name)")
  }

  func entry(_ name: String) -> TreeUnit { .entry(Array(name.utf8), of: descriptor, path: path) }
}
