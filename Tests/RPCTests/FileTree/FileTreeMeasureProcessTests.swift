import FileTree
import Glibc
import Testing

@testable import RPCShell

/// Measuring under limits, as somebody else, among mounts: what only a process of its own can show.
@Suite(.timeLimit(.usualMinutes(1)))
struct FileTreeMeasureProcessTests {
  /// The last line as JSON, after a process that ended well.
  private static func measured(_ script: String, in tree: TemporaryFolder) async throws -> Received {
    let ending = try await TreeTool.run(script, in: tree)
    #expect(ending.exit == .status(0))
    #expect(ending.errors == [])
    return try #require(ending.frames.last)
  }

  // MARK: Descriptors

  @Test func `a chain of 6,000 levels is measured exactly with 64 descriptors`() async throws {
    let tree = try TemporaryFolder()
    try await onThread { tree.chain(levels: 6_000) }
    for threads in [1, 2] {
      let line = try await Self.measured(#"ulimit -n 64; "$tree" measure -t \#(threads) "$in""#, in: tree)
      #expect(line.at("units.0.entries") == "12000")
      #expect(line.at("units.0.allocated") == "\(12_000 * tree.allocated("0"))")
      #expect(line.at("isComplete") == "true")
    }
  }

  @Test(arguments: 4...10)
  func `too few descriptors are never silence`(limit: Int) async throws {
    let tree = try TemporaryFolder()
    let ending = try await TreeTool.run(
      #"cd "$in"; mkdir -p a/b/c/d/e/f/g/h a/b/c/i a/b/j a/k; ulimit -n \#(limit); "$tree" measure -t 2 ."#, in: tree)
    if ending.exit == .status(0) {
      let isExact = ending.frames.last?.at("units.0.entries") == "11"
      #expect(ending.frames.last?.at("isComplete") == (isExact ? "true" : "false"))
      if !isExact { #expect(ending.frames.last?.at("warnings.0.code") == "\(EMFILE)") }
    } else {
      #expect(ending.errors.joined().contains(limit > 3 ? "\(EMFILE)" : "Too many"))
    }
  }

  // MARK: Permissions

  @Test(.enabled(if: TreeTool.isRoot, "only root can become nobody"), arguments: [1, 2])
  func `a directory that may not be read is a warning, and counts itself`(threads: Int) async throws {
    let tree = try TemporaryFolder()
    tree.make("open/seen")
    tree.make("open/closed/hidden")
    tree.permissions("open/closed", 0)
    let line = try await Self.measured(Self.asNobody + #""$tree" measure -t \#(threads) "$in""#, in: tree)
    #expect(line.at("units.0.apparent") == "5000")
    #expect(line.at("units.0.entries") == "3")
    #expect(line.at("units.0.allocated") == "\(8_192 + tree.allocated("open") + tree.allocated("open/closed"))")
    #expect(line.at("isComplete") == "false")
    #expect(line.at("warnings") == #"[{"path":"\#(tree.path)/open/closed","code":\#(EACCES)}]"#)
  }

  @Test(.enabled(if: TreeTool.isRoot, "only root can become nobody"), arguments: [1, 2])
  func `files that may not be looked at are warnings, the first hundred of them with their paths`(
    threads: Int
  ) async throws {
    let tree = try TemporaryFolder()
    for file in 100..<350 { tree.write("listed/\(file)", bytes: 1) }
    tree.permissions("listed", 0o744)
    let line = try await Self.measured(Self.asNobody + #""$tree" measure -t \#(threads) "$in""#, in: tree)
    #expect(line.at("warningCount") == "250")
    #expect(line.at("warnings.0.path") == "\"\(tree.path)/listed/100\"")
    #expect(line.at("warnings.99.path") == "\"\(tree.path)/listed/199\"")
    #expect(line.at("warnings.100") == nil)
    #expect(line.at("units.0.entries") == "1")
  }

  /// Where `..` is not allowed, the way back is from above.
  @Test(.enabled(if: TreeTool.isRoot, "only root can become nobody"))
  func `the way back from a directory that may only be listed is found from above`() async throws {
    let tree = try TemporaryFolder()
    let line = try await Self.measured(
      #"cd "$in"; mkdir -p a/b/c/d/e/f/g/h; for up in . a a/b a/b/c a/b/c/d a/b/c/d/e; do mkdir $up/{x,y,0}; done;"#
        + #"chmod 744 a/b/c/d/e/f/g/h;\#(Self.asNobody) sh -c 'ulimit -n 7; "$tree" measure -t 1 "$in"'"#,
      in: tree)
    #expect(line.at("units.0.entries") == "26")
    #expect(line.at("warnings") == "[]")
  }

  private static let asNobody = "setpriv --reuid=65534 --regid=65534 --clear-groups "

  // MARK: Mounts

  @Test(.enabled(if: TreeTool.isRoot, "only root can mount"), arguments: [1, 2])
  func `what is mounted in a tree is no part of it`(threads: Int) async throws {
    let tree = try TemporaryFolder()
    for name in ["in", "in/bound", "in/tmpfs", "in/self", "outside"] { tree.makeFolder(name) }
    for name in ["in/file", "in/own", "outside/precious"] { tree.write(name) }
    let line = try await Self.measured(
      #"cd "$in"; unshare -m sh -ec 'mount --bind outside in/bound; mount -t tmpfs none in/tmpfs; echo 1 > in/tmpfs/f;"#
        + #"mount --bind in in/self; mount --bind outside/precious in/file; "$tree" measure -t \#(threads) in'"#,
      in: tree)
    #expect(line.at("units.0.entries") == "1")
    #expect(line.at("units.0.allocated") == "8192")
    #expect(line.at("isComplete") == "true")
  }

  @Test(.enabled(if: TreeTool.isRoot, "only root can mount"))
  func `a root may be where something is mounted, an entry may not`() async throws {
    let tree = try TemporaryFolder()
    tree.make("in/below")
    let mounts = #"cd "$in"; unshare -m sh -ec 'mount -t tmpfs none in; mkdir in/d; printf abc > in/d/f; "#
    let root = try await Self.measured(mounts + #""$tree" measure in'"#, in: tree)
    #expect(root.at("units.0.apparent") == "3")
    #expect(root.at("units.0.entries") == "2")
    let entry = try await Self.measured(mounts + #""$tree" measure -e in'"#, in: tree)
    #expect(entry.at("units.0.entries") == "0")
    #expect(entry.at("isComplete") == "true")
  }
}
