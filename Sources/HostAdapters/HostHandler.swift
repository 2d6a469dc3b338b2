public import RPCShell

/// The adapter for a host that does an action itself: a request `host.onUpgrade`, `host.onManage` … to the client.
public struct HostHandler: ActionHandler {
  /// For error data.
  public let adapter = "host"

  /// Has no state of its own: each session asks its own client.
  public init() {}

  /// Asks the host, whose error of its own is shown to the person; one of JSON-RPC's is not.
  /// - Throws: `CancellationError` where the person backed out; ``ActionFailure``.
  public func run(
    _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult {
    try Task.checkCancellation()
    let answer = await host.request(
      "host.\(call.action.rawValue)", call.jsonText, token: call.progressToken, report: progress)
    switch answer {
    case .gone: throw ActionFailure.handlerGone
    case .error(RPCError.Code.requestCancelled.rawValue, _): throw CancellationError()
    case .error(let code, let message) where Self.isReserved(code):
      host.log("host.\(call.action.rawValue): error \(code): \(message.plainLine)")
      throw ActionFailure(message: nil)
    case .error(_, let message): throw ActionFailure(message: message)
    case .result(let text): return try result(text, call, host)
    }
  }

  /// Codes that JSON-RPC and LSP keep for themselves: what went wrong between programs, not what a person can read.
  private static func isReserved(_ code: Int) -> Bool { (-32768...(-32000)).contains(code) }

  private func result(_ text: JSONText, _ call: ActionCall, _ host: PluginHost) throws(ActionFailure) -> ActionResult {
    let name = "host.\(call.action.rawValue)"
    do throws(SchemaViolation) { return try ActionResult(reading: text) { host.log("\(name): \($0)") } } catch {
      host.log("\(name): \(error.text)")
      throw ActionFailure(message: nil)
    }
  }
}
