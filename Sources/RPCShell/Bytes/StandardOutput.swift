import Glibc

/// The process's stdout where no session uses it: for commands that print something and end.
public struct StandardOutput: Sendable {
  private let isOpen: Bool

  /// Call once, before anything else opens a descriptor.
  public static func take() -> StandardOutput { StandardOutput(isOpen: StandardStreams.secure()) }

  /// Writes everything, waiting as long as it takes. A reader that went away is no failure.
  /// - Returns: the `errno` of a write that failed.
  public func write(_ bytes: [UInt8]) -> Int32? {
    guard isOpen else { return EBADF }
    return bytes.withUnsafeBytes { bytes in
      var rest = bytes
      while !rest.isEmpty {
        let sent = Glibc.write(1, rest.baseAddress, rest.count)
        if sent >= 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest[sent...])
          continue
        }
        switch errno {
        case EINTR: continue
        case EAGAIN: waitUntilWritable()
        case EPIPE: return nil
        case let code: return code
        }
      }
      return nil
    }
  }

  /// Somebody else made the description non-blocking.
  private func waitUntilWritable() {
    var entry = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
    poll(&entry, 1, -1)
  }
}
