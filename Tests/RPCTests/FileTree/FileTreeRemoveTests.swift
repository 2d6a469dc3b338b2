import CLinux
import Glibc
import RPCShell
import Testing

@testable import FileTree

/// Removing one entry of a root, and saying before what would go.
@Suite(.timeLimit(.usualMinutes(1)))
struct FileTreeRemoveTests {
  private let tree: TemporaryFolder

  init() throws {
    tree = try TemporaryFolder.withRoot()
    tree.make("root/one/a/f", "root/one/g", "root/two", "root/three/h", "photos/p")
    tree.link("root/one/link", to: tree.path + "/photos")
  }

  @Test(arguments: [false, true], [("one", 5), ("two", 1)])
  func `one entry goes as a whole, and nothing else`(inside: Bool, child: (String, Int)) throws {
    if inside { tree.blockOuterTrash() }
    let root = try tree.opened()
    let before = tree.listing()
    let seen = Seen()
    let preview = try root.preview(child.0) { seen.add($0) }
    #expect(tree.listing() == before)
    let result = try root.remove(child.0, expecting: tree.status("root/" + child.0)?.identity)
    #expect(result.freed.entries == child.1)
    #expect(result.freed == preview.freed && seen.bytes == result.freed.bytes)
    let gone = Set(before.subtracting(tree.listing()).map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 })
    #expect(gone == seen.wentNames)
    #expect(tree.listing("photos") == ["p"])
    #expect(inside ? tree.hasOnlyBlockedTrash : tree.isClean)
    #expect(result.root.identity == root.identity)
  }

  @Test func `a link to an entry is removed, not what it leads to`() throws {
    tree.link("root/two-again", to: "two")
    #expect(try tree.opened().remove("two-again").freed.entries == 1)
    #expect(tree.has("root/two"))
  }

  @Test func `an entry that is not what was measured stays`() throws {
    let root = try tree.opened()
    let measured = try #require(tree.status("root/two")?.identity)
    tree.write("root/newer")
    rename(tree.root + "/newer", tree.root + "/two")
    #expect { try root.remove("two", expecting: measured) } throws: { ($0 as? TreeFailure)?.cause == .changed }
    #expect(tree.has("root/two"))

    // Swapped between the check and the move.
    var control = RemovalControl()
    var changes = 0
    control.beforeChange = { [tree] in
      changes += 1
      if changes == 3 { _ = cl_rename_exchange(AT_FDCWD, tree.root + "/two", AT_FDCWD, tree.root + "/three") }
    }
    #expect { try root.remove("two", control) } throws: { ($0 as? TreeFailure)?.cause == .changed }
    #expect(tree.has("root/two/h") && tree.status("root/three")?.kind == .file)
    #expect(tree.isClean)
  }

  @Test(arguments: ["", ".", "..", "one/a", "/", ".rpcshell-trash"])
  func `what is no name of an entry is refused`(name: String) throws {
    let root = try tree.opened()
    #expect { try root.remove(name) } throws: { ($0 as? TreeFailure)?.cause == .badName }
    #expect { try root.preview(name) { _ in } } throws: { ($0 as? TreeFailure)?.cause == .badName }
  }

  @Test func `an entry that is gone is said to be`() throws {
    #expect { try tree.opened().remove("nothing") } throws: {
      $0 as? TreeFailure == TreeFailure(.changed, code: ENOENT, path: Array((tree.root + "/nothing").utf8))
    }
  }

  @Test func `what stays of an entry is where it was`() throws {
    #expect(mknod(tree.root + "/one/a/socket", S_IFSOCK | 0o600, 0) == 0)
    let result = try tree.opened().remove("one")
    #expect(result.stays == ["one/a/socket: socket"])
    #expect(tree.listing() == ["one/", "one/a/", "one/a/socket", "two", "three/", "three/h"])
    #expect(tree.isClean)
  }

  @Test func `a preview touches nothing and lists exactly what goes`() throws {
    for number in 0..<50 { tree.make("root/d\(number % 7)/e\(number % 3)/f\(number)") }
    Glibc.link(tree.root + "/d1/e1/f1", tree.root + "/d2/other")
    Glibc.link(tree.root + "/d1/e1/f22", tree.path + "/photos/other")
    mknod(tree.root + "/d3/socket", S_IFSOCK | 0o600, 0)
    let locked = open(tree.root + "/d4/e1/f4", O_RDWR | O_CLOEXEC)
    flock(locked, LOCK_EX)
    defer { close(locked) }
    let before = tree.listing()
    let root = try tree.opened()
    let seen = Seen()
    let preview = try root.preview { seen.add($0) }
    #expect(tree.listing() == before && tree.isClean)
    #expect(tree.status("root")?.identity == root.identity)

    let result = try root.clear()
    let gone = before.subtracting(tree.listing()).map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    #expect(seen.wentNames == Set(gone))
    #expect(seen.stayed.count == 2)
    #expect(preview.freed == result.freed && seen.bytes == result.freed.bytes)
    #expect(preview.kept == result.kept && Set(preview.stays) == result.stays)
  }

  // MARK: Others at work

  @Test func `new files survive while the old ones go`() async throws {
    for number in 0..<400 { tree.make("root/d\(number % 20)/f\(number)") }
    let root = try tree.opened()
    let (path, old) = (tree.root, root.identity)
    let made = Mailbox<String>()
    let isDone = Flag()
    startThread {
      var number = 0
      while !isDone.isSet {
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        number += 1
        let name = "new\(number)"
        let isNew = FileStatus(of: directory)?.identity != old
        mkdirat(directory, "d1", 0o755)
        let file = openat(directory, number % 2 == 0 ? name : "d1/" + name, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        if file >= 0 && isNew { made.put(number % 2 == 0 ? name : "d1/" + name) }
        for descriptor in [file, directory] where descriptor >= 0 { close(descriptor) }
        if number > 3_000 { break }
      }
      made.finish()
    }
    let result = try root.clear()
    isDone.set()
    let new = await made.rest()
    let now = tree.listing()
    #expect(new.allSatisfy(now.contains))
    #expect(!now.contains { $0.contains("f") })
    #expect(result.failed.entries == 0)
    #expect(tree.isClean)
  }

  @Test func `a directory that others fill faster than it is emptied goes back in the end`() throws {
    let directory = open(tree.root + "/one/a", O_RDONLY | O_CLOEXEC)
    defer { close(directory) }
    var control = RemovalControl()
    var changes = 0
    control.beforeChange = {
      changes += 1
      close(openat(directory, "x\(changes)", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
    }
    let result = try tree.opened().clear(control)
    #expect(result.stays == ["one/a: failed(\(ENOTEMPTY))"])
    #expect(tree.has("root/one/a/x\(changes)"))
    #expect(!tree.has("root/two") && !tree.has("root/one/g"))
    #expect(tree.isClean)
  }

  @Test(arguments: [false, true])
  func `nothing outside is lost while a directory is swapped for a link`(wholly: Bool) async throws {
    for _ in 0..<15 {
      let tree = try TemporaryFolder.withRoot(in: TemporaryFolder.memory)
      for number in 0..<100 { tree.make("root/a/f\(number)", "victim/f\(number)") }
      tree.link("link", to: tree.path + "/victim")
      let isDone = Flag()
      let ended = Later<Bool>()
      startThread {
        while !isDone.isSet { _ = cl_rename_exchange(AT_FDCWD, tree.root + "/a", AT_FDCWD, tree.path + "/link") }
        ended.set(true)
      }
      let root = try tree.opened()
      _ = wholly ? try root.removeWholly() : try root.clear()
      isDone.set()
      _ = try await ended.value
      #expect(tree.listing("victim").count == 100)
    }
  }
}

/// Something that one thread says to another.
final class Flag: Sendable {
  private let state = Locked(false)

  var isSet: Bool { state.withLock { $0 } }
  func set() { state.withLock { $0 = true } }
}
