import Glibc
import RPCShell

/// rpcshell-postgres: speaks to a PostgreSQL server for the shell, one JSON object on a line each way.
///
/// | from the shell | answer |
/// |---|---|
/// | `{"connect":URL}`, first | `{"connected":{"version":150018}}` or `{"error":…}` |
/// | `{"sql":"SELECT $1","parameters":[1]}` | `{"results":[{"tag":"SELECT 1","rows":[[1]]}]}` |
/// | `{"sql":"BEGIN; SELECT 1"}` | one of `results` for each statement; `error` as well where one fails |
///
/// `error` has `state` (SQLSTATE, or null), `message`, and `isLost` where the connection is gone: the process ends then.
/// What others do comes at any time, as `{"notification":{"channel":…,"payload":…}}`; a connection that is lost while
/// nobody asks, as `{"lost":MESSAGE}`.
///
/// A process of its own, so that the shell can be fully static, and starts without libpq and its libraries. The URL comes
/// over stdin and stays in here: others can read arguments and environments.
@main
struct PostgreSQLHelperMain {
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    var requests = RequestReader()
    guard let first = requests.next(), let url = first.view["connect"]?.string else {
      StandardError.line("rpcshell-postgres: expected a connection on stdin; rpcshell starts this program")
      exit(2)
    }
    switch Server.connect(url) {
    case .success(let server): serve(server, &requests)
    case .failure(let failure):
      Output.line { $0.member("error", failure.jsonText) }
      exit(1)
    }
  }

  private static func serve(_ server: Server, _ requests: inout RequestReader) {
    Output.line { line in
      line.key("connected")
      line.object { $0.member("version", server.version) }
    }
    while waitForRequest(server, requests) {
      guard let request = requests.next() else { break }
      let answer = server.answer(
        request.view["sql"]?.string ?? "", request.view["parameters"]?.elements.map(Server.Parameter.init))
      for notification in server.notifications() { Output.notification(notification) }
      Output.line { answer.write(to: &$0) }
      if server.isLost { exit(1) }
    }
    server.close()
  }

  /// Waits for the shell, and passes on what others do meanwhile.
  /// - Returns: false when the shell is gone.
  private static func waitForRequest(_ server: Server, _ requests: RequestReader) -> Bool {
    while !requests.hasLine {
      var set = [
        pollfd(fd: 0, events: Int16(POLLIN), revents: 0), pollfd(fd: server.socket, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&set, 2, -1) > 0 else { continue }
      if set[1].revents != 0 {
        for notification in server.notifications() { Output.notification(notification) }
        if server.isLost {
          Output.line { $0.member("lost", server.message) }
          exit(1)
        }
      }
      if set[0].revents != 0 && !requests.read() { return false }
    }
    return true
  }
}

/// What the shell writes.
struct RequestReader {
  private let buffer = ByteBuffer(capacity: 1 << 12)

  /// Whether a whole request is there.
  var hasLine: Bool { buffer.readable.contains(UInt8(ascii: "\n")) }

  /// Reads what has come.
  /// - Returns: false at the end.
  func read() -> Bool {
    while true {
      let count = Glibc.read(0, buffer.reserve(1 << 14), 1 << 14)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      buffer.commit(count)
      return true
    }
  }

  /// The next request, waited for; nil at the end.
  mutating func next() -> JSONDocument? {
    while !hasLine { if !read() { return nil } }
    let end = buffer.readable.firstIndex(of: UInt8(ascii: "\n"))!
    defer { buffer.consume(end + 1) }
    return try? JSONDocument(parsing: UnsafeRawBufferPointer(rebasing: buffer.readable[..<end]))
  }
}

/// What the shell reads.
enum Output {
  /// Writes an object on one line.
  static func line(_ members: (inout JSONWriter) -> Void) {
    var rest = (JSONText { $0.object(members) }.bytes + [UInt8(ascii: "\n")])[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      // Nobody is left to tell.
      guard count > 0 else { exit(1) }
      rest = rest.dropFirst(count)
    }
  }

  static func notification(_ notification: Server.Notification) {
    line { line in
      line.key("notification")
      line.object { object in
        object.member("channel", notification.channel)
        object.member("payload", notification.payload)
      }
    }
  }
}
