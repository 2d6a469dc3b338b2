import Glibc

/// Lines for the person at the terminal. A full pipe loses lines; it never holds the session up.
public enum StandardError {
  /// Longer lines are cut: a line up to PIPE_BUF goes out whole or not at all (pipe(7)).
  private static let limit = 2000

  /// Writes one line, without control characters and sequences.
  public static func line(_ text: String) {
    var bytes = Array(text.plainLine.utf8.prefix(limit))
    bytes.append(UInt8(ascii: "\n"))
    var entry = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
    guard poll(&entry, 1, 0) > 0, entry.revents & Int16(POLLOUT) != 0 else { return }
    _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }
}
