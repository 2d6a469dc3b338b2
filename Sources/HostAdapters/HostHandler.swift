public import RPCShell

/// The adapter for a host that does an action itself: a request `host.onUpgrade`, `host.onManage` … to the client,
/// and `host.previewUpgrade` before an upgrade.
public struct HostHandler: UpgradePreviewing {
  /// For error data.
  public let adapter = "host"

  /// Has no state of its own: each session asks its own client.
  public init() {}

  /// Asks the host, whose error of its own is shown to the person; one of JSON-RPC's is not.
  /// - Throws: `CancellationError` where the person backed out; ``ActionFailure``.
  public func run(
    _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult {
    let method = "host.\(call.action.rawValue)"
    return try result(await ask(method, call, host, progress), of: method, host)
  }

  /// Asks the host, too; one that does not know the request offers no previews.
  public func previewUpgrade(_ call: ActionCall, host: PluginHost) async throws -> JSONText {
    try await ask("host.previewUpgrade", call, host, isOptional: true) { _ in }
  }

  /// - Parameter isOptional: a host need not know the method.
  private func ask(
    _ method: String, _ call: ActionCall, _ host: PluginHost, isOptional: Bool = false,
    _ progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> JSONText {
    try Task.checkCancellation()
    switch await host.request(method, call.jsonText, token: call.progressToken, report: progress) {
    case .gone: throw ActionFailure.handlerGone
    case .error(RPCError.Code.requestCancelled.rawValue, _): throw CancellationError()
    case .error(RPCError.Code.methodNotFound.rawValue, _) where isOptional:
      throw ActionFailure(message: nil, kind: .notAvailable)
    case .error(let code, let message) where Self.isReserved(code):
      host.log("\(method): error \(code): \(message.plainLine)")
      throw ActionFailure(message: nil)
    case .error(_, let message): throw ActionFailure(message: message)
    case .result(let text): return text
    }
  }

  /// Codes that JSON-RPC and LSP keep for themselves: what went wrong between programs, not what a person can read.
  private static func isReserved(_ code: Int) -> Bool { (-32768...(-32000)).contains(code) }

  private func result(
    _ text: JSONText, of method: String, _ host: PluginHost
  ) throws(ActionFailure) -> ActionResult {
    do throws(SchemaViolation) { return try ActionResult(reading: text) { host.log("\(method): \($0)") } } catch {
      host.log("\(method): \(error.text)")
      throw ActionFailure(message: nil)
    }
  }
}
