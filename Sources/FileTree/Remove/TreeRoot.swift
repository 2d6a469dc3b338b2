import CLinux
import Glibc

/// A directory whose content may be removed: opened once, and known from then on by its identity, not by its path.
///
/// It also holds the directory that it is in, since that is where its name is. Where the path was a link, this is about
/// the directory that the link led to when it was opened.
public struct TreeRoot: Sendable {
  let directory: Descriptor
  let parent: Descriptor
  /// Its name in the parent, with the NUL.
  let name: [CChar]
  /// What it is called in messages: where it was when it was opened.
  public let path: [UInt8]
  public let identity: FileIdentity
  let mount: UInt64

  /// The name of the directory inside a root that entries wait in until they are gone, where the root's parent does not
  /// take one.
  static let innerTrashName = ".rpcshell-trash"

  /// Whether an entry of a root is the trash in it, or may become one, and so is no content. What an app has made itself
  /// under this name is content like all else.
  public static func isTrash(_ name: [UInt8], in root: Int32) -> Bool {
    guard name.elementsEqual(innerTrashName.utf8) else { return false }
    let raw = openDirectory(at: root, innerTrashName)
    guard raw >= 0 else { return errno == ENOENT }
    defer { close(raw) }
    return Trash.isOurs(raw)
  }

  func isTrash(_ name: [UInt8]) -> Bool { Self.isTrash(name, in: descriptor) }

  /// With the NUL; nil where all that is in the root is content.
  var skippedName: [CChar]? {
    isTrash(Array(Self.innerTrashName.utf8)) ? Array(Self.innerTrashName.utf8CString) : nil
  }

  /// The descriptor of the directory, open as long as this value.
  public var descriptor: Int32 { directory.raw }

  /// Opens a directory and finds out where it is.
  ///
  /// - Throws: where it is no directory, cannot be read, or has no parent, as `/` has none.
  public init(opening path: UnsafePointer<CChar>) throws(TreeFailure) {
    let raw = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
    guard raw >= 0 else { throw TreeFailure(.unreadable, code: errno, path: path.bytes) }
    let directory = Descriptor(raw)
    guard let resolved = Self.path(of: raw), let slash = resolved.lastIndex(of: UInt8(ascii: "/")) else {
      throw TreeFailure(.noPlace, code: errno, path: path.bytes)
    }
    let above = cl_open_place(raw, "..")
    guard above >= 0 else { throw TreeFailure(.noPlace, code: errno, path: path.bytes) }
    let name = resolved[(slash + 1)...].map { CChar(bitPattern: $0) } + [0]
    try self.init(directory, in: Descriptor(above), name: name, path: resolved)
    try verify()
  }

  /// - Parameter name: ends with a NUL.
  init(_ directory: Descriptor, in parent: Descriptor, name: [CChar], path: [UInt8]) throws(TreeFailure) {
    guard let status = FileStatus(of: directory.raw) else {
      throw TreeFailure(.unreadable, code: errno, path: path)
    }
    (self.directory, self.parent, self.name, self.path) = (directory, parent, name, path)
    (identity, mount) = (status.identity, status.mount)
  }

  /// Checks that the name still leads to the directory that is open.
  func verify() throws(TreeFailure) {
    guard name.count > 1, let now = FileStatus(at: parent.raw, name) else {
      throw TreeFailure(.noPlace, code: name.count > 1 ? errno : EBUSY, path: path)
    }
    guard now.identity == identity, now.mount == mount, now.kind == .directory else {
      throw TreeFailure(.changed, code: ESTALE, path: path)
    }
  }

  /// Where an open directory is now; nil where the system does not say.
  static func path(of descriptor: Int32) -> [UInt8]? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { room in
      let count = readlink("/proc/self/fd/\(descriptor)", room.baseAddress!, room.count)
      guard count > 0, count < room.count else { return nil }
      return room[..<count].map { UInt8(bitPattern: $0) }
    }
  }

  /// The name of the trash beside it, with the NUL.
  var outerTrashName: [CChar] {
    [CChar(bitPattern: UInt8(ascii: "."))] + name.dropLast() + Array(".rpcshell-trash".utf8CString)
  }

  /// Where an entry of the directory that the root is in would be.
  func sibling(_ name: [CChar]) -> [UInt8] {
    let slash = path.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    return path[...slash] + name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  }
}
