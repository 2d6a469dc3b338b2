public import ChildProcesses
public import RPCShell

/// The adapter for a program that does an action: one process a call, which is given the call on its stdin and says on its
/// stdout how far it is and what came of it (docs/ADAPTERS.md).
public struct ExecHandler: UpgradePreviewing {
  /// For error data.
  public let adapter = "exec"
  /// SIGTERM, 2 s, SIGKILL: then nothing is left to wait for.
  public let grace = Duration.seconds(5)
  private let command: ChildCommand
  private let preview: ChildCommand?

  /// Names the action to a program that does several.
  private static let actionVariable = "RPCSHELL_ACTION"

  /// - Parameters:
  ///   - command: what is run; the variable `RPCSHELL_ACTION` comes on top of its environment.
  ///   - preview: what says the price of an upgrade, likewise; nil where nobody does.
  public init(_ command: ChildCommand, preview: ChildCommand? = nil) {
    self.command = command
    self.preview = preview
  }

  /// Runs the program to its end.
  /// - Throws: `CancellationError` where the person backed out; ``ActionFailure``.
  public func run(
    _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult {
    let end = try await end(of: command, call.action.rawValue, call, host, progress)
    return try end.actionResult { host.log("exec \(call.action.rawValue): \($0)") }
  }

  /// Runs the program for previews; without one there are none.
  public func previewUpgrade(_ call: ActionCall, host: PluginHost) async throws -> JSONText {
    guard let preview else { throw ActionFailure(message: nil, kind: .notAvailable) }
    let end = try await end(of: preview, "previewUpgrade", call, host) { _ in }
    return try end.preview { host.log("exec previewUpgrade: \($0)") }
  }

  private func end(
    of command: ChildCommand, _ action: String, _ call: ActionCall, _ host: PluginHost,
    _ progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> HandlerProcess.End {
    try Task.checkCancellation()
    var command = command
    command.environment.removeAll { $0.name == Self.actionVariable }
    command.environment.append(ChildCommand.Variable(Self.actionVariable, action))
    let process = HandlerProcess("exec \(action)", host: host, report: progress)
    do throws(SpawnFailure) {
      return try await process.run(command, input: call.jsonText.bytes + [UInt8(ascii: "\n")])
    } catch { throw ActionFailure(message: error.message) }
  }
}

extension HandlerProcess.End {
  /// The status that says that the person backed out: a shell's for SIGINT.
  private static let backedOut: Int32 = 130

  /// What came of the action. The exit status wins over the outcome that the output names.
  ///
  /// - Parameter log: takes what a person at the terminal should know.
  /// - Throws: `CancellationError` where the person backed out; ``ActionFailure``.
  public func actionResult(log: (String) -> Void) throws -> ActionResult {
    var result: ActionResult?
    var isReadable = true
    do throws(SchemaViolation) { result = try output.readResult(note: log) } catch {
      log(error.text)
      isReadable = false
    }
    switch exit {
    case .status(Self.backedOut): throw CancellationError()
    case .status(0) where !isReadable: throw ActionFailure(message: nil, data: errorData)
    case .status(0) where result?.outcome != .failed: return result ?? ActionResult()
    case .status: break
    case .signal: if !Task.isCancelled { log(exit.text) }
    }
    throw ActionFailure(message: failureText(result), data: errorData)
  }

  /// What an upgrade would cost: the last line that is no report, of a process that ended with status 0.
  ///
  /// - Parameter log: takes what a person at the terminal should know.
  /// - Throws: ``ActionFailure``.
  public func preview(log: (String) -> Void) throws -> JSONText {
    guard exit == .status(0) else {
      _ = try actionResult(log: log)
      throw ActionFailure(message: nil, data: errorData)
    }
    do throws(SchemaViolation) {
      if let text = try output.resultText() { return text }
      log("said no preview")
    } catch { log(error.text) }
    throw ActionFailure(message: nil, data: errorData)
  }

  /// What it said itself; nil shows the action's default text.
  private func failureText(_ result: ActionResult?) -> String? {
    if let message = result?.message, !message.plainLine.isEmpty { return message }
    return lastErrorLine
  }

  private var errorData: [RPCError.Member] {
    var data: [RPCError.Member] = []
    if case .status(let status) = exit { data.append(RPCError.Member("exitStatus", JSONText(integer: Int(status)))) }
    if let errorTail { data.append(RPCError.Member("stderrTail", .string(errorTail))) }
    return data
  }
}
