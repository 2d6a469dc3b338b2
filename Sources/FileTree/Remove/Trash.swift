import CLinux
import Glibc

/// A directory of our own, locked, in which entries wait until they are gone.
///
/// It is on the mount of its root, beside it or in it, so that moving something into it is one rename. Entries are in
/// stages, directories that stand for the root: what is in one is where it was below the root. A process that is killed
/// leaves a trash that ``TreeRoot/sweep(_:)`` finishes.
struct Trash {
  enum Place { case beside, inside }

  let root: TreeRoot
  let place: Place
  let name: [CChar]
  private let directory: Descriptor

  var descriptor: Int32 { directory.raw }
  private var holder: Int32 { place == .beside ? root.parent.raw : root.directory.raw }

  var path: [UInt8] {
    place == .beside ? root.sibling(name) : root.path + [UInt8(ascii: "/")] + Array(TreeRoot.innerTrashName.utf8)
  }

  /// Opens the trash of a root, and locks it as long as it is open.
  ///
  /// - Parameter run: makes it where there is none; nil only looks for one.
  /// - Returns: nil where there is none to look for.
  /// - Throws: ``TreeFailure/Cause/busy`` where another process is at work in it, ``TreeFailure/Cause/unmovable`` where
  ///   none can be made, or what has its name is not ours alone.
  static func open(_ place: Place, of root: TreeRoot, making run: RemovalRun?) throws(TreeFailure) -> Trash? {
    // One that is found may be gone when it is locked: its owner has finished.
    for _ in 0..<16 {
      switch try attempt(place, of: root, making: run) {
      case .trash(let trash): return trash
      case .none: return nil
      case .again: continue
      }
    }
    throw TreeFailure(.busy, code: EWOULDBLOCK, path: root.path)
  }

  private enum Attempt { case trash(Trash), none, again }

  private static func attempt(
    _ place: Place, of root: TreeRoot, making run: RemovalRun?
  ) throws(TreeFailure) -> Attempt {
    let holder = place == .beside ? root.parent.raw : root.directory.raw
    let name = place == .beside ? root.outerTrashName : Array(TreeRoot.innerTrashName.utf8CString)
    func failure(_ code: Int32) -> TreeFailure { TreeFailure(.unmovable, code: code, path: root.path) }
    if place == .beside, FileStatus(of: holder)?.mount != root.mount { throw failure(EXDEV) }
    if let run, run.makeDirectory(name, in: holder) != 0, errno != EEXIST { throw failure(errno) }
    let raw = openDirectory(at: holder, name)
    guard raw >= 0 else {
      guard errno == ENOENT else { throw failure(errno) }
      return run == nil ? .none : .again
    }
    let directory = Descriptor(raw)
    guard isOurs(raw), let status = FileStatus(of: raw), status.mount == root.mount,
      status.identity.device == root.identity.device
    else { throw failure(EPERM) }
    if flock(raw, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw TreeFailure(.busy, code: EWOULDBLOCK, path: root.path)
    }
    guard FileStatus(at: holder, name)?.identity == status.identity else { return .again }
    return .trash(Trash(root: root, place: place, name: name, directory: directory))
  }

  /// Whether an open directory is a trash of this user's: nobody else may enter it, and a stage is in it or nothing. An
  /// app may have a directory of the same name.
  static func isOurs(_ directory: Int32) -> Bool {
    guard let status = FileStatus(of: directory), status.owner == geteuid(), status.permissions & 0o777 == 0o700 else {
      return false
    }
    var (hasStage, isEmpty) = (false, true)
    lseek(directory, 0, SEEK_SET)
    let code = forEachChild(of: directory) { name, _ in
      isEmpty = false
      if Stage(name) != nil { hasStage = true }
    }
    return code == 0 && (hasStage || isEmpty)
  }

  /// Removes it if nothing is left in it.
  func discard(_ run: RemovalRun) {
    _ = run.unlink(name, in: holder, isDirectory: true)
  }

  // MARK: Stages

  /// A directory in the trash; its name says what is in it, also to the next process.
  struct Stage {
    enum Kind: UInt8 {
      /// A root whose content goes, or a directory that is to take its place: the inode number tells.
      case cleared = 0x63
      /// Entries of a root that go.
      case part = 0x70
      /// What stays, on its way back.
      case back = 0x62
    }

    var kind: Kind
    /// The root's, as it was.
    let inode: UInt64
    let number: UInt64

    init(_ kind: Kind, inode: UInt64) {
      var generator = SystemRandomNumberGenerator()
      (self.kind, self.inode, number) = (kind, inode, generator.next())
    }

    /// - Returns: nil for names that are none of a stage.
    init?(_ name: [UInt8]) {
      guard name.count == 35, let kind = Kind(rawValue: name[0]), name[1] == 0x2d, name[18] == 0x2d,
        let inode = UInt64(text: name[2..<18], radix: 16), let number = UInt64(text: name[19...], radix: 16)
      else { return nil }
      (self.kind, self.inode, self.number) = (kind, inode, number)
    }

    /// `c-000000000012d687-9f1c0a7be3d24e55`, with the NUL.
    var name: [CChar] {
      func digits(_ value: UInt64) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
      }
      let kind = Character(UnicodeScalar(kind.rawValue))
      return Array("\(kind)-\(digits(inode))-\(digits(number))".utf8CString)
    }
  }

  /// All that are in it.
  func stages() -> [Stage] {
    var found: [Stage] = []
    lseek(descriptor, 0, SEEK_SET)
    forEachChild(of: descriptor) { name, _ in if let stage = Stage(name) { found.append(stage) } }
    return found
  }

  /// Makes a directory for entries that go.
  func makeStage(_ run: RemovalRun) -> (Stage, Descriptor)? {
    let stage = Stage(.part, inode: 0)
    guard run.makeDirectory(stage.name, in: descriptor) == 0 else { return nil }
    let raw = openDirectory(at: descriptor, stage.name)
    return raw < 0 ? nil : (stage, Descriptor(raw))
  }
}
