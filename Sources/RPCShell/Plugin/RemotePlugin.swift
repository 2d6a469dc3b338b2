/// A plugin that is somewhere else: it gets every call of `<name>.…` as it stands, whatever the method, and knows its
/// methods only when it has asked.
///
/// No task runs for such a call, and nothing of it is parsed but its envelope: it is handed over, and answered by
/// ``PluginHost/answer(_:_:)``.
public protocol RemotePlugin: Plugin {
  /// Takes a call. It is answered once, maybe before this returns.
  func forward(_ call: ForwardedCall)

  /// Tells a call to stop. It is answered when it has.
  func stop(_ call: ForwardedCall.ID)

  /// Takes a request of a handler's (``HostRequest/Peer/plugin(_:)``).
  func ask(_ request: HostRequest)

  /// The request with this id, if it is one of this plugin's, is not needed any more.
  func cancel(request id: Int)

  /// The client does not read, or reads again: until then nothing more is to be said to it.
  func pause(_ isPaused: Bool)

  /// It was told to end, and the time that the session's end may take is over.
  func hurry()

  /// What is known of it without asking.
  var listing: RemoteListing { get }

  /// Asks for its methods, as entries of `rpc.discover`'s document.
  func describe() async -> [JSONText]
}

/// What `initialize` says of a plugin that is somewhere else.
public struct RemoteListing: Sendable, Equatable {
  /// nil before it has said so.
  public var version: String?
  /// The names of its methods; empty before it has named them.
  public var methods: [String]

  public init(version: String? = nil, methods: [String] = []) {
    self.version = version
    self.methods = methods
  }
}

/// A call of the client's on its way to somebody else.
public struct ForwardedCall {
  /// Names the call while it is unanswered.
  public struct ID: Hashable, Sendable {
    let serial: Int
  }

  /// Its name in this session.
  public let id: ID
  /// The method's name without escapes, valid while the call is handed over.
  public let method: UnsafeRawBufferPointer
  /// The text of `params`, valid while the call is handed over; nil where there are none.
  public let params: UnsafeRawBufferPointer?
  /// The client's id; nil for a notification, which is answered when it was delivered.
  public let requestID: RequestID?
  /// Whether blanks stand between tokens.
  package let needsCompaction: Bool
}

extension Plugin {
  public nonisolated var remote: (any RemotePlugin)? { nil }
  public func end() {}
}
