import FileTree
import Glibc

/// What the shell does to trees, as a command: `TreeTool clear DIR`. Prints one JSON object.
///
/// `TREETOOL_KILL_AFTER=N` ends the process by SIGKILL after N steps that changed something on disk.
@main
struct TreeTool {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { usage() }
    let path = arguments[arguments.count - 1]
    switch arguments[1] {
    case "clear": show(removal(path).clear())
    case "sweep": show(removal(path).sweep())
    case "preview": show(removal(path).preview { path, isDirectory, bytes in print(bytes, text(path), isDirectory) })
    case "remove": remove(path)
    default: usage()
    }
  }

  private static func usage() -> Never {
    complain("usage: TreeTool clear|sweep|preview|remove DIR")
    exit(2)
  }

  // MARK: Removing

  private static func removal(_ path: String) -> Removal {
    do throws(TreeError) { return Removal(try TreeRoot(path), control: control) } catch {
      complain("TreeTool: \(path): \(error.message)")
      exit(1)
    }
  }

  private static var control: RemovalControl {
    guard let text = getenv("TREETOOL_KILL_AFTER"), var left = Int(String(cString: text)) else {
      return RemovalControl()
    }
    return RemovalControl(step: {
      left -= 1
      if left == 0 { kill(getpid(), SIGKILL) }
    })
  }

  /// As `rm -rf`: the folder goes, too.
  private static func remove(_ path: String) {
    let (parent, name) = split(path)
    show(removal(parent).remove(name))
  }

  private static func split(_ path: String) -> (String, [UInt8]) {
    guard let slash = path.lastIndex(of: "/") else { return (".", Array(path.utf8)) }
    return (String(path[...slash]), Array(path[path.index(after: slash)...].utf8))
  }

  private static func show(_ report: RemovalReport) {
    for problem in report.problems { complain("TreeTool: \(text(problem.path)): \(problem.reason)") }
    if let code = report.failure { complain("TreeTool: \(String(cString: strerror(code)))") }
    if let path = report.leftInTrash { complain("TreeTool: left in \(text(path))") }
    print(
      """
      {"freed":\(report.freed),"stillOpen":\(report.stillOpen),"kept":\(report.kept),"failed":\(report.failed),\
      "removed":\(report.removedCount),"keptCount":\(report.keptCount),"failedCount":\(report.failedCount)}
      """)
    exit(report.isComplete ? 0 : 1)
  }

  private static func complain(_ text: String) {
    let line = text + "\n"
    write(2, line, line.utf8.count)
  }

  private static func text(_ path: [UInt8]) -> String { String(decoding: path, as: UTF8.self) }
}
