import AccountModel
import RPCShell

/// Works on a value: one thing after the other, in the order of the calls, on a thread that is there as long as there is
/// something to do.
final class DatabaseThread<State>: @unchecked Sendable {
  private struct Queue {
    var jobs: [@Sendable (inout State) -> Void] = []
    var isRunning = false
  }

  private let queue = Locked(Queue())
  /// Only the thread touches it, and there is one at a time.
  private var state: State

  init(_ state: State) { self.state = state }

  /// Has work done, whether or not somebody waits for what it gives.
  func perform<Value: Sendable>(_ work: @escaping @Sendable (inout State) -> Value) -> Eventual<Value> {
    let promise = Promise<Value>()
    add { promise.keep(work(&$0)) }
    return .later { await promise.value }
  }

  /// Has work done for whose end nobody waits.
  func add(_ job: @escaping @Sendable (inout State) -> Void) {
    let starts = queue.withLock { queue in
      queue.jobs.append(job)
      defer { queue.isRunning = true }
      return !queue.isRunning
    }
    if starts { BlockingWork.start { self.work() } }
  }

  private func work() {
    while true {
      let jobs = queue.withLock { queue in
        defer { queue.jobs = [] }
        if queue.jobs.isEmpty { queue.isRunning = false }
        return queue.jobs
      }
      if jobs.isEmpty { return }
      for job in jobs { job(&state) }
    }
  }
}

/// A value that one thread gives and tasks wait for.
private final class Promise<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiting: [CheckedContinuation<Value, Never>] = []
  }

  private let state = Locked(State())

  func keep(_ value: Value) {
    let waiting = state.withLock { state in
      state.value = value
      defer { state.waiting = [] }
      return state.waiting
    }
    for one in waiting { one.resume(returning: value) }
  }

  var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let known: Value? = state.withLock { state in
          if state.value == nil { state.waiting.append(continuation) }
          return state.value
        }
        if let known { continuation.resume(returning: known) }
      }
    }
  }
}
