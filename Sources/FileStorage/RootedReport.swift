import AccountModel
import FileTree
import Glibc
import RPCShell

/// What a removal in several roots came to, in words.
struct RootedReport: Sendable {
  private(set) var sum = RemovalReport()
  /// What stayed and why, with whole paths.
  private(set) var problems: [StorageWarning] = []

  /// - Parameter root: where it really is.
  mutating func add(_ report: RemovalReport, of root: [UInt8]) {
    sum.add(report)
    for problem in report.problems where problems.count < RemovalReport.problemLimit {
      let path = root + (problem.path.isEmpty ? [] : [UInt8(ascii: "/")]) + problem.path
      problems.append(StorageWarning(path: String(decoding: path, as: UTF8.self), message: problem.reason.text))
    }
    if let code = report.failure {
      problems.append(StorageWarning(path: root, code: code))
    }
  }

  /// `Cleared 900 MB. 300 MB couldn't be removed.`
  /// - Parameter nothing: said where nothing went.
  func text(or nothing: String) -> String {
    var sentences = [sum.freed > 0 ? "Cleared \(ByteCount(sum.freed).text)." : nothing]
    let staying = sum.kept.addingReportingOverflow(sum.failed).partialValue
    if staying > 0 {
      sentences.append("\(ByteCount(staying).text) couldn't be removed.")
    } else if sum.failedCount > 0 {
      sentences.append("\(sum.failedCount) \(sum.failedCount == 1 ? "item" : "items") couldn't be removed.")
    }
    if sum.stillOpen > 0 { sentences.append("\(ByteCount(sum.stillOpen).text) is still in use.") }
    if sum.freed == 0, let first = problems.first { sentences.append("\(first.path): \(first.message).") }
    return sentences.joined(separator: " ")
  }

  /// For the error's data.
  var data: [RPCError.Member] {
    var members = [
      RPCError.Member("freed", JSONText(integer: sum.freed)), RPCError.Member("kept", JSONText(integer: sum.kept)),
      RPCError.Member("failed", JSONText(integer: sum.failed)),
      RPCError.Member("inUse", JSONText(integer: sum.stillOpen)),
      RPCError.Member("errors", errors),
    ]
    if let path = sum.leftInTrash {
      members.append(RPCError.Member("trash", .string(String(decoding: path, as: UTF8.self))))
    }
    return members
  }

  private var errors: JSONText {
    JSONText { writer in
      writer.array { list in
        for problem in problems {
          list.object { entry in
            entry.member("path", problem.path)
            entry.member("message", problem.message)
          }
        }
      }
    }
  }
}

extension RemovalProblem.Reason {
  /// For a person.
  var text: String {
    switch self {
    case .locked: "in use: somebody holds a lock on it"
    case .endpoint: "a socket or a device, which belongs to a program"
    case .mount: "something is mounted there"
    case .failed(let code): String(cString: strerror(code))
    }
  }
}
