import CLinux
import Glibc

/// Opens a directory by its name in another, and nothing else: no link, no FIFO that would wait.
///
/// - Returns: a descriptor; -1 with `errno`.
public func openDirectory(at directory: Int32, _ name: UnsafePointer<CChar>) -> Int32 {
  openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
}

/// Reads the entries of directories, one bufferful at a time (getdents64(2)). One is enough for a thread.
final class DirectoryEntries {
  /// One entry, valid until the next bufferful is read.
  struct Entry {
    /// Ends with a NUL. Bytes: a name need not be UTF-8.
    let name: UnsafePointer<CChar>
    let inode: UInt64
    /// `DT_DIR`, `DT_REG` …; `DT_UNKNOWN` where the file system does not say.
    let type: UInt8
  }

  /// Of a bufferful in bytes, at most.
  static let size = 64 << 10
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)

  deinit { buffer.deallocate() }

  /// Reads the next bufferful.
  /// - Returns: its bytes, valid until the next is read; empty at the end and at an error, which is `errno` in `failure`.
  func read(_ directory: Int32, failure: inout Int32) -> UnsafeRawBufferPointer {
    let count = cl_getdents(directory, buffer.baseAddress, buffer.count)
    failure = count < 0 ? errno : 0
    return UnsafeRawBufferPointer(rebasing: buffer[..<max(count, 0)])
  }

  /// Visits the next bufferful of entries, without `.` and `..`.
  /// - Returns: whether there was one; at an error false, with `errno` in `failure`.
  func next(of directory: Int32, failure: inout Int32, _ visit: (Entry) -> Void) -> Bool {
    let bytes = read(directory, failure: &failure)
    Self.visit(bytes, visit)
    return !bytes.isEmpty
  }

  /// Visits the entries of a bufferful, without `.` and `..`.
  @inline(__always)
  static func visit(_ bytes: UnsafeRawBufferPointer, _ visit: (Entry) -> Void) {
    guard var at = bytes.baseAddress else { return }
    // struct linux_dirent64: d_ino 8, d_off 8, d_reclen 2, d_type 1, d_name
    let end = at + bytes.count
    while at < end {
      let name = (at + 19).assumingMemoryBound(to: CChar.self)
      if !isSelfOrParent(name) {
        visit(Entry(name: name, inode: at.load(as: UInt64.self), type: at.load(fromByteOffset: 18, as: UInt8.self)))
      }
      at += Int(at.load(fromByteOffset: 16, as: UInt16.self))
    }
  }

  private static func isSelfOrParent(_ name: UnsafePointer<CChar>) -> Bool {
    let dot = CChar(46)
    return name[0] == dot && (name[1] == 0 || name[1] == dot && name[2] == 0)
  }
}
