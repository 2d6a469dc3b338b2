import Glibc

/// The descriptors that a session waits for, laid out as poll(2) wants them.
struct PollSet: Sendable {
  /// The executor's own: jobs and timers of other threads.
  var wake = PollSet.entry(nil, 0)
  /// The executor's own: descriptors that plugins wait for.
  var watches = PollSet.entry(nil, 0)
  var input = PollSet.entry(nil, 0)
  var output = PollSet.entry(nil, 0)
  var interrupts = PollSet.entry(nil, 0)
  var hostProcess = PollSet.entry(nil, 0)

  /// - Parameter descriptor: nil waits for nothing.
  static func entry(_ descriptor: Int32?, _ events: Int32) -> pollfd {
    pollfd(fd: descriptor ?? -1, events: Int16(events), revents: 0)
  }

  /// Waits until one is ready; their `revents` say which.
  ///
  /// - Parameter milliseconds: at most; -1 for as long as it takes.
  mutating func wait(milliseconds: Int32) {
    withUnsafeMutableBytes(of: &self) { bytes in
      let entries = bytes.bindMemory(to: pollfd.self)
      if poll(entries.baseAddress, nfds_t(entries.count), milliseconds) < 0 {
        for at in entries.indices { entries[at].revents = 0 }
      }
    }
  }
}
