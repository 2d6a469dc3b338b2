import AccountModel
import RPCShell

/// A handler that a test answers: it waits until it is told how to end.
final class ScriptedHandler: ActionHandler {
  let adapter: String
  /// Whether cancelling ends it (as CancellationError).
  private let heedsCancel: Bool

  private struct State {
    var calls: [ActionCall] = []
    var reports: [ActionProgress] = []
    /// Those of calls that were not answered, oldest first: a call may have been given up before.
    var waiting: [CheckedContinuation<ActionResult, any Error>] = []
  }

  private let state = Locked(State())

  init(adapter: String = "exec", heedsCancel: Bool = true) {
    self.adapter = adapter
    self.heedsCancel = heedsCancel
  }

  var calls: [ActionCall] { state.withLock(\.calls) }

  /// Reports to send at the start.
  func willReport(_ reports: [ActionProgress]) { state.withLock { $0.reports = reports } }

  func succeed(_ result: ActionResult = ActionResult()) { end(.success(result)) }
  func succeed(with plan: JSONText) {
    var result = ActionResult()
    result.plan = plan
    end(.success(result))
  }
  func fail(_ error: any Error) { end(.failure(error)) }

  /// Lets go who is still waiting.
  func release() { while state.withLock({ !$0.waiting.isEmpty }) { fail(CancellationError()) } }

  /// Answers the newest call that waits.
  func end(_ result: Result<ActionResult, any Error>) {
    state.withLock { $0.waiting.popLast() }?.resume(with: result)
  }

  func run(
    _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult {
    let reports = state.withLock { state in
      state.calls.append(call)
      return state.reports
    }
    for report in reports { progress(report) }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiting in state.withLock { $0.waiting.append(waiting) } }
    } onCancel: {
      if heedsCancel { end(.failure(CancellationError())) }
    }
  }
}

extension ActionResult {
  /// A result with some of its members.
  static func giving(
    _ outcome: Outcome = .completed, plan: String? = nil, restored: Int? = nil, url: String? = nil,
    message: String? = nil, usage: JSONText? = nil, clearedBytes: Int? = nil
  ) -> ActionResult {
    var result = ActionResult(outcome: outcome)
    result.usage = usage
    result.clearedBytes = clearedBytes
    result.plan = plan.map { JSONText(trusted: Array($0.utf8)) }
    result.restored = restored
    result.url = url
    result.message = message
    return result
  }
}
