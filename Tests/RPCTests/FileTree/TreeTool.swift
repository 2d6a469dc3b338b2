import Glibc

/// The measuring from the command line: under other limits, as another user, among other mounts.
enum TreeTool {
  static var path: String {
    getenv("TREETOOL_BINARY").map { String(cString: $0) } ?? Binary.root + "/.build/debug/TreeTool"
  }

  /// What a script prints that calls `"$tree"` in the directory `$in`.
  static func run(_ script: String, in tree: TemporaryFolder) async throws -> RunningShell.Ending {
    var setup = RunningShell.Setup("/bin/bash", ["-c", script])
    setup.environment = ["tree": path, "in": tree.path]
    return try await RunningShell.run(setup, input: "")
  }

  static var isRoot: Bool { geteuid() == 0 }
}
