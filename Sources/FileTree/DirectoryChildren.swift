import CLinux
import Glibc

/// Visits what is in a directory, without `.` and `..`, from where its descriptor stands.
///
/// - Parameter visit: is given the name, which need not be UTF-8, and the kind; nil where the file system does not say.
/// - Returns: 0, or `errno`.
@discardableResult
public func forEachChild(of directory: Int32, _ visit: ([UInt8], FileStatus.Kind?) -> Void) -> Int32 {
  let entries = DirectoryEntries()
  var failure: Int32 = 0
  while entries.next(
    of: directory, failure: &failure,
    { entry in
      let name = UnsafeBufferPointer(start: entry.name, count: strlen(entry.name)).map { UInt8(bitPattern: $0) }
      visit(name, FileStatus.Kind(directoryType: entry.type))
    })
  {}
  return failure
}

extension FileStatus.Kind {
  /// - Parameter type: `DT_DIR` and so on (readdir(3)).
  fileprivate init?(directoryType type: UInt8) {
    switch Int(type) {
    case Int(DT_UNKNOWN): return nil
    case Int(DT_DIR): self = .directory
    case Int(DT_REG): self = .file
    case Int(DT_LNK): self = .link
    default: self = .other
    }
  }
}
