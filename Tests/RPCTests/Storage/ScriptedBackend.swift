import AccountModel
import RPCShell

/// A backend that a test answers: whoever asks it waits until it is told what to say.
final class ScriptedBackend: StorageBackend {
  let isWatching: Bool

  private struct State {
    var measures: [Asked<StorageMeasure>] = []
    var updates: [Asked<StorageUpdate>] = []
    var previews: [Asked<RemovalPreview>] = []
    var watches: [Asked<Void>] = []
    var measureCount = 0
    var updatedIDs: [String?] = []
    var previewed: [RemovalTarget] = []
    var watchCount = 0
    var lastNumber = 0
    var reporter: (@Sendable (ActionProgress) -> Void)?
  }

  /// Somebody who waits for an answer.
  private struct Asked<Answer> {
    let number: Int
    let waiting: CheckedContinuation<Answer, any Error>
  }

  private let state = Locked(State())

  init(isWatching: Bool = false) { self.isWatching = isWatching }

  // MARK: What was asked

  var measureCount: Int { state.withLock(\.measureCount) }
  /// Measures that wait for an answer.
  var waitingMeasures: Int { state.withLock { $0.measures.count } }
  /// What ``update(after:)`` was asked about, in order.
  var updatedIDs: [String?] { state.withLock(\.updatedIDs) }
  var waitingUpdates: Int { state.withLock { $0.updates.count } }
  var previewed: [RemovalTarget] { state.withLock(\.previewed) }
  var watchCount: Int { state.withLock(\.watchCount) }
  var waitingWatches: Int { state.withLock { $0.watches.count } }

  // MARK: Answers, to the oldest that waits

  func deliver(_ usage: StorageUsage, totals: StorageTotals = .sample) {
    answer(\.measures, .success(StorageMeasure(usage: usage, totals: totals)))
  }
  func failMeasure(_ message: String) { answer(\.measures, .failure(StorageFailure(message))) }
  func deliver(_ update: StorageUpdate) { answer(\.updates, .success(update)) }
  func failUpdate(_ message: String) { answer(\.updates, .failure(StorageFailure(message))) }
  func deliver(_ preview: RemovalPreview) { answer(\.previews, .success(preview)) }
  func failPreview(_ message: String) { answer(\.previews, .failure(StorageFailure(message))) }
  /// Something changed on disk.
  func notice() { answer(\.watches, .success(())) }

  /// Reports on the measure that began last.
  func report(_ report: ActionProgress) { state.withLock(\.reporter)?(report) }

  /// Lets go who is still waiting.
  func release() {
    while waitingMeasures > 0 { answer(\.measures, .failure(CancellationError())) }
    while waitingUpdates > 0 { answer(\.updates, .failure(CancellationError())) }
    while state.withLock({ !$0.previews.isEmpty }) { answer(\.previews, .failure(CancellationError())) }
    while waitingWatches > 0 { answer(\.watches, .failure(CancellationError())) }
    // It holds the plugin, which holds this.
    state.withLock { $0.reporter = nil }
  }

  private func answer<Answer: Sendable>(
    _ list: WritableKeyPath<State, [Asked<Answer>]>, _ result: Result<Answer, any Error>
  ) {
    let asked = state.withLock { $0[keyPath: list].isEmpty ? nil : $0[keyPath: list].removeFirst() }
    guard let asked else { preconditionFailure("nobody asked") }
    asked.waiting.resume(with: result)
  }

  // MARK: StorageBackend

  func measure(progress: @escaping @Sendable (ActionProgress) -> Void) async throws -> StorageMeasure {
    state.withLock { state in
      state.measureCount += 1
      state.reporter = progress
    }
    return try await ask {
      $0.measures.append($1)
    } leave: {
      Self.take($1, from: &$0.measures)
    }
  }

  func update(after download: String?) async throws -> StorageUpdate {
    state.withLock { $0.updatedIDs.append(download) }
    return try await ask {
      $0.updates.append($1)
    } leave: {
      Self.take($1, from: &$0.updates)
    }
  }

  func waitForChange() async throws {
    state.withLock { $0.watchCount += 1 }
    try await ask {
      $0.watches.append($1)
    } leave: {
      Self.take($1, from: &$0.watches)
    }
  }

  func preview(_ target: RemovalTarget) async throws -> RemovalPreview {
    state.withLock { $0.previewed.append(target) }
    return try await ask {
      $0.previews.append($1)
    } leave: {
      Self.take($1, from: &$0.previews)
    }
  }

  /// Waits for an answer; cancelling ends that.
  private func ask<Answer: Sendable>(
    _ enter: (inout State, Asked<Answer>) -> Void,
    leave: @escaping @Sendable (inout State, Int) -> CheckedContinuation<Answer, any Error>?
  ) async throws -> Answer {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiting in
        state.withLock { enter(&$0, Asked(number: number, waiting: waiting)) }
        if Task.isCancelled {
          state.withLock { leave(&$0, number) }?.resume(throwing: CancellationError())
        }
      }
    } onCancel: {
      state.withLock { leave(&$0, number) }?.resume(throwing: CancellationError())
    }
  }

  private static func take<Answer>(
    _ number: Int, from list: inout [Asked<Answer>]
  ) -> CheckedContinuation<Answer, any Error>? {
    list.firstIndex { $0.number == number }.map { list.remove(at: $0).waiting }
  }
}

extension StorageTotals {
  static let sample = StorageTotals(apparentBytes: 4_700_000_000, reclaimableBytes: 4_600_000_000)
}
