import RPCShell

extension HostAnswer {
  /// What an action comes to that somebody else does.
  ///
  /// - Parameters:
  ///   - method: what was called, for lines to people.
  ///   - host: takes those.
  /// - Throws: `CancellationError` where the person backed out; ``ActionFailure``.
  func result(of method: String, _ host: PluginHost) throws -> ActionResult {
    let text = try text(of: method, host)
    do throws(SchemaViolation) { return try ActionResult(reading: text) { host.log("\(method): \($0)") } } catch {
      host.log("\(method): \(error.text)")
      throw ActionFailure(message: nil)
    }
  }

  /// What an upgrade would cost, as somebody else says. Who does not know the method offers no previews.
  func preview(of method: String, _ host: PluginHost) throws -> JSONText {
    if case .error(RPCError.Code.methodNotFound.rawValue, _) = self {
      throw ActionFailure(message: nil, kind: .notAvailable)
    }
    return try text(of: method, host)
  }

  private func text(of method: String, _ host: PluginHost) throws -> JSONText {
    switch self {
    case .gone: throw ActionFailure.handlerGone
    case .error(RPCError.Code.requestCancelled.rawValue, _): throw CancellationError()
    case .error(let code, let message) where Self.isReserved(code):
      host.log("\(method): error \(code): \(message.plainLine)")
      throw ActionFailure(message: nil)
    case .error(_, let message): throw ActionFailure(message: message)
    case .result(let text): return text
    }
  }

  /// Codes that JSON-RPC and LSP keep for themselves: what went wrong between programs, not what a person can read.
  private static func isReserved(_ code: Int) -> Bool { (-32768...(-32000)).contains(code) }
}
