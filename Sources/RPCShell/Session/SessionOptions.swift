/// How a session behaves; everything that a test wants to decide is a value here.
public struct SessionOptions: Sendable {
  /// Framing and size limits of the input.
  public var decoder = DecoderOptions()
  /// Refuses messages without `"jsonrpc":"2.0"`, and members beside the envelope's four.
  public var isStrict = false
  /// Bounds what is still running at the end of input; nil leaves actions their own time limits.
  public var drain: Duration?
  /// The program's version, for `initialize` and `rpc.discover`.
  public var version: String
  /// How the person reads until `initialize` says otherwise; asked when it is first needed.
  public var environment: @Sendable () -> Environment = { Environment() }
  /// Whether a time zone id is known; `initialize` refuses others.
  public var isKnownTimeZone: @Sendable (String) -> Bool = { _ in true }
  /// Makes what does the actions that a client takes over in `initialize`; without it none can be taken over. A closure,
  /// so that a session that starts no action does not pay for it.
  public var hostHandler: @Sendable () -> (any ActionHandler)? = { nil }
  /// Takes lines for the person at the terminal, without line end.
  public var log: @Sendable (String) -> Void
  /// When the process is told to end, what runs is cancelled at once, as by `$/cancelRequest`.
  public var cancelsWhenInterrupted = false
  /// The plugins are made when the session begins, since one of them does something by itself.
  public var startsPlugins = false
  /// A descriptor that becomes readable, with one `signalfd_siginfo` each, when the process is told to end.
  public var interrupts: Int32?

  public init(version: String, log: @escaping @Sendable (String) -> Void) {
    self.version = version
    self.log = log
  }

  /// Unfinished requests above which actions are refused (108).
  static let pendingLimit = 1024
  /// Messages that a batch may have.
  static let batchLimit = 65536
  /// Silence that ends an unfinished message in lines.
  static let silence = Duration.seconds(5)
  /// How long the host's answer to a cancel is waited for: a little longer than a handler's run is.
  static let hostPatience = Duration.milliseconds(2100)
  /// What running actions have after SIGTERM, SIGINT or `exit`.
  static let interruptedDrain = Duration.seconds(2)
  /// How long a client may read nothing of what waits for it at a bounded end, before that is cut off.
  static let readerPatience = Duration.seconds(2)
}

/// What the process reports to its parent (docs/PROTOCOL.md, "The life of a session"; sysexits.h for 74).
public struct ExitStatus: RawRepresentable, Equatable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// All well.
  public static let success = ExitStatus(rawValue: 0)
  /// Something was refused, failed, cut short or cut off.
  public static let failure = ExitStatus(rawValue: 1)
  /// Bad usage, before anything is read.
  public static let usage = ExitStatus(rawValue: 2)
  /// stdout could not be written (EX_IOERR).
  public static let outputFailed = ExitStatus(rawValue: 74)
}
