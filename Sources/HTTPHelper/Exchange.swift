import Glibc
import HTTPCall
import RPCShell

/// One call with all its tries and redirects.
struct Exchange {
  private let request: HTTPRequest
  private let report: (JSONText) -> Void
  private let transfer: Transfer
  private let deadline: MonotonicTime
  private var backoff: Backoff

  /// More redirects go in circles.
  static let redirectLimit = 5

  /// - Parameter report: takes reports of progress.
  init(_ request: HTTPRequest, report: @escaping (JSONText) -> Void) {
    self.request = request
    self.report = report
    transfer = Transfer(caFile: request.endpoint.caFile, userAgent: "rpcshell-http")
    deadline = MonotonicTime.now.advanced(by: .seconds(request.timeout))
    backoff = Backoff(retries: request.endpoint.retries)
  }

  /// Calls until something comes of it, or no try is left.
  mutating func run() -> CallEnd {
    let headers: [String]
    do throws(HTTPHeader.Missing) { headers = try endpointHeaders() } catch {
      return .failed(message: error.message, detail: error.message)
    }
    while true {
      switch tryOnce(headers) {
      case .ended(let end): return end
      case .again(let seconds, let end):
        guard let wait = backoff.next(after: seconds, remaining: remaining) else { return end }
        sleep(seconds: wait)
        say("Trying again")
      }
    }
  }

  private var remaining: Double { MonotonicTime.now.duration(to: deadline) / .seconds(1) }

  // MARK: One try

  /// Posts, and goes where it is sent.
  private func tryOnce(_ own: [String]) -> Verdict {
    let configured = request.endpoint.url
    var url = configured
    for _ in 0...Self.redirectLimit {
      // The shell ends this process when the call's time is over; a second later it ends by itself.
      let limit = Int((remaining + 1) * 1000)
      let headers = callHeaders + (url.origin == configured.origin ? own : [])
      let end = transfer.post(request.body.bytes, to: url, headers: headers, limit: limit)
      guard let location = end.redirect else { return Verdict(end, from: url.origin) }
      guard let next = WebAddress(location), next.isSecure || next.origin == configured.origin else {
        return .ended(.failed(message: nil, detail: Self.refusal(of: location, from: url.origin)))
      }
      url = next
    }
    return .ended(.failed(message: nil, detail: "\(url.origin): more than \(Self.redirectLimit) redirects"))
  }

  /// Names the place without what may be a secret: neither user nor path.
  private static func refusal(of location: String, from origin: String) -> String {
    let parts = location.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    let host = parts.count > 2 ? parts[2].prefix { $0 != "?" && $0 != "#" }.split(separator: "@").last ?? "" : ""
    let place = "\(parts[0])//\(host)".plainLine.shortened
    return "\(origin): redirects to \(place), where no call may go: only https is followed; "
      + "if the server has moved, configure the URL where it is now"
  }

  private var callHeaders: [String] {
    // Without the empty one libcurl would ask first whether it may send a larger body, and wait.
    ["Content-Type: application/json", "Accept: application/json", "Expect:"]
      + (request.idempotencyKey.map { ["Idempotency-Key: \($0)"] } ?? [])
  }

  private func endpointHeaders() throws(HTTPHeader.Missing) -> [String] {
    var lines: [String] = []
    for header in request.endpoint.headers { lines.append("\(header.name): \(try header.value())") }
    return lines
  }

  // MARK: What the person is told

  private func say(_ message: String) {
    report(
      JSONText { writer in
        writer.object { report in
          report.key("progress")
          report.null()
          report.member("message", message)
        }
      })
  }

  private func sleep(seconds: Double) {
    // Whoever looks at it is told of waits that can be noticed.
    if seconds >= 1 { say("Trying again in \(Int(seconds.rounded(.up))) s") }
    let end = MonotonicTime.now.advanced(by: .seconds(seconds))
    while true {
      let rest = max(0, MonotonicTime.now.duration(to: end) / .seconds(1))
      // A signal that ends nothing wakes it early.
      var time = timespec(tv_sec: Int(rest), tv_nsec: Int(rest.truncatingRemainder(dividingBy: 1) * 1e9))
      if nanosleep(&time, nil) == 0 { return }
    }
  }
}
