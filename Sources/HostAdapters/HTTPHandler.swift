import ChildProcesses
public import HTTPCall
public import RPCShell

/// The adapter for a server that does an action: the call is posted to a URL by a helper of its own, which says what an
/// `exec` handler says (docs/ADAPTERS.md).
public struct HTTPHandler: UpgradePreviewing {
  /// For error data.
  public let adapter = "http"
  /// SIGTERM ends the helper at once.
  public let grace = Duration.seconds(5)
  private let endpoint: HTTPEndpoint
  private let preview: WebAddress?

  private static let helper = "rpcshell-http"
  /// What the helper knows of the environment: the proxies that libcurl reads there.
  private static let variables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]

  /// - Parameters:
  ///   - endpoint: where the calls are posted.
  ///   - preview: where it is asked what an upgrade would cost; nil where nobody says.
  public init(_ endpoint: HTTPEndpoint, preview: WebAddress? = nil) {
    self.endpoint = endpoint
    self.preview = preview
  }

  /// Makes the call.
  /// - Throws: `CancellationError` where the person backed out; ``ActionFailure``.
  public func run(
    _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult {
    let request = HTTPRequest(
      endpoint: try endpointWithVariables(), body: call.jsonText, idempotencyKey: call.idempotencyKey,
      timeout: call.timeout)
    let name = "http \(call.action.rawValue)"
    return try await end(of: request, name, host, progress).actionResult { host.log("\(name): \($0)") }
  }

  /// Asks the same server, and with the same headers; without an address there are no previews.
  public func previewUpgrade(_ call: ActionCall, host: PluginHost) async throws -> JSONText {
    guard let preview else { throw ActionFailure(message: nil, kind: .notAvailable) }
    var endpoint = try endpointWithVariables()
    endpoint.url = preview
    let request = HTTPRequest(endpoint: endpoint, body: call.jsonText, idempotencyKey: nil, timeout: call.timeout)
    let name = "http previewUpgrade"
    return try await end(of: request, name, host) { _ in }.preview { host.log("\(name): \($0)") }
  }

  private func end(
    of request: HTTPRequest, _ name: String, _ host: PluginHost,
    _ progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> HandlerProcess.End {
    try Task.checkCancellation()
    guard let program = HelperProgram.path(of: Self.helper) else {
      let place = "beside rpcshell or in ../libexec/rpcshell"
      throw ActionFailure(message: "There is no \(Self.helper) \(place) to make the call", kind: .notAvailable)
    }
    let process = HandlerProcess(name, host: host, report: progress)
    do throws(SpawnFailure) {
      var end = try await process.run(
        ChildCommand([program], inheriting: Self.variables), input: request.jsonText.bytes)
      // What the helper says there is for whoever runs the shell, not for the person.
      end.lastErrorLine = nil
      return end
    } catch { throw ActionFailure(message: error.message) }
  }

  /// Variables are read at each call; files are read by the helper, which may wait for them.
  private func endpointWithVariables() throws(ActionFailure) -> HTTPEndpoint {
    var endpoint = endpoint
    do throws(HTTPHeader.Missing) {
      endpoint.headers = try endpoint.headers.map { (header) throws(HTTPHeader.Missing) in try header.withVariable() }
    } catch { throw ActionFailure(message: error.message) }
    return endpoint
  }
}
