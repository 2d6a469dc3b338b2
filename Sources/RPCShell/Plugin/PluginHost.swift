private import Synchronization

/// What a plugin (or a handler of its) may do to the session, and the time it lives by.
public final class PluginHost: Sendable {
  /// What goes out through ``send``.
  public enum Outgoing: Sendable {
    case event(StateEvent)
    case notification(method: String, params: JSONText)
    /// A request to the client, or to a plugin that is somewhere else, which answers it.
    case request(HostRequest)
    /// The request with this id is not needed any more.
    case cancelRequest(Int, of: HostRequest.Peer)
    /// The answer to a call that was forwarded (``RemotePlugin/forward(_:)``).
    case answer(ForwardedCall.ID, Result<JSONText, RPCError>)
    /// A line for the person at the terminal, without the leading `rpcshell: `.
    case log(String)
  }

  /// The session's thread: plugins are actors on it.
  public let executor: LoopExecutor
  /// Runs holds and time limits. Tests move it by hand.
  public let clock: any Clock<Duration>
  /// The time of day, for texts: seconds since 1970-01-01T00:00:00Z.
  public let now: @Sendable () -> Double
  /// Does the actions that the client takes over (``Environment/hostActions``); nil where it cannot.
  public let hostHandler: (any ActionHandler)?
  private let lastRequest = Atomic<Int>(1_000_000)
  private let send: @Sendable (Outgoing) -> Void

  public init(
    executor: LoopExecutor, clock: any Clock<Duration>, now: @escaping @Sendable () -> Double,
    hostHandler: (any ActionHandler)? = nil, send: @escaping @Sendable (Outgoing) -> Void
  ) {
    self.hostHandler = hostHandler
    self.executor = executor
    self.clock = clock
    self.now = now
    self.send = send
  }

  /// Sends a state event. To be called on the executor's thread, like the next ones.
  public func publish(_ event: StateEvent) { send(.event(event)) }
  /// Sends a notification.
  public func notify(_ method: String, _ params: JSONText) { send(.notification(method: method, params: params)) }
  /// Answers a call that was forwarded; a second answer is passed over.
  public func answer(_ call: ForwardedCall.ID, _ outcome: Result<JSONText, RPCError>) { send(.answer(call, outcome)) }
  /// Sends a request.
  func ask(_ request: HostRequest) { send(.request(request)) }
  /// Tells whoever was asked to stop working on a request.
  func cancelRequest(_ id: Int, of peer: HostRequest.Peer) { send(.cancelRequest(id, of: peer)) }
  /// The id of the next request.
  func makeRequestID() -> Int { lastRequest.add(1, ordering: .relaxed).newValue }
  /// Shows a line to the person at the terminal; the program's name comes in front.
  public func log(_ line: String) { send(.log(line)) }
}
