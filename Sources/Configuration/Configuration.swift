public import AccountModel
public import RPCShell

/// What a configuration file says. What it does not say is nil, and has its default elsewhere.
public struct Configuration: Sendable, Equatable {
  /// A BCP 47 or ICU identifier.
  public var locale: String?
  /// An IANA time zone id that is known.
  public var timeZone: String?
  /// What the built-in adapter works on.
  public var account = Account()
  /// What is said about the actions that the file names.
  private var handlings: [HostAction: Handling] = [:]
  /// What the app keeps on disk.
  public var storage = Storage()
  /// How long checkmarks stay.
  public var holds = Holds()

  /// Nothing is said: all defaults.
  public init() {}

  /// What the built-in adapter works on; the sample account where neither plans are given.
  public struct Account: Sendable, Equatable {
    /// What the account starts with.
    public var plan: PlanUsage?
    /// The plans that can be had, the lowest first; never empty, and no two with the same name.
    public var catalogue: [PlanUsage]?
    /// The page where a subscription is managed.
    public var manageURL: String?

    /// Whether the plans are the built-in sample.
    public var isSample: Bool { plan == nil && catalogue == nil }
  }

  /// How long checkmarks stay, in seconds.
  public struct Holds: Sendable, Equatable {
    public var upgrade, restore, clearCache: Double?

    /// What counts where nothing is said.
    public static let defaultUpgrade = 1.2, defaultRestore = 3.0, defaultClearCache = 3.0
  }
}

// MARK: Handlers

extension Configuration {
  /// Who may do an action.
  public enum Adapter: String, Sendable, CaseIterable {
    /// The built-in one.
    case local
    /// The client, which is asked.
    case host
  }

  /// What a file says about an action.
  public enum Handling: Sendable, Equatable {
    /// Nothing: the built-in adapter does it.
    case unset
    /// `null`: nobody does it.
    case notAvailable
    /// An adapter, and maybe the seconds after which a call is given up.
    case by(Adapter, timeout: Double?)
  }

  /// Who does an action, and how long that may take in seconds.
  public struct Handler: Sendable, Equatable {
    public var adapter: Adapter
    public var timeout: Double

    /// Whether it is another than the built-in one.
    public var isCustom: Bool { adapter != .local }
  }

  /// What the file says about an action.
  public subscript(action: HostAction) -> Handling {
    get { handlings[action] ?? .unset }
    set { handlings[action] = newValue == .unset ? nil : newValue }
  }

  /// Who does an action with the defaults filled in; nil where it is not available.
  public func handler(of action: HostAction) -> Handler? {
    switch self[action] {
    case .unset: Handler(adapter: .local, timeout: Self.defaultTimeout(of: action, by: .local))
    case .notAvailable: nil
    case .by(let adapter, let timeout):
      Handler(adapter: adapter, timeout: timeout ?? Self.defaultTimeout(of: action, by: adapter))
    }
  }

  /// Many files on a slow disk take their time, and nobody else waits for them.
  private static func defaultTimeout(of action: HostAction, by adapter: Adapter) -> Double {
    let isRemoval = action == .onClearCache || action == .onRemove
    return adapter == .local && isRemoval ? 3_600 : action.defaultTimeout
  }
}
