import RPCShell

/// A clock whose time only moves by ``advance(by:)``, so that tests of holds and time limits never wait.
final class ManualClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
  }

  private struct Sleeper {
    var deadline: Instant
    var wake: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleepers: [Int: Sleeper] = [:]
    /// Sleepers that were cancelled before they lay down.
    var cancelled: Set<Int> = []
    var last = 0
    var watchers: [(count: Int, wake: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Locked(State())

  var now: Instant { state.withLock(\.now) }
  var minimumResolution: Duration { .zero }
  var uptime: MonotonicTime { MonotonicTime(nanoseconds: 0).advanced(by: now.offset) }

  /// How long from now the sleepers still sleep, the shortest first. A test waits for a sleeper before it moves the time.
  var sleeping: [Duration] {
    state.withLock { state in state.sleepers.values.map { state.now.duration(to: $0.deadline) }.sorted() }
  }

  /// Moves the time and wakes who is due, the earliest first.
  func advance(by duration: Duration) {
    // Woken under the lock: who calls ``release()`` afterwards has all of them behind him.
    state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for (id, _) in due { state.sleepers[id] = nil }
      for sleeper in due.values.sorted(by: { $0.deadline < $1.deadline }) { sleeper.wake.resume() }
    }
  }

  /// Wakes everybody with an error, as cancelling each of them would; who lies down from now on sleeps as before.
  func release() {
    let sleepers = state.withLock { state in
      defer { state.sleepers = [:] }
      return state.sleepers.values.map(\.wake)
    }
    for wake in sleepers { wake.resume(throwing: CancellationError()) }
  }

  /// Waits until at least so many sleep, so that a test does not move the time too early.
  func waitForSleepers(_ count: Int = 1) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { wake in
        let isOver = state.withLock { state in
          if state.sleepers.count >= count || Task.isCancelled { return true }
          state.watchers.append((count, wake))
          return false
        }
        if isOver { wake.resume() }
      }
    } onCancel: {
      let watchers = state.withLock { state in
        defer { state.watchers = [] }
        return state.watchers
      }
      for watcher in watchers { watcher.wake.resume() }
    }
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.last += 1
      return state.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wake in lieDown(id, Sleeper(deadline: deadline, wake: wake)) }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: id)
        if sleeper == nil { state.cancelled.insert(id) }
        return sleeper
      }
      sleeper?.wake.resume(throwing: CancellationError())
    }
  }

  private func lieDown(_ id: Int, _ sleeper: Sleeper) {
    let (end, watchers): (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) = state.withLock { state in
      if state.cancelled.remove(id) != nil { return (.failure(CancellationError()), []) }
      if sleeper.deadline <= state.now { return (.success(()), []) }
      state.sleepers[id] = sleeper
      let satisfied = state.watchers.filter { $0.count <= state.sleepers.count }.map(\.wake)
      state.watchers.removeAll { $0.count <= state.sleepers.count }
      return (nil, satisfied)
    }
    if let end { sleeper.wake.resume(with: end) }
    for watcher in watchers { watcher.resume() }
  }
}
