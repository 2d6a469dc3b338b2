import AccountModel
import RPCShell

/// What an upgrade would cost: asked of whoever would do it, with the guards of an upgrade. Nothing changes.
extension PlanPlugin {
  /// Seconds that a preview may take, other than the upgrade, in which a person may be paying.
  private static let previewTimeout = 60.0
  /// What the person reads where a failure says nothing of its own.
  private static let previewFailureText = "The price couldn't be looked up. Try again."

  /// `plan.previewUpgrade`
  func previewUpgrade(_ context: CallContext) throws(RPCError) -> Route.ActionWork {
    let (plan, binding) = try ready(.upgrade)
    guard let handler = binding.handler as? any UpgradePreviewing else {
      throw RPCError(.notAvailable, Self.noPreview(by: binding.handler), data: PlanAction.upgrade.errorData)
    }
    let call = ActionCall(
      action: .onUpgrade, idempotencyKey: "",
      timeout: min(binding.timeout, Self.previewTimeout), locale: environment.locale, timeZone: environment.timeZone,
      details: [RPCError.Member("preview", JSONText { $0.bool(true) }), RPCError.Member("plan", plan.jsonText)])
    let run = HandlerRun(PreviewRun(handler), call, stop: context.stop, host: host)
    return { () async throws(RPCError) in
      try await self.answer(of: run.run { _ in }, handler, timeout: call.timeout).get()
    }
  }

  private static func noPreview(by handler: any ActionHandler) -> String {
    "The handler of onUpgrade ('\(handler.adapter)') offers no preview"
  }

  private func answer(
    of end: HandlerEnd, _ handler: any ActionHandler, timeout: Double
  ) -> Result<JSONText, RPCError> {
    let data = PlanAction.upgrade.errorData
    func failed(_ failure: ActionFailure) -> Result<JSONText, RPCError> {
      let fallback = failure.kind == .notAvailable ? Self.noPreview(by: handler) : Self.previewFailureText
      return .failure(.failed(failure, failure.text(orElse: fallback), adapter: handler.adapter, data: data))
    }
    switch end {
    case .stopped(let reason): return .failure(.stopped(reason, seconds: timeout, data: data))
    case .failed(let failure): return failed(failure)
    // There was nothing to back out of.
    case .backedOut: return failed(ActionFailure(message: nil))
    case .succeeded(let result):
      do throws(SchemaViolation) { return .success(texts(of: try preview(in: result)).result) } catch {
        host.log("\(HostAction.onUpgrade.rawValue): \(error.text)")
        return failed(ActionFailure(message: nil))
      }
    }
  }

  /// Members that are unknown here are hosts' own: named on stderr and left out.
  private func preview(in result: ActionResult) throws(SchemaViolation) -> UpgradePreview {
    guard let view = try? JSONDocument(parsing: result.preview ?? .null).view else {
      throw SchemaViolation(path: "preview", reason: "expected JSON")
    }
    do throws(SchemaViolation) { return try UpgradePreview(checking: view, path: "preview") } catch {
      let preview = try UpgradePreview(checking: view, path: "preview", unknown: .ignored)
      host.log("\(HostAction.onUpgrade.rawValue): ignored \(error.text)")
      return preview
    }
  }
}

/// A preview as a run of its own, so that it has a time limit and can be cancelled.
private struct PreviewRun: ActionHandler {
  let handler: any UpgradePreviewing
  var adapter: String { handler.adapter }
  var grace: Duration { handler.grace }

  init(_ handler: any UpgradePreviewing) { self.handler = handler }

  func run(
    _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult {
    var result = ActionResult()
    result.preview = try await handler.previewUpgrade(call, host: host)
    return result
  }
}
