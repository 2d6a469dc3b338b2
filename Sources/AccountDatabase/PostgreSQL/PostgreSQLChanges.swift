import Glibc
import RPCShell

/// Whether others changed something, and who wants to know.
final class Changes: Sendable {
  private struct State {
    var isChanged = false
    var noticed: (@Sendable () -> Void)?
    /// Seconds until it is looked again; nil while nobody waits.
    var waiting: Double?
    var lastWait = 0.0
  }

  private let state = Locked(State())

  func watch(_ noticed: @escaping @Sendable () -> Void) {
    state.withLock { $0.noticed = $0.noticed ?? noticed }
  }

  /// Somebody changed something, or may have.
  func notice() {
    let noticed = state.withLock { state in
      state.isChanged = true
      return state.noticed
    }
    noticed?()
  }

  /// - Returns: whether something was changed since the last call.
  func take() -> Bool {
    state.withLock { state in
      defer { state.isChanged = false }
      state.lastWait = 0
      return state.isChanged
    }
  }

  /// Has it looked again after a second, two, four … half a minute, where somebody wants to know.
  func noticeLater() {
    let wait = state.withLock { state -> Double? in
      guard state.noticed != nil, state.waiting == nil else { return nil }
      state.lastWait = min(max(1, state.lastWait * 2), 30)
      state.waiting = state.lastWait
      return state.lastWait
    }
    guard let wait else { return }
    BlockingWork.start { [weak self] in
      poll(nil, 0, Int32(wait * 1000))
      self?.state.withLock { $0.waiting = nil }
      self?.notice()
    }
  }
}
