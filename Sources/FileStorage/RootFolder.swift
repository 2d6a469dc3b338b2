import AccountModel
import CLinux
import FileTree
import Glibc

/// A configured folder, open. The descriptor is closed with this value.
final class RootFolder: Sendable {
  let root: StorageRoots.Root
  let descriptor: Int32

  /// - Parameters:
  ///   - root: what is configured; links on the way to it are followed.
  /// - Returns: nil where it is missing and may be.
  /// - Throws: why it cannot be read.
  static func open(_ root: StorageRoots.Root, mayBeMissing: Bool) throws(StorageFailure) -> RootFolder? {
    let descriptor = Glibc.open(root.path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
    if descriptor >= 0 { return RootFolder(root, descriptor) }
    if mayBeMissing && errno == ENOENT { return nil }
    throw StorageFailure("\(root.path): \(String(cString: strerror(errno)))")
  }

  private init(_ root: StorageRoots.Root, _ descriptor: Int32) {
    self.root = root
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}
