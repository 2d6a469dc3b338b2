/// A part of the account page: a name, methods, and state that it streams as events.
///
/// A plugin is an actor on the session's own executor (``PluginHost/executor``): its queries are answered without a hop,
/// and what it publishes is ordered with the session's replies. Blocking work belongs on a thread of its own.
public protocol Plugin: Actor {
  /// The part before the dot of its methods: `plan`.
  nonisolated var name: String { get }
  /// For `initialize`: `1.2.0`.
  nonisolated var version: String { get }
  /// Whether it streams `<name>.state` events.
  nonisolated var hasState: Bool { get }
  /// Its methods, always the same.
  nonisolated func routes() -> [Route]

  /// Called once, before any method, with what the plugin may do to the session.
  func attach(to host: PluginHost)

  /// What the client said of itself changed: locale, time zone, motion, what it does itself.
  func environmentChanged(_ environment: Environment)

  /// No more input will come: holds (checkmarks) end at once, now and from now on.
  func settle()

  /// Whether no hold is running, so that the session may end.
  var isSettled: Bool { get }

  /// Everything is answered, and nobody will call any more: what lives outside of the process is to end. From now on
  /// ``isSettled`` says whether it has.
  func end()

  /// Itself, where its methods are somewhere else.
  nonisolated var remote: (any RemotePlugin)? { get }
}

/// How the person reads, and what the client does itself: set by `initialize` or on the command line.
public struct Environment: Equatable, Sendable {
  /// How large the person reads.
  public enum TextSize: String, Sendable, CaseIterable {
    case standard
    case accessibility
  }

  /// A BCP 47 or ICU identifier, as it was given.
  public var locale: String
  /// An IANA time zone id, as it was given.
  public var timeZone: String
  /// How large the person reads.
  public var textSize: TextSize
  /// Changes are placed, not animated.
  public var reduceMotion: Bool
  /// Actions that the client takes over for this session.
  public var hostActions: [HostAction] = []

  public init(
    locale: String = "en_US", timeZone: String = "UTC", textSize: TextSize = .standard, reduceMotion: Bool = false
  ) {
    self.locale = locale
    self.timeZone = timeZone
    self.textSize = textSize
    self.reduceMotion = reduceMotion
  }
}
