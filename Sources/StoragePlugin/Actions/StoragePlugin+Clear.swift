import AccountModel
import FoundationEssentials
import RPCShell

/// How the cache is cleared: guards, the question, working, the end, the answer.
extension StoragePlugin {
  func clearCache(_ params: JSONView, _ context: CallContext) throws(RPCError) -> Route.Reply {
    refresh()
    let request = ClearRequest(params)
    let binding = try boundHandler(of: .clearCache)
    if request.isDryRun { return .later(try preview(.cache, of: .clearCache, binding, context)) }
    if clearRun != nil {
      throw StorageAction.clearCache.error(
        .busy, "The cache is being cleared already", [RPCError.Member("running", .string("clearCache"))])
    }
    guard state.isLoading else { return try beginClear(request, binding, context) }
    try canBeMeasured(for: .clearCache)
    return .later { () async throws(RPCError) in
      try await self.measure(context)
      return try await self.beginClear(request, binding, context).get()
    }
  }

  struct ClearRequest: Sendable {
    let isConfirmed: Bool
    let token: String?
    let isDryRun: Bool

    init(_ params: JSONView) {
      isConfirmed = params["confirmed"]?.bool ?? false
      token = params["token"]?.string
      isDryRun = params["dryRun"]?.bool ?? false
    }
  }

  func boundHandler(of action: StorageAction) throws(RPCError) -> ActionBinding {
    if let binding = binding(of: action) { return binding }
    throw action.error(.notAvailable, "No handler is bound to \(action.hostAction.rawValue)")
  }

  func canBeMeasured(for action: StorageAction) throws(RPCError) {
    if backend == nil { throw action.error(.notReady, "What takes room is not known yet") }
  }

  private func beginClear(
    _ request: ClearRequest, _ binding: ActionBinding, _ context: CallContext
  ) throws(RPCError) -> Route.Reply {
    let action = StorageAction.clearCache
    if clearRun != nil {
      throw action.error(
        .busy, "The cache is being cleared already", [RPCError.Member("running", .string(action.rawValue))])
    }
    if state.isLoading { throw action.error(.notReady, "What takes room is not known yet") }
    guard state.cache > 0 else { throw action.error(.notAvailable, "The cache is empty") }
    let redeemed = request.token.flatMap { tokens.redeem($0, cache: state.cache) }
    guard let bytes = redeemed ?? (request.isConfirmed ? state.cache : nil) else {
      return .now(try question(context))
    }
    return .later(startClear(bytes, binding, context))
  }

  /// Nobody has confirmed it: says what would go, and clears nothing.
  private func question(_ context: CallContext) throws(RPCError) -> JSONText {
    guard context.requestID != nil else {
      throw StorageAction.clearCache.error(
        .actionFailed, #"nothing was cleared: pass {"confirmed":true}, or an id to be asked first"#)
    }
    let bytes = state.cache
    let token = tokens.ask(bytes, host.clock)
    return JSONText { writer in
      writer.object { result in
        result.member("outcome", "needsConfirmation")
        result.key("confirmation")
        result.object { question in
          question.member("title", "Clear \(ByteCount(bytes).text) of cache?")
          question.member("destructive", "Clear cache")
          question.member("cancel", "Cancel")
          question.member("bytes", bytes)
          question.member("token", token)
        }
      }
    }
  }

  // MARK: Steps

  private func startClear(_ bytes: Int, _ binding: ActionBinding, _ context: CallContext) -> Route.ActionWork {
    endHold()
    lastNumber += 1
    let number = lastNumber
    clearRun = number
    state.clear = .working
    publish(StateFeed.Transition(cause: "clearCache", requestID: context.requestID))
    context.progress.begin(title: StorageAction.clearCache.title)
    let call = call(.clearCache, binding, [RPCError.Member("bytes", JSONText(integer: bytes))], context)
    let run = HandlerRun(binding.handler, call, stop: context.stop, host: host)
    return { () async throws(RPCError) in
      let end = await run.run { report in self.assumeIsolated { $0.reportClear(report, number, context) } }
      return try await self.finishClear(end, bytes, binding, context).get()
    }
  }

  func call(
    _ action: StorageAction, _ binding: ActionBinding, _ details: [RPCError.Member], _ context: CallContext
  ) -> ActionCall {
    ActionCall(
      action: action.hostAction, idempotencyKey: UUID().uuidString.lowercased(), timeout: binding.timeout,
      locale: environment.locale, timeZone: environment.timeZone, details: details,
      progressToken: context.progress.token)
  }

  private func reportClear(_ report: ActionProgress, _ number: Int, _ context: CallContext) {
    guard clearRun == number else { return }
    state.clear.report(report)
    publish(StateFeed.Transition(cause: "clearCache", requestID: context.requestID))
    context.progress.report(fraction: state.clear.progress, message: report.message?.plainLine)
  }

  private func finishClear(
    _ end: HandlerEnd, _ bytes: Int, _ binding: ActionBinding, _ context: CallContext
  ) async -> Result<JSONText, RPCError> {
    let end = await takeUsage(of: end, .clearCache) { await self.measureAfterRemoval() }
    clearRun = nil
    let outcome = StorageOutcome(.clearCache, end, bytes: bytes, title: "", binding: binding)
    state.clear = outcome.phase
    publish(
      StateFeed.Transition(
        cause: "clearCache", requestID: context.requestID, feedback: outcome.feedback,
        announcement: outcome.announcement))
    context.progress.end()
    if outcome.phase.name == .done { startHold() }
    return outcome.reply
  }

  /// Takes over the usage in a handler's result, else has it looked up.
  /// - Returns: how it ended; failed where the usage has a wrong shape.
  func takeUsage(
    of end: HandlerEnd, _ action: StorageAction, orElse update: () async -> Void
  ) async -> HandlerEnd {
    if case .stopped(.drained) = end { return end }
    guard case .succeeded(let result) = end, result.outcome == .completed, let text = result.usage, text != .null else {
      await update()
      return end
    }
    do throws(SchemaViolation) {
      let usage = try newUsage(text, action)
      generation += 1
      isMeasured = false
      take(usage)
      return end
    } catch {
      host.log("\(action.hostAction.rawValue): \(error.text)")
      await update()
      return .failed(ActionFailure(message: nil))
    }
  }

  /// Members that are unknown here are hosts' own: named on stderr and left out.
  private func newUsage(_ text: JSONText, _ action: StorageAction) throws(SchemaViolation) -> StorageUsage {
    guard let view = try? JSONDocument(parsing: text).view else {
      throw SchemaViolation(path: "usage", reason: "expected JSON")
    }
    do throws(SchemaViolation) { return try StorageUsage(checking: view, path: "usage") } catch {
      let usage = try StorageUsage(checking: view, path: "usage", unknown: .ignored)
      host.log("\(action.hostAction.rawValue): ignored \(error.text)")
      return usage
    }
  }

  // MARK: The checkmark

  /// Keeps what was cleared on show for a moment; while the session ends, for none.
  func startHold() {
    endHold()
    let length = isSettling ? .zero : settings.clearHold
    let clock = host.clock
    hold = Task(executorPreference: executor) {
      try? await clock.sleep(for: length)
      await self.holdIsOver()
    }
  }

  func endHold() {
    hold?.cancel()
    hold = nil
  }

  private func holdIsOver() {
    guard !Task.isCancelled else { return }
    hold = nil
    state.clear = .idle
    publish(StateFeed.Transition(cause: "clearCache"))
  }
}
