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
    try Task.checkCancellation()
    let answer = await host.request(method, call.jsonText, token: call.progressToken, report: progress)
    return try answer.result(of: method, host)
  }

  /// Asks the host, too; one that does not know the request offers no previews.
  public func previewUpgrade(_ call: ActionCall, host: PluginHost) async throws -> JSONText {
    let method = "host.previewUpgrade"
    try Task.checkCancellation()
    return try await host.request(method, call.jsonText) { _ in }.preview(of: method, host)
  }
}
