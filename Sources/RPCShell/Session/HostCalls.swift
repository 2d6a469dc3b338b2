/// The shell's own requests that the host has not answered: bookkeeping only, no I/O.
struct HostCalls {
  private var requests: [Int: HostRequest] = [:]
  /// No answer will come any more.
  private(set) var isOver = false

  var isEmpty: Bool { requests.isEmpty }

  /// Whether a request was made and not answered.
  func contains(_ id: Int) -> Bool { requests[id] != nil }

  /// - Returns: whether the request can be sent.
  mutating func add(_ request: HostRequest) -> Bool {
    if !isOver { requests[request.id] = request }
    return !isOver
  }

  /// Takes out the request that is being answered; nil for one that was not made.
  mutating func answered(_ id: Int) -> HostRequest? { requests.removeValue(forKey: id) }

  /// The request that a report is about: its token is the caller's, or the request's own id.
  func request(reportedUnder token: JSONText) -> HostRequest? {
    requests.values.first { $0.token == token } ?? Int(token.description).flatMap { requests[$0] }
  }

  /// Takes out all that will never be answered, oldest first.
  mutating func end() -> [HostRequest] {
    isOver = true
    defer { requests = [:] }
    return requests.values.sorted { $0.id < $1.id }
  }
}
