import Glibc

@testable import FileTree

/// A directory with real files in it, that is gone with this value: `root` is what is removed, the rest must stay.
final class RemovalTree: Sendable {
  let path: String

  var root: String { path + "/root" }
  /// The trash beside the root.
  var trash: String { path + "/.root.rpcshell-trash" }

  /// Where many files are made and removed faster than on a disk, if there is such a place.
  static let memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

  /// - Parameter place: where it is made.
  init(in place: String = "/tmp") throws {
    var template = Array((place + "/rpctests-tree-" + String(repeating: "X", count: 6)).utf8CString)
    guard mkdtemp(&template) != nil else { throw Spawn.Failure(description: "no temporary directory: \(errno)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    chmod(path, 0o755)
    mkdir(root, 0o755)
  }

  deinit {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    guard let id = try? Spawn("/bin/rm", ["-rf", path], standard: [null, null, null]).start() else { return }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
  }

  /// Directories for paths that end with `/`, files of 5,000 bytes for the others; what is missing on the way is made.
  func make(_ paths: String...) {
    for path in paths {
      let parts = path.split(separator: "/")
      for count in 1..<max(parts.count, 1) {
        mkdir(self.path + "/" + parts.prefix(count).joined(separator: "/"), 0o755)
      }
      if path.hasSuffix("/") {
        mkdir(self.path + "/" + path, 0o755)
      } else {
        write(path)
      }
    }
  }

  func write(_ path: String, bytes: Int = 5_000) {
    let file = open(self.path + "/" + path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    writeAll([UInt8](repeating: 0x78, count: bytes), to: file)
    close(file)
  }

  func link(_ path: String, to target: String) { symlink(target, self.path + "/" + path) }

  func has(_ path: String) -> Bool { FileStatus(at: AT_FDCWD, self.path + "/" + path) != nil }

  func status(_ path: String) -> FileStatus? { FileStatus(at: AT_FDCWD, self.path + "/" + path) }

  /// All paths below a directory of the tree; directories end with `/`.
  func listing(_ directory: String = "root") -> Set<String> {
    var found: Set<String> = []
    func list(_ prefix: String) {
      let open = Glibc.open(path + "/" + directory + "/" + prefix, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard open >= 0 else { return }
      defer { close(open) }
      let entries = DirectoryEntries()
      var failure: Int32 = 0
      var directories: [String] = []
      while entries.next(
        of: open, failure: &failure,
        { entry in
          let path = prefix + String(cString: entry.name)
          let isDirectory = FileStatus(at: open, entry.name)?.kind == .directory
          found.insert(isDirectory ? path + "/" : path)
          if isDirectory { directories.append(path + "/") }
        })
      {}
      directories.forEach(list)
    }
    list("")
    return found
  }

  /// Whether no trash is left, beside the root or in it.
  var isClean: Bool { !has(".root.rpcshell-trash") && !has("root/.rpcshell-trash") }

  func opened() throws(TreeFailure) -> TreeRoot { try TreeRoot(opening: root) }

  /// Keeps a trash from being made beside the root.
  func blockOuterTrash() { write(".root.rpcshell-trash", bytes: 1) }
  var hasOnlyBlockedTrash: Bool { status(".root.rpcshell-trash")?.kind == .file && !has("root/.rpcshell-trash") }
}

extension RemovalResult {
  /// `a/b: locked`
  var stays: Set<String> {
    Set(problems.map { "\(String(decoding: $0.path, as: UTF8.self)): \($0.reason)" })
  }
}

/// The tool in a process of its own.
enum RemovalTool {
  /// - Parameter script: for bash; `$TOOL` is the tool, `$DIR` the tree.
  static func run(
    _ script: String, in tree: RemovalTree, environment: [String: String] = [:]
  ) async throws -> RunningShell.Ending {
    var setup = RunningShell.Setup("/bin/bash", ["-c", script])
    setup.environment = ["TOOL": TreeTool.path, "DIR": tree.path].merging(environment) { $1 }
    return try await RunningShell.run(setup, input: "")
  }

  static let isRoot = TreeTool.isRoot
}

/// A process that holds a file of a tree open.
struct Holder: ~Copyable {
  private let id: pid_t
  private let input: Int32

  init(_ path: String) throws {
    let pipe = Pipe()
    let file = open(path, O_RDWR | O_CLOEXEC)
    (id, input) = (try Spawn("/bin/cat", [], standard: [pipe.reader, file, nil]).start(), pipe.writer)
    close(pipe.reader)
    close(file)
  }

  /// Ends it and waits until it is gone.
  consuming func end() {
    close(input)
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
  }
}
