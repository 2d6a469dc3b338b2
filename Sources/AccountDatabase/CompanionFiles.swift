import AccountModel
import Glibc
import RPCShell

/// What stands beside the database: a copy of the plan for when that cannot be read, and a log of what was done.
public struct CompanionFiles: Sendable {
  private let planFile: StateFile
  private let logPath: String

  /// Beside `account.db`: `plan.json` and `account-log.jsonl`; beside another `NAME.db`: `NAME-plan.json` and
  /// `NAME-log.jsonl`.
  /// - Parameter path: the database's, absolute. Of a link, they stand beside what it leads to.
  public init(beside path: String) {
    let real = path.realPath
    let (folder, file) = (real.folder == "/" ? "" : real.folder, real.fileName)
    let name = file.hasSuffix(".db") ? String(file.dropLast(3)) : String(file)
    planFile = StateFile(folder: folder, name: name == "account" ? "plan.json" : name + "-plan.json")
    logPath = folder + "/" + name + "-log.jsonl"
  }

  /// Both, the copy first.
  var paths: [String] { [planFile.path, logPath] }

  /// Whether one of them says something.
  var isThere: Bool { paths.contains(where: Self.saysSomething) }

  private static func saysSomething(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
  }

  /// Says that what is in the log is not in a database that is new.
  func noteBeginning(of name: String, _ log: (String) -> Void) {
    guard Self.saysSomething(logPath) else { return }
    log("\(name) is new: the actions that \(logPath) tells of are not in it")
  }

  // MARK: The copy

  /// Replaces the copy. A plan that is nil is kept as well: nothing is known then.
  func copy(_ record: AccountRecord, _ account: String, _ log: (String) -> Void) {
    let text = JSONText { writer in
      writer.object { copy in
        copy.member("accountId", account)
        copy.member("plan", record.plan?.jsonText)
        copy.member("asOf", record.asOf?.text)
      }
    }
    do throws(StateFileFailure) { try planFile.write(text) } catch {
      log("the copy of the plan is not up to date: \(error.message)")
    }
  }

  /// What the copy holds; nil where there is none of this account.
  func lastGood(of account: String) -> AccountRecord? {
    guard let view = (try? planFile.read())?.view, view["accountId"]?.string?.isExactly(account) == true,
      let plan = view["plan"], !plan.isNull, let usage = try? PlanUsage(checking: plan, unknown: .ignored)
    else { return nil }
    return AccountRecord(plan: usage, asOf: view["asOf"]?.string.flatMap { DateValue($0) })
  }

  // MARK: The log

  /// Adds a line; one that cannot be written is told of, and stops nothing.
  func note(_ intent: Intent, _ outcome: String, at time: Double, _ account: String, _ log: (String) -> Void) {
    let line = JSONText { writer in
      writer.object { entry in
        entry.member("time", DateValue(at: time).text)
        entry.member("accountId", account)
        entry.member("action", intent.action.word)
        entry.member("idempotencyKey", intent.key)
        entry.member("outcome", outcome)
      }
    }
    guard let code = append(line.bytes + [UInt8(ascii: "\n")]) else { return }
    log("\(logPath) cannot be written: \(String(cString: strerror(code)))")
  }

  /// In one write, so that lines of several sessions do not mix.
  /// - Returns: the `errno` of a failure.
  private func append(_ bytes: [UInt8]) -> Int32? {
    func opened() -> Int32 { open(logPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o600) }
    var descriptor = opened()
    // Beside a server there is no folder before something is kept in it.
    if descriptor < 0 && errno == ENOENT && planFile.makeFolders() { descriptor = opened() }
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    return count == bytes.count ? nil : count < 0 ? errno : ENOSPC
  }
}
