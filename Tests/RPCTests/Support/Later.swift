import RPCShell
import Glibc

/// A value that somebody sets once and others wait for.
final class Later<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiting: [Int: CheckedContinuation<Value?, Never>] = [:]
    var last = 0
  }

  private let state = Locked(State())

  func set(_ value: Value) {
    let waiting = state.withLock { state in
      state.value = value
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for one in waiting { one.resume(returning: value) }
  }

  /// - Throws: `CancellationError` when the waiting task is cancelled, as a suite's time limit does.
  var value: Value {
    get async throws {
      let id = state.withLock { state in
        state.last += 1
        return state.last
      }
      let found: Value? = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let known: Value?? = state.withLock { state in
            if let value = state.value { return .some(value) }
            if Task.isCancelled { return .some(nil) }
            state.waiting[id] = continuation
            return nil
          }
          if let known { continuation.resume(returning: known) }
        }
      } onCancel: {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: nil)
      }
      guard let found else { throw CancellationError() }
      return found
    }
  }
}

/// Things that one thread puts in and one task takes out, in order.
final class Mailbox<Element: Sendable>: Sendable {
  private struct State {
    var items: [Element] = []
    var taken = 0
    var isFinished = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Locked(State())

  /// Everything that was ever put in.
  var all: [Element] { state.withLock { $0.items } }

  func put(_ element: Element) { wake { $0.items.append(element) } }

  /// Nothing more will come.
  func finish() { wake { $0.isFinished = true } }

  private func wake(_ change: (inout State) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      return state.waiting.take()
    }
    waiting?.resume()
  }

  /// The next one; nil when nothing more will come, or the waiting task is cancelled.
  func next() async -> Element? {
    while true {
      let (item, isOver): (Element?, Bool) = state.withLock { state in
        guard state.taken < state.items.count else { return (nil, state.isFinished) }
        state.taken += 1
        return (state.items[state.taken - 1], false)
      }
      if item != nil || isOver || Task.isCancelled { return item }
      await wait()
    }
  }

  /// Everything up to the end.
  func rest() async -> [Element] {
    var rest: [Element] = []
    while let item = await next() { rest.append(item) }
    return rest
  }

  private func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if state.taken < state.items.count || state.isFinished || Task.isCancelled { return true }
          state.waiting = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      wake { _ in }
    }
  }
}

extension Optional {
  fileprivate mutating func take() -> Wrapped? {
    defer { self = nil }
    return self
  }
}

/// Runs `body` on a thread of its own, where it may block.
func startThread(_ body: @escaping @Sendable () -> Void) {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let box = Unmanaged.passRetained(Box(body)).toOpaque()
  let code = pthread_create(
    &thread, nil,
    {
      Unmanaged<Box>.fromOpaque($0!).takeRetainedValue().body(); return nil
    }, box)
  precondition(code == 0, "no thread: \(code)")
  pthread_detach(thread)
}

/// Runs `body` on a thread of its own and waits for it without blocking the caller's.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
  let later = Later<Value>()
  startThread { later.set(body()) }
  return try await later.value
}
