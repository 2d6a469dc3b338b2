import ChildProcesses
public import HTTPCall
public import RPCShell

/// The adapter for a server that does an action: the call is posted to a URL by a helper of its own, which says what an
/// `exec` handler says (docs/ADAPTERS.md).
public struct HTTPHandler: ActionHandler {
  /// For error data.
  public let adapter = "http"
  /// SIGTERM ends the helper at once.
  public let grace = Duration.seconds(5)
  private let endpoint: HTTPEndpoint

  private static let helper = "rpcshell-http"
  /// What the helper knows of the environment: the proxies that libcurl reads there.
  private static let variables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]

  /// - Parameter endpoint: where the calls are posted.
  public init(_ endpoint: HTTPEndpoint) { self.endpoint = endpoint }

  /// Makes the call.
  /// - Throws: `CancellationError` where the person backed out; ``ActionFailure``.
  public func run(
    _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult {
    try Task.checkCancellation()
    guard let program = HelperProgram.path(of: Self.helper) else {
      let place = "beside rpcshell or in ../libexec/rpcshell"
      throw ActionFailure(message: "There is no \(Self.helper) \(place) to make the call", kind: .notAvailable)
    }
    let request = HTTPRequest(
      endpoint: try endpointWithVariables(), body: call.jsonText, idempotencyKey: call.idempotencyKey,
      timeout: call.timeout)
    let name = "http \(call.action.rawValue)"
    let process = HandlerProcess(name, host: host, report: progress)
    do {
      var end = try await process.run(
        ChildCommand([program], inheriting: Self.variables), input: request.jsonText.bytes)
      // What the helper says there is for whoever runs the shell, not for the person.
      end.lastErrorLine = nil
      return try end.actionResult { host.log("\(name): \($0)") }
    } catch let failure as SpawnFailure {
      throw ActionFailure(message: failure.message)
    }
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
