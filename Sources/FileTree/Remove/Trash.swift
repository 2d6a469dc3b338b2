import CLinux
import Glibc

/// Where things are on their way out: a folder beside a root or in it, on the same mount, which only its owner can enter.
///
/// What is in it is to be deleted, also by a later process when this one is killed.
public final class Trash {
  /// Where it is.
  enum Place { case besideRoot, insideRoot }

  /// The folder that it is in, and its name there.
  private let home: Int32
  private let name: [CChar]
  let descriptor: Int32
  /// The trash in front of what is left in it, for a person.
  let path: [UInt8]

  private static let insideName = ".rpcshell-trash"
  private static let besideEnding = ".rpcshell-trash"

  /// Whether a child of a root is the trash in it.
  public static func isTrash(_ name: [UInt8]) -> Bool { name.elementsEqual(insideName.utf8) }

  /// Opens the trash of a root and says that somebody works in it.
  ///
  /// - Parameters:
  ///   - makes: makes it where it is missing.
  ///   - alone: nobody else may work in it.
  /// - Throws: `errno`: `ENOENT` where there is none, `EWOULDBLOCK` where others work in it, `EPERM` for a trash that is
  ///   not ours.
  init(_ place: Place, of root: TreeRoot, makes: Bool, alone: Bool = false) throws(TreeError) {
    switch place {
    case .besideRoot:
      guard let parent = root.parent else { throw TreeError(code: EACCES) }
      guard !root.status.isMountRoot else { throw TreeError(code: EXDEV) }
      home = parent
      name = Array(".".utf8CString.dropLast()) + root.name.dropLast() + Array(Self.besideEnding.utf8CString)
      path =
        root.path[...(root.path.lastIndex(of: UInt8(ascii: "/")) ?? 0)] + name.dropLast().map { UInt8(bitPattern: $0) }
    case .insideRoot:
      home = root.descriptor
      name = Array(Self.insideName.utf8CString)
      path = root.path + Array("/\(Self.insideName)".utf8)
    }
    descriptor = try Self.open(home, name, root, makes: makes, alone: alone)
  }

  deinit { close(descriptor) }

  private static func open(
    _ home: Int32, _ name: [CChar], _ root: TreeRoot, makes: Bool, alone: Bool
  ) throws(TreeError) -> Int32 {
    // Another process may take the empty trash away between two steps.
    for _ in 1...8 {
      if makes && mkdirat(home, name, 0o700) != 0 && errno != EEXIST { throw TreeError(code: errno) }
      let descriptor = openDirectory(at: home, name)
      if descriptor < 0 {
        if errno == ENOENT && makes { continue }
        throw TreeError(code: errno == ELOOP || errno == ENOTDIR ? EPERM : errno)
      }
      guard let status = FileStatus(of: descriptor), isOurs(status, root) else {
        close(descriptor)
        throw TreeError(code: EPERM)
      }
      guard cl_lock(descriptor, alone ? 1 : 0) == 0 else {
        let code = errno
        close(descriptor)
        throw TreeError(code: code)
      }
      if FileStatus(at: home, name)?.identity == status.identity { return descriptor }
      close(descriptor)
    }
    throw TreeError(code: EAGAIN)
  }

  private static func isOurs(_ status: FileStatus, _ root: TreeRoot) -> Bool {
    status.owner == geteuid() && status.permissions & 0o077 == 0 && status.mount == root.status.mount
      && status.identity.device == root.status.identity.device && !status.isMountRoot
  }

  /// Takes the trash away if nothing is in it.
  func removeIfEmpty() { unlinkat(home, name, AT_REMOVEDIR) }

  // MARK: Bundles

  /// Makes an empty folder in the trash.
  /// - Returns: its name, with a NUL.
  func makeBundle() throws(TreeError) -> [CChar] {
    for _ in 1...8 {
      let name = Self.randomName()
      if mkdirat(descriptor, name, 0o700) == 0 { return name }
      if errno != EEXIST { throw TreeError(code: errno) }
    }
    throw TreeError(code: EEXIST)
  }

  private static func randomName() -> [CChar] {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return Array((String(repeating: "0", count: 16 - digits.count) + digits).utf8CString)
  }

  /// The names of the folders that were made in it, with a NUL.
  func bundles() -> [[CChar]] {
    var found: [[CChar]] = []
    lseek(descriptor, 0, SEEK_SET)
    forEachChild(of: descriptor) { name, _ in
      let isDigits = name.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
      if name.count == 16 && isDigits { found.append(name.map { CChar(bitPattern: $0) } + [0]) }
    }
    return found
  }

  /// Takes a bundle away if nothing is in it.
  func removeIfEmpty(bundle: [CChar]) -> Bool { unlinkat(descriptor, bundle, AT_REMOVEDIR) == 0 || errno == ENOENT }
}
