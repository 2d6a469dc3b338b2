import FileTree
import Glibc

/// The removing half.
enum RemoveCommand: String {
  /// As `rm -rf DIR`, or only an entry of it, through the trash.
  case remove
  /// All that is in it.
  case clear
  /// What `clear` would do, or `remove` with an entry.
  case preview
  /// What was left undone.
  case sweep

  /// - Returns: the exit status: 1 where something failed, 3 where nothing was done.
  func run(_ path: String, child: String?) -> Int32 {
    do {
      let root = try TreeRoot(opening: path)
      let start = Self.now()
      var control = control()
      var usable = 0.0
      control.whenUsable = { usable = Self.now() - start }
      let result = try result(root, child, control)
      print(Self.line(result, seconds: Self.now() - start, usable: usable))
      return result.failed.entries > 0 ? 1 : 0
    } catch {
      let path = String(decoding: error.path, as: UTF8.self)
      print("{\"error\":\"\(error.cause)\",\"errno\":\(error.code),\"path\":\"\(path)\"}")
      return 3
    }
  }

  private func result(
    _ root: TreeRoot, _ child: String?, _ control: RemovalControl
  ) throws(TreeFailure) -> RemovalResult {
    switch self {
    case .remove:
      if let child { try root.remove(child, control) } else { try root.removeWholly(control) }
    case .clear: try root.clear(control)
    case .preview: try root.preview(child, control) { _ in }
    case .sweep: try root.sweep(control)
    }
  }

  /// `TREETOOL_KILL_AT=N` ends the process without warning at the Nth change that it makes to the file system,
  /// `TREETOOL_STOP_AT=N` stops the removal there, `TREETOOL_TRACE` writes when the first ones were made.
  private func control() -> RemovalControl {
    func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
    let (kill, stop, trace) = (number("TREETOOL_KILL_AT"), number("TREETOOL_STOP_AT"), number("TREETOOL_TRACE"))
    guard kill != nil || stop != nil || trace != nil else { return RemovalControl() }
    var changes = 0
    let start = Self.now()
    var control = RemovalControl(shouldStop: { stop.map { changes >= $0 } ?? false })
    control.beforeChange = {
      changes += 1
      if changes == kill { Glibc.kill(getpid(), SIGKILL) }
      if let trace, changes <= trace { complain("change \(changes) at \((Self.now() - start) * 1000) ms") }
    }
    return control
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func line(_ result: RemovalResult, seconds: Double, usable: Double) -> String {
    func amount(_ amount: RemovalResult.Amount) -> String { "[\(amount.entries),\(amount.bytes)]" }
    func text(_ path: [UInt8]) -> String { "\"\(String(decoding: path, as: UTF8.self))\"" }
    let problems = result.problems.map { "[\(text($0.path)),\"\($0.reason)\"]" }.joined(separator: ",")
    return """
      {"freed":\(amount(result.freed)),"inUse":\(amount(result.inUse)),"kept":\(amount(result.kept)),\
      "failed":\(amount(result.failed)),"problems":[\(problems)],\
      "leftInTrash":[\(result.leftInTrash.map(text).joined(separator: ","))],"stopped":\(result.wasStopped),\
      "busy":\(result.isBusy),"sawAll":\(result.sawAllProcesses),"seconds":\(seconds),"usable":\(usable)}
      """
  }
}
