import CLinux
import Glibc
private import Synchronization

/// A descriptor that the session's thread waits for beside its own.
public struct DescriptorWatch: Sendable {
  /// What is waited for.
  public enum Interest: Sendable {
    /// There is something to read, or the other side is gone.
    case reading
    /// Something can be written, or the other side is gone.
    case writing
    /// The other side is gone.
    case closing
  }

  fileprivate static func events(of interest: Interest) -> UInt32 {
    switch interest {
    case .reading: UInt32(POLLIN)
    case .writing: UInt32(POLLOUT)
    // Told in any case.
    case .closing: 0
    }
  }

  /// Why a watch calls.
  public enum Event: Sendable {
    /// The descriptor is ready, and stays so until it is read from, written to or no longer watched.
    case ready
    /// The session is over; nothing is watched any more.
    case sessionEnded
  }

  fileprivate let number: UInt64
  fileprivate let descriptor: Int32
}

extension LoopExecutor {
  /// Calls `event` on the session's thread as long as the descriptor is ready. To be called on that thread.
  ///
  /// - Parameter descriptor: a pipe, a socket, a process (pidfd_open(2)) or the like; not a file. It must stay open until
  ///   it is no longer watched.
  /// - Returns: nil, with `errno` set, where the system has nothing left to wait with.
  public func watch(
    _ descriptor: Int32, for interest: DescriptorWatch.Interest = .reading,
    _ event: @escaping @Sendable (DescriptorWatch.Event) -> Void
  ) -> DescriptorWatch? { watches.add(descriptor, interest, event) }

  /// Makes sure that something can be watched, before that is begun.
  /// - Returns: false, with `errno` set, where the system has nothing left to wait with.
  public func prepareToWatch() -> Bool { watches.prepare() != nil }

  /// Stops a watch: it calls no more.
  public func unwatch(_ watch: DescriptorWatch) { watches.remove(watch) }

  /// Stops a watch and closes its descriptor, which nobody else may have: the system forgets it by itself then.
  public func unwatchAndClose(_ watch: DescriptorWatch) { watches.removeAndClose(watch) }
}

/// The descriptors that plugins wait for: one set (epoll(7)), made with the first of them, so that sessions without any
/// pay for none.
final class DescriptorWatches: Sendable {
  private struct State {
    var lastNumber: UInt64 = 0
    var calls: [UInt64: @Sendable (DescriptorWatch.Event) -> Void] = [:]
  }

  private let state = Locked(State())
  private let set = Atomic<Int32>(-1)

  deinit { if let descriptor { close(descriptor) } }

  /// For `poll(2)`; nil where nothing is watched.
  var descriptor: Int32? {
    let descriptor = set.load(ordering: .relaxed)
    return descriptor < 0 ? nil : descriptor
  }

  /// The set, made if it has to be.
  func prepare() -> Int32? {
    if descriptor == nil { set.store(cl_epoll(), ordering: .relaxed) }
    return descriptor
  }

  func add(
    _ descriptor: Int32, _ interest: DescriptorWatch.Interest,
    _ call: @escaping @Sendable (DescriptorWatch.Event) -> Void
  ) -> DescriptorWatch? {
    guard let set = prepare() else { return nil }
    let number = state.withLock { state in
      state.lastNumber += 1
      state.calls[state.lastNumber] = call
      return state.lastNumber
    }
    guard cl_epoll_set(set, descriptor, DescriptorWatch.events(of: interest), number, 1) == 0 else {
      state.withLock { $0.calls[number] = nil }
      return nil
    }
    return DescriptorWatch(number: number, descriptor: descriptor)
  }

  func remove(_ watch: DescriptorWatch) {
    let wasThere = state.withLock { $0.calls.removeValue(forKey: watch.number) != nil }
    if wasThere, let descriptor { cl_epoll_remove(descriptor, watch.descriptor) }
  }

  func removeAndClose(_ watch: DescriptorWatch) {
    state.withLock { _ = $0.calls.removeValue(forKey: watch.number) }
    close(watch.descriptor)
  }

  /// Calls those that are ready. One that an earlier call of the round stopped is not called.
  func callReady() {
    guard let descriptor else { return }
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 16) { numbers in
      let count = cl_epoll_ready(descriptor, numbers.baseAddress, 16)
      for at in 0..<max(Int(count), 0) {
        let call = state.withLock { $0.calls[numbers[at]] }
        call?(.ready)
      }
    }
  }

  /// Tells all that the session is over, and forgets them.
  func endAll() {
    let calls = state.withLock { state in
      defer { state.calls = [:] }
      return state.calls
    }
    for call in calls.values { call(.sessionEnded) }
  }
}
