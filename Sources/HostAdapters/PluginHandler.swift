public import RPCShell

/// The adapter for a plugin that is somewhere else and does an action: a call of `<name>.onUpgrade` and so on.
public struct PluginHandler: UpgradePreviewing {
  /// For error data.
  public let adapter = "plugin"
  private let plugin: String

  /// - Parameter plugin: its name.
  public init(_ plugin: String) { self.plugin = plugin }

  /// Calls the plugin, whose error of its own is shown to the person; one of JSON-RPC's is not.
  /// - Throws: `CancellationError` where the person backed out; ``ActionFailure``.
  public func run(
    _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult {
    try Task.checkCancellation()
    let method = "\(plugin).\(call.action.rawValue)"
    let answer = await host.request(method, call.jsonText, of: .plugin(plugin), report: progress)
    return try answer.result(of: method, host)
  }

  /// Calls `<name>.previewUpgrade`; a plugin that does not know it offers no previews.
  public func previewUpgrade(_ call: ActionCall, host: PluginHost) async throws -> JSONText {
    let method = "\(plugin).previewUpgrade"
    try Task.checkCancellation()
    return try await host.request(method, call.jsonText, of: .plugin(plugin)) { _ in }.preview(of: method, host)
  }
}
