import Glibc

@testable import FileTree

/// What a removal is tried on: `root` is what is removed, the rest must stay.
extension TemporaryFolder {
  /// With an empty root.
  static func withRoot(in place: String = "/tmp") throws -> TemporaryFolder {
    let folder = try TemporaryFolder(in: place)
    folder.makeFolder("root")
    return folder
  }

  var root: String { at("root") }
  /// The trash beside the root.
  var trash: String { at(".root.rpcshell-trash") }

  func status(_ path: String) -> FileStatus? { FileStatus(at: AT_FDCWD, at(path)) }

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
    _ script: String, in tree: TemporaryFolder, environment: [String: String] = [:]
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
