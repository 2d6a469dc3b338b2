import FileTree
import Glibc

/// `tree clear|sweep|preview|remove DIR`, each printing one line of JSON: what is in DIR goes; what was left in its trash;
/// what would go; DIR itself, too.
///
/// `TREETOOL_KILL_AFTER=N` ends the process by SIGKILL after N steps that changed something on disk.
enum RemoveCommand {
  static let names = ["clear", "sweep", "preview", "remove"]

  static func run(_ name: String, _ path: String) -> Never {
    switch name {
    case "clear": clear(path)
    case "sweep": show(removal(path).sweep())
    case "preview": show(removal(path).preview { path, _, bytes in print(bytes, text(path)) })
    default: remove(path)
    }
  }

  private static func removal(_ path: String) -> Removal {
    do throws(TreeError) { return Removal(try TreeRoot(path), control: control) } catch {
      fail("\(path): \(error.message)", status: 1)
    }
  }

  /// Says, too, after how long the folder was empty.
  private static func clear(_ path: String) -> Never {
    let start = now
    var usable = 0
    var control = control
    control.usable = { usable = (now - start) / 1000 }
    do throws(TreeError) {
      let report = Removal(try TreeRoot(path), control: control).clear()
      show(report, #""usableMicroseconds":\#(usable),"#)
    } catch {
      fail("\(path): \(error.message)", status: 1)
    }
  }

  /// In nanoseconds.
  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
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
  private static func remove(_ path: String) -> Never {
    let (parent, name) = split(path)
    show(removal(parent).remove(name))
  }

  private static func split(_ path: String) -> (String, [UInt8]) {
    guard let slash = path.lastIndex(of: "/") else { return (".", Array(path.utf8)) }
    return (String(path[...slash]), Array(path[path.index(after: slash)...].utf8))
  }

  private static func show(_ report: RemovalReport, _ more: String = "") -> Never {
    for problem in report.problems { complain("tree: \(text(problem.path)): \(problem.reason)") }
    if let code = report.failure { complain("tree: \(String(cString: strerror(code)))") }
    if let path = report.leftInTrash { complain("tree: left in \(text(path))") }
    print(
      """
      {\(more)"freed":\(report.freed),"stillOpen":\(report.stillOpen),"kept":\(report.kept),"failed":\(report.failed),\
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
