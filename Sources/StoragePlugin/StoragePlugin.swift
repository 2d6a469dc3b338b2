public import AccountModel
public import RPCShell

/// The storage block: what an app keeps on disk, and what a person can do about it (methods `storage.*`, event
/// `storage.state`).
///
/// Nothing is measured before its first method is called.
public actor StoragePlugin: Plugin {
  public nonisolated let name = "storage"
  public nonisolated let version: String
  public nonisolated let hasState = true

  /// What the configuration decides.
  public struct Settings: Sendable {
    /// Who does what; an action without a binding is not available.
    public var clearCache, remove: ActionBinding?
    /// How long it says what was cleared.
    public var clearHold: Duration
    public var showsFreeSpace: Bool
    /// Whether finished downloads go by themselves, as the options say.
    public var appliesAutoRemove: Bool
    /// What is known from the start.
    public var initial: StorageUsage?
    /// Makes what a confirmation is answered with.
    public var makeToken: @Sendable () -> String

    /// The defaults, with nothing bound.
    public init(
      clearHold: Duration = .seconds(3), showsFreeSpace: Bool = true, appliesAutoRemove: Bool = false,
      initial: StorageUsage? = nil, makeToken: @escaping @Sendable () -> String = ConfirmationTokens.random
    ) {
      self.clearHold = clearHold
      self.showsFreeSpace = showsFreeSpace
      self.appliesAutoRemove = appliesAutoRemove
      self.initial = initial
      self.makeToken = makeToken
    }

    subscript(action: StorageAction) -> ActionBinding? {
      switch action {
      case .clearCache: clearCache
      case .remove: remove
      }
    }
  }

  let settings: Settings
  let executor: LoopExecutor
  let backend: (any StorageBackend)?
  let optionsStore: any StorageOptionsStore
  private let freeBytes: @Sendable () -> Int?
  private(set) var host: PluginHost!
  private(set) var environment = Environment()
  var state = StorageState()
  /// nil until the first method is called.
  private var feed: StateFeed?
  /// Whether a client knows any state.
  private var isStateKnown = false
  /// No more input will come.
  private(set) var isSettling = false
  /// The checkmark that is being held.
  var hold: Task<Void, Never>?
  /// Questions that were asked and not answered.
  var tokens: ConfirmationTokens
  /// The clear that runs.
  var clearRun: Int?
  /// Removals that run, by the download's id.
  var removals: [ExactText: RemovalRun] = [:]
  /// Answers for calls that joined a removal and do not wait yet.
  var earlyAnswers: [Int: Result<JSONText, RPCError>] = [:]
  /// Numbers runs and the calls that wait for them.
  var lastNumber = 0
  /// The measure that runs, and who waits for it.
  var measuring: Measuring?
  /// Rises when something is removed or handed over: a measure that began before is stale.
  var generation = 0
  /// The figures are the backend's newest, so that its changes can be taken over.
  var isMeasured = false
  /// What the plugin does by itself while the session lives.
  var watching, tidying: Task<Void, Never>?
  /// The removal that nobody asked for, while one runs.
  var ownRemoval: StopSignal?

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - version: the program's.
  ///   - executor: the session's own, on which the plugin lives from now on.
  ///   - backend: measures; nil where only the host knows.
  ///   - options: keeps the options.
  ///   - free: bytes free on the device; nil where that cannot be read.
  public init(
    version: String, executor: LoopExecutor, settings: Settings, backend: (any StorageBackend)?,
    options: any StorageOptionsStore, free: @escaping @Sendable () -> Int?
  ) {
    self.version = version
    self.executor = executor
    self.settings = settings
    self.backend = backend
    optionsStore = options
    freeBytes = free
    tokens = ConfirmationTokens(make: settings.makeToken)
  }

  /// Who does an action in this session: the client where it took it over, else whom the configuration names.
  func binding(of action: StorageAction) -> ActionBinding? {
    let configured = settings[action]
    let hostAction = action.hostAction
    guard environment.hostActions.contains(hostAction), let handler = host.hostHandler else { return configured }
    return ActionBinding(handler, timeout: configured?.timeout ?? hostAction.defaultTimeout, isCustom: true)
  }

  // MARK: Life

  public func attach(to host: PluginHost) {
    self.host = host
    guard settings.appliesAutoRemove, backend != nil else { return }
    // Once the person's surroundings are known, too.
    Task(executorPreference: executor) { await self.beginChores() }
  }

  public func environmentChanged(_ environment: Environment) {
    self.environment = environment
    state.canClear = binding(of: .clearCache) != nil
    state.canRemove = binding(of: .remove) != nil
    if !state.canRemove { state.isEditing = false }
    guard feed != nil else { return }
    if isStateKnown { publish(StateFeed.Transition(cause: "initialize")) } else { makeFeed() }
  }

  public func settle() {
    isSettling = true
    watching?.cancel()
    tidying?.cancel()
    ownRemoval?.set(.drained)
    if let measuring, measuring.waiting.isEmpty { measuring.task.cancel() }
    // Not at once: the reply whose outcome is held may still be on its way, and comes first.
    if hold != nil { startHold() }
  }

  public var isSettled: Bool { hold == nil && ownRemoval == nil }

  // MARK: State

  var revision: Int { feed!.revision }

  /// The whole state.
  func get() -> JSONText {
    becomeKnown()
    return feed!.text()
  }

  /// Makes the state at the first call.
  func refresh() {
    guard feed == nil else { return }
    state.options = optionsStore.options()
    state.showsFreeSpace = settings.showsFreeSpace
    if let initial = settings.initial { take(initial) }
    makeFeed()
    startTidying()
  }

  private func makeFeed() { feed = StateFeed(plugin: name, initial: state.snapshot(environment)) }

  /// Sends what changed.
  /// - Returns: the revision that the state has now.
  @discardableResult
  func publish(_ transition: StateFeed.Transition) -> Int {
    let snapshot = state.snapshot(environment)
    if let event = feed!.move(to: snapshot, transition, reduceMotion: environment.reduceMotion) {
      becomeKnown()
      host.publish(event)
    }
    return feed!.revision
  }

  /// Shows what a measure found; to nobody as long as nobody has seen anything.
  func publishMeasure(_ transition: StateFeed.Transition) {
    if isStateKnown { publish(transition) } else { makeFeed() }
  }

  private func becomeKnown() { isStateKnown = true }

  // MARK: Usage

  /// Takes over a usage, with what is free now.
  func take(_ usage: StorageUsage?, totals: StorageTotals? = nil) {
    readFreeSpace()
    state.take(usage, totals: totals, asOf: DateValue(at: host.now()).text)
  }

  /// Takes over what changed.
  /// - Returns: whether anything did.
  func take(_ changes: StorageChanges) -> Bool {
    let isNew = state.take(changes, asOf: DateValue(at: host.now()).text)
    if isNew { readFreeSpace() }
    return isNew
  }

  private func readFreeSpace() { state.free = settings.showsFreeSpace ? freeBytes() : nil }
}
