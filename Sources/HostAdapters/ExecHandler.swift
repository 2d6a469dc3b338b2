public import ChildProcesses
public import RPCShell

/// The adapter for a program that does an action: one process a call, which is given the call on its stdin and says on its
/// stdout how far it is and what came of it (docs/ADAPTERS.md).
public struct ExecHandler: ActionHandler {
  /// For error data.
  public let adapter = "exec"
  /// SIGTERM, 2 s, SIGKILL: then nothing is left to wait for.
  public let grace = Duration.seconds(5)
  private var command: ChildCommand

  /// Names the action to a program that does several.
  private static let actionVariable = "RPCSHELL_ACTION"

  /// - Parameter command: what is run; the variable `RPCSHELL_ACTION` comes on top of its environment.
  public init(_ command: ChildCommand) {
    self.command = command
    self.command.environment.removeAll { $0.name == Self.actionVariable }
  }

  /// Runs the program to its end.
  /// - Throws: `CancellationError` where the person backed out; ``ActionFailure``.
  public func run(
    _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult {
    try Task.checkCancellation()
    let name = "exec \(call.action.rawValue)"
    var command = command
    command.environment.append(ChildCommand.Variable(Self.actionVariable, call.action.rawValue))
    let process = HandlerProcess(name, host: host, report: progress)
    do {
      let end = try await process.run(command, input: call.jsonText.bytes + [UInt8(ascii: "\n")])
      return try end.actionResult { host.log("\(name): \($0)") }
    } catch let failure as SpawnFailure {
      throw ActionFailure(message: failure.message)
    }
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
