import Glibc

/// A directory on the way from the top of a walk to where it is.
struct RemovalLevel {
  /// -1 while it is closed, to hold few descriptors at a time.
  var descriptor: Int32
  let status: FileStatus
  let site: RemovalRules.Site
  /// The number that its entry in the directory above shows, which need not be its own.
  let inode: UInt64
  /// Where its name begins in the path.
  let start: Int
  /// Directories in it that were read and not entered yet.
  var pending = NameList()
  var isRead = false
  /// Where reading goes on after it was closed; nil while it was not.
  var position: Int?
  /// How often it was read again since it was not empty in the end.
  var attempts = 0
  /// What stays in it, by the inode number that its entry shows.
  var staying: Set<UInt64> = []

  init(_ descriptor: Int32, _ status: FileStatus, _ site: RemovalRules.Site, inode: UInt64 = 0, start: Int = 0) {
    (self.descriptor, self.status, self.site, self.inode, self.start) = (descriptor, status, site, inode, start)
  }

  mutating func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }
}

/// Names of entries, each with the inode number that the directory shows, in the order that they came in.
struct NameList {
  private var bytes: [UInt8] = []
  private var next = 0

  init() {}

  init(_ name: UnsafePointer<CChar>, inode: UInt64) { append(name, inode: inode) }

  var isEmpty: Bool { next == bytes.count }

  mutating func append(_ name: UnsafePointer<CChar>, inode: UInt64) {
    withUnsafeBytes(of: inode) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: name, count: strlen(name) + 1))
  }

  /// Takes the first name out.
  ///
  /// - Parameter room: holds it afterwards, with its NUL.
  /// - Returns: its inode number.
  mutating func takeFirst(_ room: inout [CChar]) -> UInt64 {
    room.removeAll(keepingCapacity: true)
    let inode = bytes.withUnsafeBytes { all in
      let name = (all.baseAddress! + next + 8).assumingMemoryBound(to: CChar.self)
      room.append(contentsOf: UnsafeBufferPointer(start: name, count: strlen(name) + 1))
      return all.loadUnaligned(fromByteOffset: next, as: UInt64.self)
    }
    next += 8 + room.count
    if next == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      next = 0
    }
    return inode
  }
}

/// A path that grows and shrinks at its end, always with a NUL behind it.
struct GrowingPath {
  private var bytes: [UInt8] = [0]

  /// - Returns: where the name begins.
  mutating func push(_ name: UnsafePointer<CChar>) -> Int {
    bytes[bytes.count - 1] = UInt8(ascii: "/")
    if bytes.count == 1 { bytes.removeLast() }
    let start = bytes.count
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: name, count: strlen(name) + 1))
    return start
  }

  /// - Parameter start: of the last name.
  mutating func pop(_ start: Int) {
    bytes.removeSubrange(max(start - 1, 0)...)
    bytes.append(0)
  }

  /// All of it, without the NUL.
  var whole: [UInt8] { Array(bytes.dropLast()) }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
  }

  /// The last name, from where it begins.
  func withName<Result>(at start: Int, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    bytes.withUnsafeBytes { body(($0.baseAddress! + start).assumingMemoryBound(to: CChar.self)) }
  }

  /// A name in the middle, with a NUL of its own.
  func name(from start: Int, to end: Int) -> [CChar] {
    bytes[start..<end].map { CChar(bitPattern: $0) } + [0]
  }
}
