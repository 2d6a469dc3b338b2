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

/// What is mounted where (/proc/self/mountinfo, proc(5)).
struct MountTable {
  private struct Mount {
    /// The folder of the file system that is seen there.
    let root: String
    let place: String
  }

  private var mounts: [UInt64: Mount] = [:]

  /// Empty where the table cannot be read.
  init() {
    guard let file = fopen("/proc/self/mountinfo", "re") else { return }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) > 0, let text = line {
      let fields = String(cString: text).split(separator: " ", maxSplits: 5)
      guard fields.count > 4, let id = UInt64(fields[0]) else { continue }
      mounts[id] = Mount(root: Self.unescaped(fields[3]), place: Self.unescaped(fields[4]))
    }
  }

  /// Blanks, tabs, line ends and backslashes stand there as `\040` and so on.
  private static func unescaped(_ field: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = field.utf8[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3, let code = UInt8(Substring(digits), radix: 8) {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// - Parameter path: without links and `..`.
  func innerPath(of path: String, _ status: FileStatus) -> FolderPlace.InnerPath? {
    guard let mount = mounts[status.mount], path.hasPrefix(mount.place) else { return nil }
    var rest = path.dropFirst(mount.place.count)
    if rest.hasPrefix("/") { rest = rest.dropFirst() }
    let root = mount.root.hasSuffix("/") ? mount.root : mount.root + "/"
    let inner = rest.isEmpty ? mount.root : root + rest
    return FolderPlace.InnerPath(device: status.identity.device, path: inner)
  }
}
