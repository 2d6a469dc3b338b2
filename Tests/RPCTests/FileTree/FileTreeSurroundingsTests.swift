import CLinux
import Glibc
import Testing

@testable import FileTree

/// Clearing where mounts, rights, full disks and few descriptors are in the way: the tool in a process of its own.
@Suite(.timeLimit(.usualMinutes(1)))
struct FileTreeSurroundingsTests {
  private let tree: TemporaryFolder

  init() throws { tree = try TemporaryFolder.withRoot() }

  private static let needsRoot = Comment("only root may mount and change users")

  /// Runs a script in a mount namespace of its own: what it mounts is gone with it.
  private func runMounted(_ script: String) async throws -> RunningShell.Ending {
    let whole = "export DIR TOOL; exec unshare -m --propagation private bash -c 'set -e; cd $DIR; \(script)'"
    return try await RemovalTool.run(whole, in: tree)
  }

  /// Runs a script as nobody.
  private func runAsNobody(_ script: String) async throws -> RunningShell.Ending {
    let whole = """
      cp $TOOL $DIR/tool; chmod 755 $DIR/tool; export TOOL=$DIR/tool DIR; cd $DIR
      exec setpriv --reuid=65534 --regid=65534 --clear-groups bash -c '\(script)'
      """
    return try await RemovalTool.run(whole, in: tree)
  }

  // MARK: Mounts

  @Test(.enabled(if: RemovalTool.isRoot, needsRoot))
  func `mounts survive whole and at their place`() async throws {
    tree.make("root/m/", "root/x/y/bind/", "root/x/f", "root/file", "root/g", "photos/p")
    let ending = try await runMounted(
      """
      mount -t tmpfs none root/m; mkdir root/m/d; echo 1 > root/m/d/f
      mount --bind photos root/x/y/bind; mount --bind photos/p root/file
      $TOOL preview root || true; $TOOL clear root || true; find root -mindepth 1 | sort; ls -a .; umount root/x/y/bind root/m
      """)
    let stays = [
      "root/file", "root/m", "root/m/d", "root/m/d/f", "root/x", "root/x/y", "root/x/y/bind", "root/x/y/bind/p",
    ]
    #expect(Array(ending.texts.dropFirst(2).prefix(8)) == stays, "\(ending)")
    #expect(!ending.texts.contains { $0.contains("rpcshell-trash") })
    for frame in ending.frames.prefix(2) {
      #expect(frame.at("freed") == "[2,16384]")
      #expect(frame.at("kept") == "[3,\(frame.at("kept.1") ?? "")]")
      for name in ["m", "x/y/bind", "file"] { #expect(frame.text.contains("[\"\(name)\",\"mount\"]")) }
    }
    #expect(tree.listing("photos") == ["p"])
  }

  @Test(.enabled(if: RemovalTool.isRoot, needsRoot))
  func `a root that is a mount point is cleared`() async throws {
    let ending = try await runMounted(
      """
      mount -t tmpfs none root; mkdir -p root/a/b; echo 1 > root/a/b/f; echo 2 > root/g
      $TOOL clear root; find root; ls -a .
      """)
    #expect(ending.frames.first?.at("freed.0") == "4")
    #expect(Array(ending.texts.dropFirst().prefix(1)) == ["root"])
    #expect(!ending.texts.contains { $0.contains("rpcshell-trash") })
  }

  @Test(.enabled(if: RemovalTool.isRoot, needsRoot))
  func `a file system that can only be read says so`() async throws {
    let ending = try await runMounted(
      """
      mount -t tmpfs none root; mkdir root/c; echo 1 > root/c/f; mount -o remount,ro root
      $TOOL clear root/c || echo $?; $TOOL remove root/c f || echo $?; $TOOL preview root/c || echo $?; find root
      """)
    #expect(ending.frames.first?.at("error") == #""readOnly""# && ending.frames.first?.at("errno") == "\(EROFS)")
    try #require(ending.texts.count == 9)
    #expect(ending.frames[2].at("error") == #""readOnly""# && ending.texts[3] == "3")
    #expect(ending.frames[4].at("problems") == "[[\"f\",\"failed(\(EROFS))\"]]")
    #expect(ending.texts.last == "root/c/f")
  }

  @Test(.enabled(if: RemovalTool.isRoot, needsRoot))
  func `a full file system is cleared`() async throws {
    let ending = try await runMounted(
      """
      mount -t tmpfs -o nr_inodes=16,size=256k none root; mkdir -p root/c/d
      for i in 1 2 3 4 5 6 7 8 9 a b c d e f g h; do echo $i > root/c/d/$i 2>/dev/null || break; done
      head -c 1M /dev/zero > root/c/d/1 2>/dev/null || true
      mkdir root/more 2>/dev/null || echo full; $TOOL clear root/c; find root
      """)
    #expect(ending.texts.first == "full")
    #expect(ending.frames.dropFirst().first?.at("failed") == "[0,0]")
    #expect(Array(ending.texts.dropFirst(2)) == ["root", "root/c"])
  }

  // MARK: Rights

  @Test(.enabled(if: RemovalTool.isRoot, needsRoot))
  func `what one has no right to is told, and the rest goes`() async throws {
    tree.make("root/a/b/f", "root/closed/f", "root/foreign/f", "root/g", "root/sticky/theirs", "root/sticky/")
    for path in ["", "/root", "/root/a", "/root/a/b", "/root/a/b/f", "/root/closed", "/root/closed/f", "/root/g"] {
      chown(tree.path + path, 65534, 65534)
    }
    chmod(tree.root + "/sticky", 0o1777)
    let ending = try await runAsNobody(
      "chmod 0 root/closed; $TOOL preview root || echo $?; $TOOL clear root || echo $?; chmod 755 root/closed")
    let stays = ["closed\",\"failed(13)", "foreign/f\",\"failed(13)", "sticky/theirs\",\"failed(1)"]
    for frame in [ending.frames[0], ending.frames[2]] {
      for text in stays { #expect(frame.text.contains(text), "\(frame.text)") }
      #expect(frame.at("freed.0") == "4" && frame.at("failed.0") == "3" && frame.at("leftInTrash") == "[]")
    }
    #expect(
      tree.listing() == ["closed/", "closed/f", "foreign/", "foreign/f", "sticky/", "sticky/theirs"])
    #expect(tree.isClean)
  }

  @Test(.enabled(if: RemovalTool.isRoot, needsRoot))
  func `a root in a directory of somebody else is cleared`() async throws {
    tree.make("root/a/b/f", "root/g")
    for path in ["/root", "/root/a", "/root/a/b", "/root/a/b/f", "/root/g"] { chown(tree.path + path, 65534, 65534) }
    let before = tree.status("root")?.identity
    let ending = try await runAsNobody("$TOOL clear root")
    #expect(ending.frames.first?.at("freed.0") == "4", "\(ending)")
    #expect(tree.listing() == [] && tree.status("root")?.identity == before)
    // Processes of others cannot be looked at.
    #expect(ending.frames.first?.at("sawAll") == "false")
  }

  @Test(.enabled(if: RemovalTool.isRoot, needsRoot))
  func `a trash of somebody else is not used`() async throws {
    tree.make("root/a/f", ".root.rpcshell-trash/p-0000000000000000-0000000000000001/f")
    chmod(tree.trash, 0o700)
    chown(tree.trash, 65534, 65534)
    #expect(try tree.opened().sweep().freed.entries == 0)
    #expect(try tree.opened().clear().freed.entries == 2)
    #expect(tree.listing() == [])
    #expect(tree.listing(".root.rpcshell-trash").count == 2)
  }

  // MARK: Depth

  @Test func `a chain of 50,000 directories goes with 64 descriptors`() async throws {
    let tree = try TemporaryFolder.withRoot(in: TemporaryFolder.memory)
    let levels = 50_000
    var directory = open(tree.root, O_RDONLY | O_CLOEXEC)
    for _ in 0..<levels {
      mkdirat(directory, "d", 0o755)
      let next = openat(directory, "d", O_RDONLY | O_CLOEXEC)
      close(directory)
      directory = next
    }
    close(openat(directory, "f", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
    close(directory)
    let script = "ulimit -n 64; $TOOL preview $DIR/root && $TOOL clear $DIR/root"
    let ending = try await RemovalTool.run(script, in: tree)
    #expect(ending.frames.count == 2)
    for frame in ending.frames { #expect(frame.at("freed.0") == "\(levels + 1)", "\(frame)") }
    #expect(tree.listing() == [])
    #expect(tree.isClean)
  }

  @Test func `directories beside a deep chain are all found again on the way up`() async throws {
    var path = "root"
    for level in 0..<80 {
      tree.make("\(path)/a/f", "\(path)/b/g", "\(path)/h\(level)")
      path += "/m"
    }
    tree.make(path + "/")
    let entries = tree.listing().count
    let script = "ulimit -n 64; $TOOL preview $DIR/root && $TOOL clear $DIR/root"
    let ending = try await RemovalTool.run(script, in: tree)
    #expect(ending.frames.map { $0.at("freed.0") } == ["\(entries)", "\(entries)"])
    #expect(tree.listing() == [])
  }
}
