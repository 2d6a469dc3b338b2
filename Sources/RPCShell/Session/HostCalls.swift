/// The shell's own requests that the host has not answered: bookkeeping only, no I/O.
struct HostCalls {
  private var requests: [Int: HostRequest] = [:]
  /// Waits for the answers to cancels.
  private var waits: [Int: Task<Void, Never>] = [:]
  /// The newest of those that were given up: their answers may still come.
  private var late: [Int] = []
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
  mutating func answered(_ id: Int) -> HostRequest? {
    waits.removeValue(forKey: id)?.cancel()
    return requests.removeValue(forKey: id)
  }

  /// Keeps the wait for an answer that may not come.
  mutating func wait(for id: Int, _ wait: Task<Void, Never>) { waits[id] = wait }

  /// Ends the waits, when the session ends.
  mutating func stopWaiting() {
    for wait in waits.values { wait.cancel() }
    waits = [:]
  }

  /// How many of those that were given up are remembered.
  private static let lateLimit = 1024

  /// Takes out a request whose answer is not waited for any more; nil where it was answered.
  mutating func giveUp(_ id: Int) -> HostRequest? {
    waits[id] = nil
    guard let request = requests.removeValue(forKey: id) else { return nil }
    late.append(id)
    if late.count > Self.lateLimit { late.removeFirst() }
    return request
  }

  /// Whether a request was given up, whose answer comes now.
  func isLate(_ id: Int) -> Bool { late.contains(id) }

  /// The request that a report is about: the newest with the caller's token, or the one with this id.
  func request(reportedUnder token: JSONText) -> HostRequest? {
    requests.values.filter { $0.token == token }.max { $0.id < $1.id }
      ?? Int(token.description).flatMap { requests[$0] }
  }

  /// Takes out all that will never be answered, oldest first.
  mutating func end() -> [HostRequest] {
    isOver = true
    stopWaiting()
    defer { requests = [:] }
    return requests.values.sorted { $0.id < $1.id }
  }
}
