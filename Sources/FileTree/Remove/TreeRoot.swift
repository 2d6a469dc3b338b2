import CLinux
import Glibc

/// A folder whose content may be removed, held open with the one that it is in.
public final class TreeRoot {
  /// Where it really is.
  public let path: [UInt8]
  /// The folder itself. After a clear this is the new, empty one.
  public private(set) var descriptor: Int32
  private(set) var status: FileStatus
  /// The folder that it is in; nil where that cannot be opened.
  let parent: Int32?
  /// Its name there, with a NUL.
  let name: [CChar]

  /// Opens a folder. Links on the way to it are followed, now and once.
  /// - Throws: `errno` where it cannot be opened.
  public init(_ path: String) throws(TreeError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw TreeError(code: errno) }
    guard let status = FileStatus(of: descriptor), let real = Self.realPath(of: descriptor) else {
      let code = errno
      close(descriptor)
      throw TreeError(code: code)
    }
    self.descriptor = descriptor
    self.status = status
    self.path = real
    let slash = real.lastIndex(of: UInt8(ascii: "/")) ?? 0
    name = real[(slash + 1)...].map { CChar(bitPattern: $0) } + [0]
    parent = Self.parent(real[..<slash], name, status.identity)
  }

  deinit {
    close(descriptor)
    if let parent { close(parent) }
  }

  private static func realPath(of descriptor: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
    return count <= 0 ? nil : Array(buffer[..<count])
  }

  /// The folder by whose name the root can be found again.
  private static func parent(_ path: ArraySlice<UInt8>, _ name: [CChar], _ identity: FileIdentity) -> Int32? {
    guard name.count > 1 else { return nil }
    let text = (path.isEmpty ? [UInt8(ascii: "/")] : Array(path)).map { CChar(bitPattern: $0) } + [0]
    let parent = open(text, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
    guard parent >= 0 else { return nil }
    if FileStatus(at: parent, name)?.identity == identity { return parent }
    close(parent)
    return nil
  }

  /// Whether its name still leads to the folder that is held open.
  var isInPlace: Bool { parent.map { FileStatus(at: $0, name)?.identity == status.identity } ?? true }

  /// Follows the name to the folder that is there now.
  func follow() -> Bool {
    guard let parent else { return false }
    let newer = openDirectory(at: parent, name)
    guard newer >= 0, let status = FileStatus(of: newer) else { return false }
    close(descriptor)
    descriptor = newer
    self.status = status
    return true
  }
}

/// What the system said.
public struct TreeError: Error, Equatable, Sendable {
  /// `errno`
  public let code: Int32

  /// `Permission denied`
  public var message: String { String(cString: strerror(code)) }
}
