public import AccountModel
public import RPCShell

/// The plan block: a plan, its usage, and what a person can do about it (methods `plan.*`, event `plan.state`).
///
/// Nothing is read and nothing is formatted before its first method is called.
public actor PlanPlugin: Plugin {
  public nonisolated let name = "plan"
  public nonisolated let version: String
  public nonisolated let hasState = true

  /// What the configuration decides.
  public struct Settings: Sendable {
    /// Who does what; an action without a binding is not available.
    public var upgrade, manage, restore: ActionBinding?
    /// How long the checkmark of an upgrade stays.
    public var upgradeHold: Duration
    /// How long it says that purchases were restored.
    public var restoreHold: Duration
    /// How to start over where the plans are the built-in sample, for whoever reached the top: a sentence without its
    /// full stop.
    public var startOverHint: String?

    /// The defaults, with nothing bound.
    public init(
      upgradeHold: Duration = .milliseconds(1200), restoreHold: Duration = .seconds(3), startOverHint: String? = nil
    ) {
      self.upgradeHold = upgradeHold
      self.restoreHold = restoreHold
      self.startOverHint = startOverHint
    }

    subscript(action: PlanAction) -> ActionBinding? {
      switch action {
      case .upgrade: upgrade
      case .manage: manage
      case .restore: restore
      }
    }
  }

  let settings: Settings
  let executor: LoopExecutor
  let store: any AccountStore
  private(set) var host: PluginHost!
  private(set) var environment = Environment()
  var state = PlanState()
  var storeState = StoreState()
  /// What is being worked on: one run of each action at most.
  var runs: [ActionRun] = []
  /// The answer of the upgrade that ended last, for a call that joined it while it ended.
  var lastAnswer: ActionRun.Answer?
  /// Numbers runs and the calls that join them.
  var lastNumber = 0
  private var cache = PlanTextCache()
  /// nil until the account was looked at.
  private var feed: StateFeed?
  /// Whether a client knows any state.
  private var isStateKnown = false
  /// No more input will come.
  private(set) var isSettling = false
  /// Checkmarks that are being held.
  var holds: [Hold] = []
  /// Waits for the next moment at which a day may begin.
  var dayWatch: Task<Void, Never>?

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - version: the program's.
  ///   - executor: the session's own, on which the plugin lives from now on.
  ///   - store: holds the plan that is shown at first, and keeps those that come, with the journal; asked at the first
  ///     method.
  public init(version: String, executor: LoopExecutor, settings: Settings, store: any AccountStore) {
    self.version = version
    self.executor = executor
    self.settings = settings
    self.store = store
  }

  /// Who does an action in this session: the client where it took it over, else whom the configuration names.
  func binding(of action: PlanAction) -> ActionBinding? {
    let configured = settings[action]
    let hostAction = action.hostAction
    guard environment.hostActions.contains(hostAction), let handler = host.hostHandler else { return configured }
    return ActionBinding(handler, timeout: configured?.timeout ?? hostAction.defaultTimeout, isCustom: true)
  }

  // MARK: Life

  public func attach(to host: PluginHost) { self.host = host }

  public func environmentChanged(_ environment: Environment) {
    self.environment = environment
    state.isManageCustom = binding(of: .manage)?.isCustom ?? false
    state.isRestoreCustom = binding(of: .restore)?.isCustom ?? false
    guard feed != nil else { return }
    if isStateKnown { publish(StateFeed.Transition(cause: "initialize")) } else { makeFeed() }
  }

  public func settle() {
    isSettling = true
    dayWatch?.cancel()
    storeState.secondLook?.cancel()
    // Not at once: the reply whose outcome is held may still be on its way, and comes first.
    for hold in holds { startHold(of: hold.action) }
    writeOn()
  }

  public var isSettled: Bool { holds.isEmpty && storeState.writing == nil }

  // MARK: State

  /// The whole state.
  func get() throws(RPCError) -> JSONText {
    if state.plan == nil, let storeFailure { throw storeFailure.error() }
    becomeKnown()
    return feed!.text()
  }

  var revision: Int { feed!.revision }

  /// Makes the state at the first call, and brings its dates up to today at later ones.
  func prepare() {
    if feed == nil {
      makeFeed()
    } else if cache.isOutdated(now: host.now(), environment) {
      if isStateKnown { publish(StateFeed.Transition(cause: "clock")) } else { makeFeed() }
    }
  }

  /// Shows what the store says; to nobody as long as nobody has seen anything.
  func publishAccount() {
    if isStateKnown { publish(StateFeed.Transition(cause: "account")) } else { makeFeed() }
  }

  private func makeFeed() {
    // What was passed before anybody saw a state is no news.
    _ = state.takeAlerts()
    feed = StateFeed(plugin: name, initial: snapshot())
  }

  private func snapshot() -> StateSnapshot { state.snapshot(now: host.now(), environment, cache: &cache) }

  /// Sends what changed.
  /// - Returns: the revision that the state has now.
  @discardableResult
  func publish(_ transition: StateFeed.Transition) -> Int {
    var transition = transition
    transition.alerts = state.takeAlerts()
    if let event = feed!.move(to: snapshot(), transition, reduceMotion: environment.reduceMotion) {
      becomeKnown()
      host.publish(event)
    }
    return feed!.revision
  }

  private func becomeKnown() {
    isStateKnown = true
    if dayWatch == nil && !isSettling { watchDay() }
  }

  /// Takes over a plan that the host handed over, and has it kept.
  func take(_ plan: PlanUsage?, asOf: DateValue? = nil) {
    state.take(plan, asOf: asOf) { cache.day(at: $0, environment) }
    guard let plan else { return }
    state.isStale = false
    write(.keep(plan, asOf: asOf))
  }

  /// Takes over a plan that an action brought: it is as of now, so that what was read before the action is older.
  func takeOwn(_ plan: PlanUsage) {
    state.take(plan) { cache.day(at: $0, environment) }
    state.noteNewest(at: host.now()) { cache.day(at: $0, environment) }
  }

  /// Takes over what was read from the store.
  func show(_ record: AccountRecord) {
    state.take(record.plan, asOf: record.asOf) { cache.day(at: $0, environment) }
  }

  /// The texts of what an upgrade would cost.
  func texts(of preview: UpgradePreview) -> UpgradePreviewText {
    cache.texts(for: preview, now: host.now(), environment)
  }

  /// Whether a plan that was read then is older than what was known already.
  func isOlder(_ asOf: DateValue) -> Bool {
    state.isOlder(asOf) { cache.day(at: $0, environment) }
  }
}
