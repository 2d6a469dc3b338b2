import Glibc
import Testing

@testable import FileTree

/// Removals that are killed, and what the next process makes of them.
@Suite(.timeLimit(.usualMinutes(1)))
struct FileTreeCrashTests {
  /// A tree with a bit of everything; `root/a/locked` is locked by this process as long as the descriptor is open.
  private func makeTree(inside: Bool) throws -> (TemporaryFolder, locked: Int32) {
    let tree = try TemporaryFolder.withRoot(in: TemporaryFolder.memory)
    if inside { tree.blockOuterTrash() }
    tree.make("root/a/f", "root/a/locked", "root/b/c/g", "root/h", "photos/p")
    tree.link("root/b/link", to: tree.path + "/photos")
    let locked = open(tree.root + "/a/locked", O_RDWR | O_CLOEXEC)
    #expect(flock(locked, LOCK_EX) == 0)
    return (tree, locked)
  }

  private static let kept: Set<String> = ["a/", "a/locked"]

  /// Ends the tool at its first, second … change to the file system until it gets through.
  private func killEverywhere(inside: Bool, stopping: Int? = nil, _ check: (TemporaryFolder) throws -> Void)
    async throws
  {
    for number in 1... {
      let (tree, locked) = try makeTree(inside: inside)
      defer { close(locked) }
      var environment = ["TREETOOL_KILL_AT": "\(number)"]
      if let stopping { environment["TREETOOL_STOP_AT"] = "\(stopping)" }
      let ending = try await RemovalTool.run("exec $TOOL clear $DIR/root", in: tree, environment: environment)
      #expect(tree.status("root")?.kind == .directory)
      #expect(tree.listing("photos") == ["p"])
      try check(tree)
      if ending.exit != .signal(SIGKILL) {
        #expect(number > (stopping ?? 12) && ending.exit == .status(0))
        return
      }
    }
  }

  @Test(arguments: [false, true])
  func `whenever it is killed the tree is as it was, or the next start finishes`(inside: Bool) async throws {
    try await killEverywhere(inside: inside) { tree in
      let before = tree.listing().filter { !$0.hasPrefix(".rpcshell-trash") }
      let result = try tree.opened().sweep()
      #expect(result.leftInTrash == [])
      #expect(inside ? tree.hasOnlyBlockedTrash : tree.isClean)
      let after = tree.listing()
      #expect(after.isSubset(of: before.union(Self.kept)))
      // Locked: at its place again, and its content with it.
      #expect(after.isSuperset(of: Self.kept))
      #expect(tree.status("root/a/locked")?.allocatedBytes == 8192)
      if !inside { #expect(after == Self.kept || after.count == 8, "\(after)") }
      #expect(try tree.opened().clear().failed.entries == 0)
      #expect(tree.listing() == Self.kept)
    }
  }

  @Test(arguments: [false, true])
  func `what a stopped removal had not taken yet comes back even if it is killed then`(inside: Bool) async throws {
    try await killEverywhere(inside: inside, stopping: inside ? 8 : 6) { tree in
      _ = try tree.opened().sweep()
      #expect(inside ? tree.hasOnlyBlockedTrash : tree.isClean)
      #expect(tree.listing().isSuperset(of: Self.kept))
    }
  }

  @Test func `what came into the new root is merged with what goes back, and never replaced`() throws {
    let (tree, locked) = try makeTree(inside: false)
    defer { close(locked) }
    #expect(mknod(tree.root + "/b/c/socket", S_IFSOCK | 0o600, 0) == 0)
    var control = RemovalControl()
    var changes = 0
    control.beforeChange = {
      changes += 1
      // The exchange was the third: the app makes the same directories again, and one of the files.
      guard changes == 4 else { return }
      tree.make("root/b/c/new", "root/a/other")
      tree.write("root/a/locked", bytes: 1)
    }
    let result = try tree.opened().clear(control)
    #expect(tree.listing() == ["a/", "a/locked", "a/other", "b/", "b/c/", "b/c/new", "b/c/socket"])
    #expect(tree.status("root/a/locked")?.apparentBytes == 1)
    #expect(result.leftInTrash.count == 1)
    #expect(String(decoding: result.leftInTrash.first ?? [], as: UTF8.self).hasSuffix("/a"))
    #expect(try tree.opened().waiting() == result.leftInTrash)
    #expect(try tree.opened().sweep().leftInTrash == result.leftInTrash)
    // Once its place is free it goes back.
    unlink(tree.root + "/a/locked")
    #expect(try tree.opened().sweep().leftInTrash == [])
    #expect(try tree.opened().waiting() == [])
    #expect(tree.status("root/a/locked")?.apparentBytes == 5000)
    #expect(tree.isClean)
  }

  @Test func `a deep directory that there is again is merged level by level`() throws {
    let tree = try TemporaryFolder.withRoot()
    let deep = (0..<100).map { "d\($0)" }.joined(separator: "/")
    let stage = Trash.Stage(.back, inode: 1)
    let name = String(decoding: stage.name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    mkdir(tree.trash, 0o700)
    tree.make(".root.rpcshell-trash/\(name)/\(deep)/old", "root/\(deep)/new", ".root.rpcshell-trash/\(name)/d0/f")
    #expect(try tree.opened().sweep().leftInTrash == [])
    #expect(tree.has("root/\(deep)/old") && tree.has("root/\(deep)/new") && tree.has("root/d0/f"))
    #expect(tree.isClean)
  }

  @Test func `a sweep touches nothing but stages`() throws {
    let tree = try TemporaryFolder.withRoot()
    mkdir(tree.trash, 0o700)
    tree.make(".root.rpcshell-trash/mine/f", ".root.rpcshell-trash/c-1/f", "root/g")
    // It says that it is a root that was cleared, and is another directory.
    let other = "c-0000000000000001-00000000000000ff"
    tree.make(".root.rpcshell-trash/\(other)/h")
    let result = try tree.opened().sweep()
    #expect(result.freed.entries == 0)
    #expect(tree.listing(".root.rpcshell-trash") == ["mine/", "mine/f", "c-1/", "c-1/f"])
    #expect(tree.listing() == ["g", "h"])
  }

  // MARK: Two processes

  @Test func `a trash that somebody works in is left to them`() throws {
    let tree = try TemporaryFolder.withRoot()
    mkdir(tree.trash, 0o700)
    tree.make(".root.rpcshell-trash/p-0000000000000000-0000000000000001/f", "root/g")
    let trash = open(tree.trash, O_RDONLY | O_CLOEXEC)
    flock(trash, LOCK_EX)
    #expect(try tree.opened().sweep().isBusy)
    #expect { try tree.opened().clear() } throws: { ($0 as? TreeFailure)?.cause == .busy }
    #expect { try tree.opened().remove("g") } throws: { ($0 as? TreeFailure)?.cause == .busy }
    #expect(tree.has(".root.rpcshell-trash/p-0000000000000000-0000000000000001/f") && tree.has("root/g"))
    close(trash)
    #expect(try tree.opened().sweep().freed.entries == 1)
    #expect(tree.isClean)
  }

  @Test func `two processes that clear at once leave an empty root`() async throws {
    for _ in 0..<4 {
      let tree = try TemporaryFolder.withRoot(in: TemporaryFolder.memory)
      for number in 0..<60 { tree.make("root/d\(number % 6)/f\(number)") }
      let script = "for i in 1 2 3; do $TOOL clear $DIR/root & done; wait; $TOOL sweep $DIR/root >/dev/null"
      let ending = try await RemovalTool.run(script, in: tree)
      #expect(ending.frames.count == 3)
      #expect(ending.frames.allSatisfy { $0.at("failed") == "[0,0]" || $0.at("error") != nil })
      #expect(tree.listing() == [])
      #expect(tree.isClean)
    }
  }
}
