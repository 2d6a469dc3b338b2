import AccountDatabase
import AccountModel
import Configuration
import Glibc
import RPCShell

/// `rpcshell store`: a look at what the account is kept in, and a way out of it and in again.
struct StoreCommand {
  enum Verb: String, CaseIterable {
    case check, export, `import`
  }

  let verb: Verb
  /// What is imported; nil is stdin.
  let file: String?
  let setup: Setup

  func run() throws(UsageError) -> ExitStatus {
    let output = StandardOutput.take()
    let executor = LoopExecutor()
    guard let database = Account.database(setup, initial: nil, executor: executor) else {
      return show("The account is kept in memory: there is no store\n", output, unless: verb != .check)
    }
    if case .sqlite(let path) = setup.store, verb != .import, SQLiteEngine.isUnused(path) {
      return show("\(path.plainLine) is not there yet: a session makes it\n", output, unless: verb == .export)
    }
    switch verb {
    case .check: return check(database, executor, output)
    case .export: return export(database, executor, output)
    case .import: return put(database, executor)
    }
  }

  /// Prints a text, or says that as what went wrong.
  private func show(_ text: String, _ output: StandardOutput, unless isWrong: Bool) -> ExitStatus {
    isWrong ? failed(String(text.dropLast())) : output.printed(Array(text.utf8)) ?? .success
  }

  private func failed(_ message: String) -> ExitStatus {
    StandardError.line("rpcshell: \(message)")
    return .failure
  }

  // MARK: Out

  private func check(
    _ database: AccountDatabase, _ executor: LoopExecutor, _ output: StandardOutput
  ) -> ExitStatus {
    switch executor.run({ await database.check().get() }) {
    case .success(let report):
      let interrupted = report.interrupted == 0 ? "" : ", \(report.interrupted) of them interrupted"
      let line =
        "\(database.name.plainLine) is good: version \(report.version), actions: \(report.entries)\(interrupted)\n"
      return output.printed(Array(line.utf8)) ?? .success
    case .failure(let failure): return failed(failure.message)
    }
  }

  private func export(
    _ database: AccountDatabase, _ executor: LoopExecutor, _ output: StandardOutput
  ) -> ExitStatus {
    switch executor.run({ await database.export().get() }) {
    case .success(let text): return output.printed(text.indented + [UInt8(ascii: "\n")]) ?? .success
    case .failure(let failure): return failed(failure.message)
    }
  }

  // MARK: In

  private func put(_ database: AccountDatabase, _ executor: LoopExecutor) -> ExitStatus {
    let name = file ?? "stdin"
    let export: AccountExport
    switch content() {
    case .failure(let reason): return failed("\(name): \(reason.text)")
    case .success(let text):
      do {
        export = try AccountExport(checking: JSONDocument(wholeText: text).view)
      } catch let error as JSONParseFailure {
        return failed("\(name): \(error.text(in: text))")
      } catch {
        return failed("\(name): \((error as? SchemaViolation)?.text ?? "")")
      }
    }
    let replaces = setup.options.isForced
    switch executor.run({ await database.put(export, replaces: replaces).get() }) {
    case .success: return .success
    case .failure(let failure): return failed(failure.message)
    }
  }

  private struct Unreadable: Error {
    let text: String
  }

  private func content() -> Result<[UInt8], Unreadable> {
    let descriptor = file.map { open($0, O_RDONLY | O_CLOEXEC) } ?? 0
    guard descriptor >= 0 else { return .failure(Unreadable(text: String(cString: strerror(errno)))) }
    defer { if descriptor > 0 { close(descriptor) } }
    let buffer = ByteBuffer(capacity: 1 << 14)
    let limit = 1 << 30
    switch buffer.append(allOf: descriptor, upTo: limit) {
    case .complete: return .success(buffer.bytes)
    case .failed(let code): return .failure(Unreadable(text: String(cString: strerror(code))))
    case .tooLong: return .failure(Unreadable(text: "expected at most \(limit >> 20) MiB"))
    }
  }
}
