import CLinux
import Glibc
import Testing

@testable import FileTree

/// Clearing a root in this process.
@Suite(.timeLimit(.usualMinutes(1)))
struct FileTreeClearTests {
  private let tree: TemporaryFolder

  init() throws { tree = try TemporaryFolder.withRoot() }

  @Test func `the content goes and the root stays as it is`() throws {
    tree.make("root/a/b/f", "root/a/g", "root/h", "root/empty/")
    chmod(tree.root, 0o2750)
    let result = try tree.opened().clear()
    #expect(tree.listing() == [])
    #expect(tree.status("root")?.permissions == 0o2750)
    #expect(result.freed == .init(entries: 6, bytes: 3 * 8192 + 3 * 4096))
    #expect(result.failed.entries + result.kept.entries + result.inUse.entries == 0)
    #expect(tree.isClean)
    #expect(result.root.identity == tree.status("root")?.identity)
  }

  @Test func `the root that a clear returns can be cleared again`() throws {
    var root = try tree.opened()
    for _ in 0..<3 {
      tree.make("root/a/f")
      root = try root.clear().root
      #expect(tree.listing() == [])
    }
    #expect(throws: TreeFailure(.changed, code: ESTALE, path: Array(tree.root.utf8))) {
      let stale = try tree.opened()
      _ = try root.clear()
      _ = try stale.clear()
    }
  }

  @Test func `attributes and access lists of the root are kept`() throws {
    func set(_ name: String, _ value: [UInt8]) -> Int32 { setxattr(tree.root, name, value, value.count, 0) }
    // Version 2: user rwx, user 65534 rwx, group r-x, mask rwx, others none.
    let list: [UInt8] =
      [2, 0, 0, 0] + [1, 0, 7, 0, 255, 255, 255, 255] + [2, 0, 7, 0, 254, 255, 0, 0]
      + [4, 0, 5, 0, 255, 255, 255, 255] + [16, 0, 7, 0, 255, 255, 255, 255] + [32, 0, 0, 0, 255, 255, 255, 255]
    try #require(set("system.posix_acl_access", list) == 0)
    try #require(set("system.posix_acl_default", list) == 0)
    try #require(set("user.note", [1, 2, 3]) == 0)
    tree.make("root/f")
    _ = try tree.opened().clear()
    for (name, value) in [
      ("system.posix_acl_access", list), ("system.posix_acl_default", list), ("user.note", [1, 2, 3]),
    ] {
      var now = [UInt8](repeating: 0, count: 100)
      let count = getxattr(tree.root, name, &now, now.count)
      #expect(Array(now.prefix(max(count, 0))) == value, "\(name)")
    }
    #expect(tree.listing() == [])
  }

  // MARK: Links

  @Test(arguments: [false, true])
  func `of links only the links go`(inside: Bool) throws {
    if inside { tree.blockOuterTrash() }
    tree.make("photos/1.jpg", "root/a/")
    tree.link("root/photos", to: tree.path + "/photos")
    tree.link("root/a/loop", to: "loop")
    tree.link("root/slash", to: "/")
    tree.link("root/up", to: "..")
    let result = try tree.opened().clear()
    #expect(result.freed.entries == 5)
    #expect(tree.listing() == [])
    #expect(tree.listing("photos") == ["1.jpg"])
  }

  @Test func `a name outside keeps the bytes, and the last name inside frees them`() throws {
    tree.make("photos/p", "root/f")
    Glibc.link(tree.path + "/photos/p", tree.root + "/outer")
    Glibc.link(tree.root + "/f", tree.root + "/g")
    let root = try tree.opened()
    #expect(try root.preview { _ in }.freed == .init(entries: 3, bytes: 8192))
    #expect(try root.clear().freed == .init(entries: 3, bytes: 8192))
    #expect(tree.listing("photos") == ["p"])
  }

  @Test func `a root behind a link is the directory that it led to`() throws {
    tree.make("root/f", "other/g")
    tree.link("link", to: "root")
    let root = try TreeRoot(opening: tree.path + "/link")
    unlink(tree.path + "/link")
    tree.link("link", to: "other")
    #expect(root.path == Array(tree.root.utf8))
    _ = try root.clear()
    #expect(tree.listing() == [])
    #expect(tree.listing("other") == ["g"])
  }

  @Test func `names need not be UTF-8`() throws {
    tree.make("root/a/")
    let name: [CChar] = [-1, -2, 10, 34, 0]
    let directory = open(tree.root, O_RDONLY | O_CLOEXEC)
    close(openat(directory, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
    mkdirat(directory, [-61, 0], 0o700)
    close(directory)
    let seen = Seen()
    let root = try tree.opened()
    _ = try root.preview { seen.add($0) }
    #expect(seen.went.contains([0xFF, 0xFE, 10, 34]))
    #expect(try root.clear().freed.entries == 3)
    #expect(tree.listing() == [])
  }

  // MARK: What is refused

  @Test func `a root that is not there, no directory, or no entry of anything is refused`() throws {
    tree.write("file")
    #expect(throws: TreeFailure(.unreadable, code: ENOENT, path: Array("/nowhere/x".utf8))) {
      try TreeRoot(opening: "/nowhere/x")
    }
    #expect { try TreeRoot(opening: tree.path + "/file") } throws: { ($0 as? TreeFailure)?.code == ENOTDIR }
    #expect { try TreeRoot(opening: "/") } throws: { ($0 as? TreeFailure)?.cause == .noPlace }
  }

  @Test func `a root that another directory has taken the place of is not touched`() throws {
    tree.make("root/f", "other/g")
    let root = try tree.opened()
    #expect(cl_rename_exchange(AT_FDCWD, tree.root, AT_FDCWD, tree.path + "/other") == 0)
    #expect { try root.clear() } throws: { ($0 as? TreeFailure)?.cause == .changed }
    #expect { try root.preview { _ in } } throws: { ($0 as? TreeFailure)?.cause == .changed }
    #expect(tree.listing() == ["g"])
    #expect(tree.listing("other") == ["f"])
  }

  @Test func `a root that is swapped in the last moment comes back`() throws {
    tree.make("root/f", "other/g")
    let root = try tree.opened()
    var control = RemovalControl()
    var changes = 0
    control.beforeChange = { [tree] in
      changes += 1
      if changes == 3 { _ = cl_rename_exchange(AT_FDCWD, tree.root, AT_FDCWD, tree.path + "/other") }
    }
    #expect { try root.clear(control) } throws: { ($0 as? TreeFailure)?.cause == .changed }
    #expect(tree.listing() == ["g"])
    #expect(tree.listing("other") == ["f"])
    #expect(tree.isClean)
  }

  @Test func `a trash that is not ours alone is not used`() throws {
    tree.make("root/a/f", "photos/p")
    tree.link(".root.rpcshell-trash", to: "photos")
    #expect(try tree.opened().clear().freed.entries == 2)
    #expect(tree.listing("photos") == ["p"])
    unlink(tree.trash)

    tree.make("root/a/f", ".root.rpcshell-trash/c-0000000000000001-0000000000000001/f")
    #expect(tree.status(".root.rpcshell-trash")?.permissions == 0o755)
    #expect(try tree.opened().clear().freed.entries == 2)
    #expect(try tree.opened().sweep().freed.entries == 0)
    #expect(tree.listing(".root.rpcshell-trash").count == 2)
  }

  // MARK: Without an exchange

  @Test func `entries are moved into a trash in the root where there is none beside it`() throws {
    tree.blockOuterTrash()
    tree.make("root/a/b/f", "root/g")
    let root = try tree.opened()
    let result = try root.clear()
    #expect(result.freed.entries == 4)
    #expect(result.root.identity == root.identity)
    #expect(tree.listing() == [])
    #expect(tree.hasOnlyBlockedTrash)
  }

  @Test func `entries are removed where they are when there can be no trash at all`() throws {
    tree.blockOuterTrash()
    tree.make("root/a/b/f", "root/g")
    tree.write("root/.rpcshell-trash")
    // What has the trash's name is the app's, and goes as well.
    #expect(try tree.opened().clear().freed.entries == 5)
    #expect(tree.listing() == [])
  }

  @Test(
    arguments: [
      (["own/f"], 0o700, false), (["own/f"], 0o755, false), (["p-0000000000000000-0000000000000001/f"], 0o755, false),
      (["p-0000000000000000-000000000000000/f"], 0o700, false),
      (["p-0000000000000000-0000000000000001/f", "own/f"], 0o700, true), ([], 0o700, true), ([], 0o755, false),
    ] as [([String], mode_t, Bool)])
  func `a directory with the trash's name is content unless it is a trash`(
    entries: [String], mode: mode_t, isTrash: Bool
  ) throws {
    let name = ".rpcshell-trash"
    tree.blockOuterTrash()
    tree.make("root/\(name)/")
    for entry in entries { tree.make("root/\(name)/\(entry)") }
    chmod(tree.root + "/" + name, mode)
    let root = try tree.opened()
    #expect(TreeRoot.isTrash(Array(name.utf8), in: root.descriptor) == isTrash)
    let before = tree.listing()
    var previewed: Set<String> = []
    _ = try root.preview { previewed.insert(String(decoding: $0.path, as: UTF8.self)) }
    #expect(previewed.count == (isTrash ? 0 : before.count))
    #expect(try root.clear().freed.entries == (isTrash ? entries.filter { $0.hasPrefix("p-") }.count : before.count))
    #expect(tree.listing() == (isTrash && !entries.isEmpty ? [name + "/", name + "/own/", name + "/own/f"] : []))
  }

  @Test func `an app's directory with the trash's name can be removed`() throws {
    tree.make("root/.rpcshell-trash/f", "root/g")
    #expect(try tree.opened().remove(".rpcshell-trash").freed.entries == 2)
    #expect(tree.listing() == ["g"])
  }

  // MARK: Stopping

  @Test(arguments: [false, true])
  func `what is not gone when it is stopped is where it was`(inside: Bool) throws {
    if inside { tree.blockOuterTrash() }
    for number in 0..<40 { tree.make("root/d\(number)/f", "root/f\(number)") }
    let before = tree.listing()
    let root = try tree.opened()
    let seen = Seen()
    var control = RemovalControl(shouldStop: { seen.count >= 100 })
    control.beforeChange = { seen.count += 1 }
    let result = try root.clear(control)
    #expect(result.wasStopped)
    let after = tree.listing()
    #expect(after.isSubset(of: before))
    #expect(before.count - after.count == result.freed.entries)
    #expect(result.freed.entries < before.count)
    #expect(result.root.identity == tree.status("root")?.identity)
    #expect(inside ? tree.hasOnlyBlockedTrash : tree.isClean)
    #expect(try result.root.clear().freed.entries == after.count)
  }

  @Test func `progress says what is gone`() throws {
    for number in 0..<300 { tree.make("root/f\(number)") }
    let seen = Seen()
    var control = RemovalControl(progress: { seen.amounts.append($0) })
    // The clock is looked at once for 32 entries, and 25 ms later each time.
    var time = 0
    control.now = {
      time += 25_000_000
      return time
    }
    _ = try tree.opened().clear(control)
    #expect(seen.amounts.map(\.entries) == [128, 256])
    #expect(seen.amounts.first?.bytes == 128 * 8192)
  }
}

/// What a preview and a progress function have been told.
final class Seen {
  var went: Set<[UInt8]> = []
  var stayed: Set<[UInt8]> = []
  var bytes = 0
  var count = 0
  var amounts: [RemovalResult.Amount] = []

  func add(_ entry: RemovalPreviewEntry) {
    if entry.reason == nil { went.insert(Array(entry.path)) } else { stayed.insert(Array(entry.path)) }
    if entry.reason == nil { bytes += entry.bytes }
  }

  /// Paths as a listing has them, but for the `/` of directories.
  var wentNames: Set<String> { Set(went.map { String(decoding: $0, as: UTF8.self) }) }
}
