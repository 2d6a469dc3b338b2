import AccountModel
import FileTree
import Glibc
import RPCShell

/// What a removal in several roots came to, in words.
struct RootedReport: Sendable {
  private(set) var freed = 0
  private(set) var wasStopped = false
  private var inUse = 0
  private var kept = 0
  private var keptEntries = 0
  private var failed = 0
  private var failedEntries = 0
  /// What stayed and why, with whole paths.
  private(set) var problems: [StorageWarning] = []
  private var trash: [String] = []

  /// Problems that are kept; the first say enough.
  private static let problemLimit = 100

  /// - Parameter root: where it really is.
  mutating func add(_ result: RemovalResult, of root: [UInt8]) {
    freed = freed.adding(result.freed.bytes)
    inUse = inUse.adding(result.inUse.bytes)
    kept = kept.adding(result.kept.bytes)
    keptEntries += result.kept.entries
    failed = failed.adding(result.failed.bytes)
    failedEntries += result.failed.entries
    wasStopped = wasStopped || result.wasStopped
    trash += result.leftInTrash.map { String(decoding: $0, as: UTF8.self) }
    for problem in result.problems where problems.count < Self.problemLimit {
      let path = root + (problem.path.isEmpty ? [] : [UInt8(ascii: "/")]) + problem.path
      problems.append(StorageWarning(path: String(decoding: path, as: UTF8.self), message: problem.reason.text))
    }
  }

  /// A root in which nothing could be done.
  mutating func add(_ failure: TreeFailure) {
    failedEntries += 1
    problems.append(StorageWarning(path: String(decoding: failure.path, as: UTF8.self), message: failure.text))
  }

  /// Whether everything went that takes room, though some of it may be held open.
  ///
  /// - Parameter isClear: what takes no room and stays, as a socket does, is no matter for the cache; a download that
  ///   is still there was not removed.
  func isWhole(isClear: Bool) -> Bool {
    failedEntries == 0 && kept == 0 && trash.isEmpty && (isClear || keptEntries == 0)
  }

  /// What a person is told where everything went; nil is the usual.
  var note: String? {
    inUse > 0 ? "Cleared \(ByteCount(freed).text). \(ByteCount(inUse).text) is still in use." : nil
  }

  /// `Cleared 900 MB. 300 MB couldn't be removed.`
  /// - Parameters:
  ///   - nothing: said where nothing went.
  ///   - isClear: it is about the cache, of which a part may go.
  func text(or nothing: String, isClear: Bool) -> String {
    let staying = kept.adding(failed)
    let reason = freed == 0 || !isClear ? problems.first : nil
    var sentences = [freed > 0 && isClear ? "Cleared \(ByteCount(freed).text)." : nothing]
    if staying > 0 {
      sentences.append("\(ByteCount(staying).text) couldn't be removed.")
    } else if failedEntries > 1 || failedEntries == 1 && reason == nil {
      // One that is named with its reason speaks for itself.
      sentences.append("\(failedEntries) \(failedEntries == 1 ? "item" : "items") couldn't be removed.")
    }
    if inUse > 0 { sentences.append("\(ByteCount(inUse).text) is still in use.") }
    if let reason { sentences.append("\(reason.path): \(reason.message).") }
    if let whereabouts { sentences.append(whereabouts) }
    return sentences.joined(separator: " ")
  }

  /// Where something is that could neither go nor go back; nil where there is nothing of the kind.
  var whereabouts: String? {
    trash.first.map { first in
      let others = trash.count > 1 ? " and \(trash.count - 1) more" : ""
      return "Kept at \(first)\(others), since something else has its place."
    }
  }

  /// For the error's data.
  var data: [RPCError.Member] {
    func number(_ name: String, _ value: Int) -> RPCError.Member {
      RPCError.Member(name, JSONText(integer: value))
    }
    let members = [
      number("freed", freed), number("kept", kept), number("failed", failed), number("inUse", inUse),
      RPCError.Member("errors", errors),
    ]
    guard let first = trash.first else { return members }
    return members + [RPCError.Member("trash", .string(first))]
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

extension StayReason {
  /// For a person.
  var text: String {
    switch self {
    case .mount: "something is mounted there"
    case .locked: "in use: somebody holds a lock on it"
    case .socket: "a socket, which belongs to a program"
    case .device: "a device"
    case .failed(let code): String(cString: strerror(code))
    }
  }
}

extension TreeFailure {
  /// For a person.
  var text: String {
    switch cause {
    case .busy: "another process is removing something there; try again"
    case .changed where code == ENOENT: "no longer there"
    case .changed: "replaced since it was measured"
    case .badName: "this is no name of a file"
    case .unreadable, .noPlace, .readOnly, .unmovable: String(cString: strerror(code))
    }
  }
}
