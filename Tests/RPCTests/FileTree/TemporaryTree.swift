import FileTree
import Glibc

/// A directory that is there as long as this object, with real files in it. What cannot be made ends the test run.
final class TemporaryTree: @unchecked Sendable {
  let path: String
  /// Of the directory.
  let descriptor: Int32

  /// - Parameter parent: where it is made.
  init(in parent: String = "/tmp") {
    var template = Array("\(parent)/rpctests-tree-\(String(repeating: "X", count: 6))".utf8CString)
    precondition(mkdtemp(&template) != nil, "no temporary directory in \(parent): \(errno)")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Also others than the one who made it are to read it.
    precondition(descriptor >= 0 && fchmod(descriptor, 0o755) == 0)
  }

  deinit {
    close(descriptor)
    guard let id = try? Spawn("/bin/rm", ["-rf", path], standard: [nil, nil, nil]).start() else { return }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
  }

  // MARK: Making

  @discardableResult
  func directory(_ name: String) -> TemporaryTree {
    check(mkdirat(descriptor, name, 0o755), name)
    return self
  }

  /// A file with so many bytes in it.
  func file(_ name: String, bytes: Int = 100) { file(Array(name.utf8), bytes: bytes) }

  func file(_ name: [UInt8], bytes: Int = 100) {
    let file = openat(
      descriptor, name.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    check(file, String(decoding: name, as: UTF8.self))
    writeAll(Array(repeating: 120, count: bytes), to: file)
    close(file)
  }

  /// A file that is as long as that and takes no room.
  func sparseFile(_ name: String, size: Int) {
    file(name, bytes: 0)
    check(truncate("\(path)/\(name)", size), name)
  }

  func hardLink(_ name: String, to target: String) {
    check(linkat(descriptor, target, descriptor, name, 0), name)
  }

  func link(_ name: String, to target: String) { check(symlinkat(target, descriptor, name), name) }

  func fifo(_ name: String) { check(mkfifoat(descriptor, name, 0o644), name) }

  /// Directories in each other, each with one more beside the next, which some file systems read before it on one level
  /// and after it on another.
  func chain(levels: Int) {
    var parent = dup(descriptor)
    for level in 0..<levels {
      let down = "\(level % 7)"
      for name in [down, "beside\(level % 16)"] { check(mkdirat(parent, name, 0o755), name) }
      let next = openat(parent, down, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      close(parent)
      parent = next
    }
    close(parent)
  }

  func permissions(_ name: String, _ mode: mode_t) { check(fchmodat(descriptor, name, mode, 0), name) }

  private func check(_ result: Int32, _ name: String) {
    precondition(result >= 0, "cannot make \(name): \(String(cString: strerror(errno)))")
  }

  // MARK: Looking

  func status(_ name: String) -> stat { Self.status(at: descriptor, name) }

  static func status(at directory: Int32, _ name: String) -> stat {
    var status = stat()
    precondition(fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0, "\(name): \(errno)")
    return status
  }

  /// Bytes on disk of one entry alone.
  func allocated(_ name: String) -> Int { Int(status(name).st_blocks) * 512 }

  /// A directory below, or this one, as a unit. Its descriptor stays open until the end of the test run.
  func content(_ name: String = ".") -> TreeUnit {
    .content(
      of: openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path: name == "." ? path : "\(path)/\(name)")
  }

  func entry(_ name: String) -> TreeUnit { .entry(Array(name.utf8), of: descriptor, path: path) }
}

/// The measuring from the command line: under other limits, as another user, among other mounts.
enum TreeTool {
  static var path: String {
    getenv("TREETOOL_BINARY").map { String(cString: $0) } ?? Binary.root + "/.build/debug/TreeTool"
  }

  /// What a script prints that calls `"$tree"` in the directory `$in`.
  static func run(_ script: String, in tree: TemporaryTree) async throws -> RunningShell.Ending {
    var setup = RunningShell.Setup("/bin/bash", ["-c", script])
    setup.environment = ["tree": path, "in": tree.path]
    return try await RunningShell.run(setup, input: "")
  }

  static var isRoot: Bool { geteuid() == 0 }
}
