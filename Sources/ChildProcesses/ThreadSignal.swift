import CLinux
import Glibc
public import RPCShell

/// Wakes a thread that waits (eventfd(2)).
public final class ThreadSignal: Sendable {
  private let descriptor = cl_eventfd()

  public init() {}
  deinit { close(descriptor) }

  public func set() {
    var one: UInt64 = 1
    write(descriptor, &one, 8)
  }

  /// Waits until it was set, and takes it back.
  /// - Returns: whether it was; false after the deadline.
  @discardableResult
  public func wait(until deadline: MonotonicTime? = nil) -> Bool {
    guard Self.wait(for: descriptor, POLLIN, until: deadline) else { return false }
    var count: UInt64 = 0
    read(descriptor, &count, 8)
    return true
  }

  /// Waits for an event of poll(2).
  static func wait(for descriptor: Int32, _ event: Int32, until deadline: MonotonicTime?) -> Bool {
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
      var milliseconds: Int32 = -1
      if let deadline {
        let left = deadline.nanoseconds - MonotonicTime.now.nanoseconds
        guard left > 0 else { return false }
        milliseconds = Int32(clamping: (left + 999_999) / 1_000_000)
      }
      if poll(&entry, 1, milliseconds) > 0 { return true }
    }
  }
}
