import RPCShell

/// What the process was asked and has not answered: bookkeeping only, no I/O.
struct Calls {
  /// Who asked.
  enum Origin: Sendable {
    /// The client, under its own id.
    case client(ForwardedCall.ID, RequestID)
    /// A handler of the shell's.
    case handler(HostRequest)
    /// This plugin itself.
    case own(@Sendable (isolated PluginProcess, Result<JSONText, RPCError>) -> Void)
    /// Nobody any more: it was told to stop, and did not.
    case nobody
  }

  struct Call: Sendable {
    var origin: Origin
    /// Whom reports under the call's token are for.
    var tokens: [Int] = []
    var isStopped = false
  }

  private var calls: [Int: Call] = [:]
  /// The tokens that the process was given in place of the client's.
  private var tokens: [Int: Token] = [:]
  private var last = 0

  struct Token: Sendable {
    var call: Int
    /// As the client wrote it; nil where reports are for a handler of the shell's.
    var text: JSONText?
    /// Reports are parts of a result, which may be anything.
    var isForParts: Bool
  }

  var count: Int { calls.count }

  /// A number for a request or a token, never the same twice.
  mutating func next() -> Int {
    last += 1
    return last
  }

  subscript(id: Int) -> Call? { calls[id] }

  mutating func add(_ id: Int, _ call: Call) { calls[id] = call }

  mutating func addToken(_ text: JSONText?, of call: Int, isForParts: Bool = false) -> Int {
    let token = next()
    tokens[token] = Token(call: call, text: text, isForParts: isForParts)
    calls[call]?.tokens.append(token)
    return token
  }

  /// Takes out a call that is being answered. Its tokens are nobody's then.
  mutating func answered(_ id: Int) -> Call? {
    guard let call = calls.removeValue(forKey: id) else { return nil }
    for token in call.tokens { tokens[token] = nil }
    return call
  }

  /// Whom a report is for.
  func token(_ number: Int) -> Token? { tokens[number] }

  /// Notes that a call was told to stop.
  /// - Returns: whether that was news.
  mutating func stop(_ id: Int) -> Bool {
    guard let call = calls[id], !call.isStopped else { return false }
    calls[id]?.isStopped = true
    return true
  }

  /// Nobody waits for this call any more; its answer is still expected.
  mutating func giveUp(_ id: Int) -> Call? {
    guard let call = calls[id] else { return nil }
    for token in call.tokens { tokens[token] = nil }
    calls[id]?.origin = .nobody
    return call
  }

  /// The id of what somebody asked.
  func id(where isMeant: (Origin) -> Bool) -> Int? { calls.first { isMeant($0.value.origin) }?.key }

  /// Takes out all, oldest first.
  mutating func takeAll() -> [Call] {
    defer {
      calls = [:]
      tokens = [:]
    }
    return calls.sorted { $0.key < $1.key }.map(\.value)
  }
}
