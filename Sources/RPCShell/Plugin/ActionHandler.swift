/// One of the five things that a host can do for a person.
public enum HostAction: String, Sendable, CaseIterable {
  case onUpgrade, onManage, onRestore, onClearCache, onRemove

  /// Seconds after which a call is given up where nobody says otherwise: a person may be paying during an upgrade.
  public var defaultTimeout: Double { self == .onUpgrade ? 600 : 60 }
}

/// Does the work of an action: the seam behind which adapters (built in, a process, the host, a server) stand.
public protocol ActionHandler: Sendable {
  /// The adapter's name, for error data: `local`.
  var adapter: String { get }
  /// How long it may take to end after it was told to stop; by default 2 s.
  var grace: Duration { get }

  /// Runs one call to its end. Called on the session's thread; blocking work belongs elsewhere.
  ///
  /// - Parameters:
  ///   - host: what a handler may use of the session: its clock, a line for the person at the terminal, the client.
  ///   - progress: takes reports until this returns; to be called on the session's thread.
  /// - Throws: `CancellationError` when the person backed out or the task was cancelled; ``ActionFailure`` with a text for
  ///   the person; anything else shows the action's default text.
  func run(
    _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult
}

extension ActionHandler {
  public var grace: Duration { .seconds(2) }
}

/// A handler of onUpgrade that can also say what an upgrade would cost, without making it.
public protocol UpgradePreviewing: ActionHandler {
  /// Looks up what the upgrade of a call would cost. Called as ``ActionHandler/run(_:host:progress:)`` is.
  ///
  /// - Parameter call: as for the upgrade itself, with `"preview": true` among its details: it buys nothing.
  /// - Returns: an UpgradePreview (docs/PROTOCOL.md, "Previews").
  /// - Throws: as a run; ``ActionFailure`` of the kind `notAvailable` where it turns out that nobody offers previews.
  func previewUpgrade(_ call: ActionCall, host: PluginHost) async throws -> JSONText
}

/// Who does an action, and how long that may take.
public struct ActionBinding: Sendable {
  /// Who does it.
  public var handler: any ActionHandler
  /// Seconds after which a call is given up.
  public var timeout: Double
  /// Whether it was bound by the configuration or the host, in place of the built-in adapter.
  public var isCustom: Bool

  /// - Parameter timeout: in seconds; see ``HostAction/defaultTimeout``.
  public init(_ handler: any ActionHandler, timeout: Double, isCustom: Bool = false) {
    self.handler = handler
    self.timeout = timeout
    self.isCustom = isCustom
  }
}

/// What a handler is given.
public struct ActionCall: Sendable {
  /// What is to be done.
  public var action: HostAction
  /// The caller's, or one made for this intent; empty for a preview, which is none.
  public var idempotencyKey: String
  /// Seconds until the call is given up.
  public var timeout: Double
  /// The person's locale, as ``Environment/locale``.
  public var locale: String
  /// The person's time zone, as ``Environment/timeZone``.
  public var timeZone: String
  /// Members that belong to the action, in order: `plan` for onUpgrade.
  public var details: [RPCError.Member]
  /// The `workDoneToken` of the call behind it, under which the host may report.
  public var progressToken: JSONText?

  public init(
    action: HostAction, idempotencyKey: String, timeout: Double, locale: String, timeZone: String,
    details: [RPCError.Member], progressToken: JSONText? = nil
  ) {
    self.progressToken = progressToken
    self.action = action
    self.idempotencyKey = idempotencyKey
    self.timeout = timeout
    self.locale = locale
    self.timeZone = timeZone
    self.details = details
  }
}

/// What a handler gives back. Nothing at all is `completed`.
public struct ActionResult: Sendable {
  /// How it ended. `presented`: a page was opened, and what comes of it is not known yet.
  public enum Outcome: String, Sendable, CaseIterable {
    case completed, presented, pending, cancelled, failed
  }

  /// How it ended.
  public var outcome = Outcome.completed
  /// What the person is told; nil is the action's default text.
  public var message: String?
  /// A new PlanUsage; counts only with `completed`.
  public var plan: JSONText?
  /// A new Usage; counts only with `completed`.
  public var usage: JSONText?
  /// Purchases that were restored.
  public var restored: Int?
  /// Bytes that are free now.
  public var clearedBytes: Int?
  /// A page that the host may open.
  public var url: String?
  /// What an upgrade would cost, an UpgradePreview; in the result of a preview only.
  public var preview: JSONText?

  public init(outcome: Outcome = .completed) { self.outcome = outcome }
}

/// A report on the way.
public struct ActionProgress: Sendable {
  /// 0 … 1; nil where nobody knows.
  public var fraction: Double?
  /// What is being done, for the person.
  public var message: String?

  public init(fraction: Double?, message: String? = nil) {
    self.fraction = fraction
    self.message = message
  }

  /// The `value` of a `$/progress` (LSP); nil where it reports nothing.
  package init?(reading value: JSONView) {
    guard value["percentage"] != nil || value["message"] != nil, value["kind"]?.string != "end" else { return nil }
    self.init(fraction: value["percentage"]?.number.map { $0 / 100 }, message: value["message"]?.string)
  }
}

/// An action that failed, with what the person is told.
public struct ActionFailure: Error, Equatable, Sendable {
  /// What kind of failure it is, which decides the error's code.
  public enum Kind: Sendable {
    /// It was tried: 100.
    case failed
    /// It cannot be done as things are configured: 103.
    case notAvailable
    /// Nobody is left to do it: 106, with the action's default text.
    case handlerGone
    /// The account store cannot be read or written: 109, with the store's `file` among the data.
    case store
  }

  /// nil shows the action's default text.
  public var message: String?
  /// More for the host: `exitStatus`, `stderrTail`.
  public var data: [RPCError.Member]
  /// What kind of failure it is.
  public var kind: Kind

  /// A failure with a text for the person, or the action's default text.
  public init(message: String?, data: [RPCError.Member] = [], kind: Kind = .failed) {
    self.message = message
    self.data = data
    self.kind = kind
  }

  /// The host or the plugin process that was to do it went away.
  public static let handlerGone = ActionFailure(message: nil, kind: .handlerGone)
}
