import CLinux
import Glibc
import Testing

@testable import FileTree

/// What stays in a root that is cleared, and where.
@Suite(.timeLimit(.usualMinutes(1)))
struct FileTreeKeptTests {
  private let tree: TemporaryFolder

  init() throws { tree = try TemporaryFolder.withRoot() }

  // MARK: Locks

  enum Lock: CaseIterable { case flock, record, openFile }

  /// Locks a file until its descriptor is closed.
  private func lock(_ path: String, _ kind: Lock) -> Int32 {
    let file = open(tree.path + "/" + path, O_RDWR | O_CLOEXEC)
    var record = flock()
    (record.l_type, record.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
    switch kind {
    case .flock: #expect(flock(file, LOCK_EX) == 0)
    case .record: #expect(fcntl(file, F_SETLK, &record) == 0)
    case .openFile: #expect(fcntl(file, 37, &record) == 0)  // F_OFD_SETLK
    }
    return file
  }

  @Test(arguments: Lock.allCases, [false, true])
  func `a locked file stays at its place`(kind: Lock, inside: Bool) throws {
    if inside { tree.blockOuterTrash() }
    tree.make("root/a/b/locked", "root/a/b/f", "root/a/g", "root/h")
    let identity = tree.status("root/a/b/locked")?.identity
    let file = lock("root/a/b/locked", kind)
    let root = try tree.opened()
    let preview = try root.preview { _ in }
    var result = try root.clear()
    #expect(tree.listing() == ["a/", "a/b/", "a/b/locked"])
    #expect(tree.status("root/a/b/locked")?.identity == identity)
    #expect(result.kept == .init(entries: 1, bytes: 8192))
    #expect(result.stays == ["a/b/locked: locked"])
    #expect(result.leftInTrash == [])
    #expect(preview.problems == result.problems && preview.freed == result.freed)
    #expect(inside ? tree.hasOnlyBlockedTrash : tree.isClean)
    close(file)
    result = try result.root.clear()
    #expect(tree.listing() == [] && result.freed.entries == 3)
  }

  @Test func `a locked directory stays with all that is in it`() throws {
    tree.make("root/a/b/f", "root/g")
    let directory = open(tree.root + "/a", O_RDONLY | O_CLOEXEC)
    flock(directory, LOCK_SH)
    #expect(try tree.opened().clear().stays == ["a: locked"])
    close(directory)
    #expect(tree.listing() == ["a/", "a/b/", "a/b/f"])
  }

  @Test func `the kernel's list of locks is understood`() {
    let list = """
      1: FLOCK  ADVISORY  WRITE 1234 08:01:131 0 EOF
      2: POSIX  ADVISORY  READ \(getpid()) 00:1f:7 128 128
      2: -> POSIX  ADVISORY  WRITE 5 00:1f:7 128 128
      3: OFDLCK ADVISORY  READ -1 fe:00:9 0 EOF
      4: LEASE  ACTIVE    READ 77 08:01:55 0 EOF
      5: nonsense
      """
    let locks = FileLocks(list: Array(list.utf8))
    #expect([131, 7, 9].allSatisfy(locks.mayHold))
    #expect(![55, 1234, 128, 0].contains(where: locks.mayHold))
  }

  // MARK: Sockets and the like

  @Test func `a socket stays and a pipe goes`() throws {
    tree.make("root/a/f", "root/g")
    mkfifo(tree.root + "/pipe", 0o600)
    #expect(mknod(tree.root + "/a/socket", S_IFSOCK | 0o600, 0) == 0)
    let result = try tree.opened().clear()
    #expect(tree.listing() == ["a/", "a/socket"])
    #expect(result.stays == ["a/socket: socket"])
    #expect(result.freed.entries == 3)
    #expect(result.kept.entries == 1)
  }

  @Test(.enabled(if: RemovalTool.isRoot, "only root may make devices"))
  func `a device stays`() throws {
    tree.make("root/f")
    try #require(mknod(tree.root + "/null", S_IFCHR | 0o600, 0x103) == 0)
    #expect(try tree.opened().clear().stays == ["null: device"])
    #expect(tree.listing() == ["null"])
  }

  // MARK: Open files

  @Test func `a file that a process holds open is gone, but not free`() throws {
    tree.make("root/a/open", "root/f")
    let holder = try Holder(tree.root + "/a/open")
    let root = try tree.opened()
    #expect(try root.preview { _ in }.inUse == .init(entries: 1, bytes: 8192))
    let result = try root.clear()
    holder.end()
    #expect(tree.listing() == [])
    #expect(result.inUse == .init(entries: 1, bytes: 8192))
    #expect(result.freed == .init(entries: 2, bytes: 8192 + 4096))
  }

  @Test func `a file that is only mapped is not free either`() throws {
    tree.make("root/mapped", "root/f")
    let file = open(tree.root + "/mapped", O_RDONLY | O_CLOEXEC)
    let memory = mmap(nil, 4096, PROT_READ, MAP_PRIVATE, file, 0)
    close(file)
    let result = try tree.opened().clear()
    munmap(memory, 4096)
    #expect(result.inUse == .init(entries: 1, bytes: 8192))
    #expect(result.freed == .init(entries: 1, bytes: 8192))
  }

  // MARK: What cannot be removed

  /// Sets the flag that keeps everybody from removing a file (FS_IOC_SETFLAGS).
  private func setImmutable(_ path: String, _ isImmutable: Bool) -> Bool {
    let file = open(tree.path + "/" + path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var flags: CInt = 0
    guard ioctl(file, 0x8008_6601, &flags) == 0 else { return false }
    flags = isImmutable ? flags | 0x10 : flags & ~0x10
    return ioctl(file, 0x4008_6602, &flags) == 0
  }

  @Test(.enabled(if: RemovalTool.isRoot, "only root may set the flag"), arguments: [false, true])
  func `an immutable file stays at its place, wherever it is`(inside: Bool) throws {
    if inside { tree.blockOuterTrash() }
    tree.make("root/a/b/fixed", "root/a/g", "root/fixed", "root/frozen/f", "root/h")
    let fixed = ["root/a/b/fixed", "root/fixed", "root/frozen"]
    for path in fixed { try #require(setImmutable(path, true)) }
    defer { for path in fixed { _ = setImmutable(path, false) } }
    let root = try tree.opened()
    let preview = try root.preview { _ in }
    let result = try root.clear()
    #expect(tree.listing() == ["a/", "a/b/", "a/b/fixed", "fixed", "frozen/", "frozen/f"])
    #expect(result.stays == ["a/b/fixed: failed(1)", "fixed: failed(1)", "frozen/f: failed(1)"])
    #expect(result.failed == .init(entries: 3, bytes: 3 * 8192))
    #expect(result.freed == .init(entries: 2, bytes: 2 * 8192))
    #expect(Set(preview.stays) == result.stays && preview.freed == result.freed)
    #expect(result.leftInTrash == [])
    #expect(result.root.identity == tree.status("root")?.identity)
    #expect(inside ? tree.hasOnlyBlockedTrash : tree.isClean)
  }

  @Test(.enabled(if: RemovalTool.isRoot, "only root may set the flag"))
  func `what cannot be moved back is named where it is`() throws {
    tree.make("root/fixed", "root/h")
    try #require(setImmutable("root/fixed", true))
    var control = RemovalControl()
    var changes = 0
    control.beforeChange = { [tree] in
      changes += 1
      // The app uses its new root.
      if changes == 4 { tree.write("root/new") }
    }
    let result = try tree.opened().clear(control)
    #expect(tree.listing() == ["new"])
    try #require(result.leftInTrash.count == 1)
    let left = String(decoding: result.leftInTrash[0], as: UTF8.self)
    #expect(left.hasPrefix(tree.trash + "/b-") && left.hasSuffix("/fixed"))
    #expect(access(left, F_OK) == 0)
    let file = open(left, O_RDONLY | O_CLOEXEC)
    var flags: CInt = 0
    #expect(ioctl(file, 0x4008_6602, &flags) == 0)
    close(file)
    #expect(try result.root.sweep().freed.entries == 0)
    #expect(tree.listing() == ["new", "fixed"])
    #expect(tree.isClean)
  }

  @Test func `the first hundred problems are told and all are counted`() throws {
    for number in 0..<120 { mknod(tree.root + "/s\(number)", S_IFSOCK | 0o600, 0) }
    tree.make("root/f")
    let result = try tree.opened().clear()
    #expect(result.problems.count == 100)
    #expect(result.kept.entries == 120)
    #expect(tree.listing().count == 120)
  }
}
