public import AccountModel
import RPCShell

/// What a configuration file says. What it does not say is nil, and has its default elsewhere.
public struct Configuration: Sendable, Equatable {
  /// A BCP 47 or ICU identifier.
  public var locale: String?
  /// An IANA time zone id that is known.
  public var timeZone: String?
  /// Where the account is kept.
  public var store: Store?
  /// Tells accounts in one store apart.
  public var accountID: String?
  /// What the built-in adapter works on.
  public var account = Account()
  /// What is said about the actions that the file names.
  var handlings: [HostAction: Handling] = [:]
  /// What the app keeps on disk.
  public var storage = Storage()
  /// Plugins that run in processes of their own.
  public var plugins: [Plugin] = []
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
