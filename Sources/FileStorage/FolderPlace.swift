import CLinux
import FileTree
import Glibc

/// Where a folder really is: told by what it is, not by what it is called.
struct FolderPlace: Sendable {
  /// Without links and `..`.
  let path: String
  let identity: FileIdentity
  /// The folders that it is in, the nearest first.
  let ancestors: [FileIdentity]
  /// The same place as its file system sees it, whatever is mounted where; nil where that is not known.
  let inner: InnerPath?

  /// A path inside a file system.
  struct InnerPath: Sendable, Equatable {
    let device: UInt64
    let path: String

    /// Whether it is inside another, or the same.
    func isInside(_ other: InnerPath) -> Bool {
      guard device == other.device else { return false }
      return path == other.path || path.hasPrefix(other.path.hasSuffix("/") ? other.path : other.path + "/")
    }
  }

  /// Follows links on the way.
  /// - Returns: nil, with `errno`, where there is no such folder.
  init?(_ path: String, mounts: MountTable) {
    let descriptor = cl_open_place(AT_FDCWD, path)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    self.init(of: descriptor, mounts: mounts)
  }

  /// - Returns: nil, with `errno`, where nobody knows where the open folder is.
  init?(of descriptor: Int32, mounts: MountTable) {
    guard let status = FileStatus(of: descriptor), let real = Self.realPath(of: descriptor) else { return nil }
    self.path = real
    identity = status.identity
    ancestors = Self.ancestors(of: descriptor, status.identity, real)
    inner = mounts.innerPath(of: real, status)
  }

  static func realPath(of descriptor: Int32) -> String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
    return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
  }

  /// Up to the root, whose parent is itself. Who may not search a folder finds the one that it is in by the path.
  private static func ancestors(
    of descriptor: Int32, _ identity: FileIdentity, _ path: String
  ) -> [FileIdentity] {
    var found: [FileIdentity] = []
    var at = descriptor
    var last = identity
    defer { if at != descriptor { close(at) } }
    while found.count < Int(PATH_MAX) {
      var parent = cl_open_place(at, "..")
      if parent < 0 && found.isEmpty, let slash = path.lastIndex(of: "/") {
        parent = cl_open_place(AT_FDCWD, slash == path.startIndex ? "/" : String(path[..<slash]))
      }
      guard parent >= 0 else { break }
      if at != descriptor { close(at) }
      at = parent
      guard let status = FileStatus(of: parent), status.identity != last else { break }
      last = status.identity
      found.append(last)
    }
    return found
  }

  /// Whether it is another folder or is in it, also where one of them is seen through another mount.
  func isInside(_ other: FolderPlace) -> Bool {
    if identity == other.identity || ancestors.contains(other.identity) { return true }
    guard let inner, let outer = other.inner else { return false }
    return inner.isInside(outer)
  }
}

extension MountTable {
  /// - Parameter path: without links and `..`.
  fileprivate func innerPath(of path: String, _ status: FileStatus) -> FolderPlace.InnerPath? {
    guard let mount = self[status.mount] else { return nil }
    let (place, top) = (String(decoding: mount.point, as: UTF8.self), String(decoding: mount.root, as: UTF8.self))
    guard path.hasPrefix(place) else { return nil }
    var rest = path.dropFirst(place.count)
    if rest.hasPrefix("/") { rest = rest.dropFirst() }
    let inner = rest.isEmpty ? top : (top.hasSuffix("/") ? top : top + "/") + rest
    return FolderPlace.InnerPath(device: status.identity.device, path: inner)
  }
}
