import CCurl
import Glibc
import HTTPCall
import RPCShell

/// rpcshell-http: makes one call for the shell, which gives it the call on stdin. It prints what a handler of `exec`
/// prints: lines of progress, then the result; and exits with 0, 130 where the person backed out, or 1. Its stderr says
/// what went wrong, for whoever runs the shell.
///
/// A process of its own, so that the shell can be fully static, starts without libcurl and its libraries, and can end a
/// call at once whatever that is doing: SIGTERM is not handled.
@main
struct HTTPHelperMain {
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    let request: HTTPRequest
    do throws(Refusal) { request = try read() } catch {
      StandardError.line("rpcshell-http: \(error.reason)")
      exit(2)
    }
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    var exchange = Exchange(request) { put(line: $0) }
    switch exchange.run() {
    case .result(let result):
      put(line: result)
      exit(0)
    case .cancelled:
      put(line: JSONText { $0.object { $0.member("outcome", "cancelled") } })
      exit(130)
    case .failed(let message, let detail):
      StandardError.line(detail)
      put(
        line: JSONText { writer in
          writer.object { result in
            result.member("outcome", "failed")
            if let message { result.member("message", message) }
          }
        })
      exit(1)
    }
  }

  private struct Refusal: Error {
    let reason: String
  }

  /// Larger than any message that the shell takes.
  private static let limit = 256 << 20

  private static func read() throws(Refusal) -> HTTPRequest {
    let buffer = ByteBuffer(capacity: 1 << 14)
    guard case .complete = buffer.append(allOf: 0, upTo: limit), !buffer.isEmpty else {
      throw Refusal(reason: "expected a call on stdin; rpcshell starts this program")
    }
    let document: JSONDocument
    do throws(JSONParseFailure) { document = try JSONDocument(wholeText: buffer.bytes) } catch {
      throw Refusal(reason: error.text(in: buffer.bytes))
    }
    do throws(SchemaViolation) { return try HTTPRequest(reading: document.view) } catch {
      throw Refusal(reason: error.text)
    }
  }

  private static func put(line: JSONText) {
    var rest = (line.bytes + [UInt8(ascii: "\n")])[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      // Nobody is left to tell.
      guard count > 0 else { exit(1) }
      rest = rest.dropFirst(count)
    }
  }
}
