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
    /// Who does what; an action without an entry is not available.
    public var handlers: [HostAction: any ActionHandler]
    /// Actions whose adapter was bound in the configuration or by `initialize`, in place of the built-in one.
    public var customActions: Set<HostAction>
    /// Seconds after which an upgrade is given up.
    public var upgradeTimeout: Double
    /// How long the checkmark of an upgrade stays.
    public var upgradeHold: Duration
    /// Whether the plans are the built-in sample, with which one can start over.
    public var isSampleAccount: Bool

    /// The defaults.
    public init(
      handlers: [HostAction: any ActionHandler] = [:], customActions: Set<HostAction> = [],
      upgradeTimeout: Double = 600, upgradeHold: Duration = .milliseconds(1200), isSampleAccount: Bool = false
    ) {
      self.handlers = handlers
      self.customActions = customActions
      self.upgradeTimeout = upgradeTimeout
      self.upgradeHold = upgradeHold
      self.isSampleAccount = isSampleAccount
    }
  }

  let settings: Settings
  let executor: LoopExecutor
  private let initialPlan: @Sendable (Double) -> PlanUsage?
  private(set) var host: PluginHost!
  private(set) var environment = Environment()
  var state: PlanState
  var running: RunningUpgrade?
  /// The answer of the run that ended last, for a call that joined it while it ended.
  var lastAnswer: RunningUpgrade.Answer?
  /// Numbers runs and the calls that join them.
  var lastNumber = 0
  private var cache = PlanTextCache()
  /// nil until the first method is called.
  private var feed: StateFeed?
  /// Whether a client knows any state.
  private var isStateKnown = false
  private var isSettling = false
  private var hold: Task<Void, Never>?

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - version: the program's.
  ///   - executor: the session's own, on which the plugin lives from now on.
  ///   - initialPlan: what is shown at first (nil while nothing is known); asked once, at the first method, with the time
  ///     in seconds since 1970-01-01T00:00:00Z.
  public init(
    version: String, executor: LoopExecutor, settings: Settings, initialPlan: @escaping @Sendable (Double) -> PlanUsage?
  ) {
    self.version = version
    self.executor = executor
    self.settings = settings
    self.initialPlan = initialPlan
    state = PlanState(customActions: settings.customActions)
  }

  public nonisolated func routes() -> [Route] {
    [
      .immediate(
        .query, self, "plan.get", "The plan and everything shown about it",
        result: { .object([.required("revision", .integer(0...(.max))), .required("state", .any)]) }
      ) { (plugin, _, _) throws(RPCError) in plugin.get() },
      .action(
        self, "plan.upgrade", "Goes up to the plan that is offered",
        params: {
          [.optional("idempotencyKey", .string(maxBytes: 255, nonEmpty: true), "the same key is the same intent")]
        },
        result: {
          .object([
            .required("outcome", .choice(["completed", "cancelled", "pending"])),
            .required("revision", .integer(0...(.max))),
          ])
        }
      ) { (plugin, params, context) throws(RPCError) in
        try plugin.beginUpgrade(params["idempotencyKey"]?.string, context)
      },
    ]
  }

  // MARK: Life

  public func attach(to host: PluginHost) { self.host = host }

  public func environmentChanged(_ environment: Environment) {
    self.environment = environment
    guard feed != nil else { return }
    if isStateKnown { publish(StateFeed.Transition(cause: "initialize")) } else { makeFeed() }
  }

  public func settle() {
    isSettling = true
    guard hold != nil else { return }
    // Not at once: the reply whose outcome is held may still be on its way, and comes first.
    cancelHold()
    startHold()
  }

  public var isSettled: Bool { hold == nil }

  // MARK: State

  private func get() -> JSONText {
    refresh()
    isStateKnown = true
    return feed!.text()
  }

  /// Makes the state at the first call, and brings its dates up to today at later ones.
  func refresh() {
    if feed == nil {
      state.plan = initialPlan(host.now())
      makeFeed()
    } else if cache.isOutdated(now: host.now(), environment) {
      publish(StateFeed.Transition(cause: "clock"))
    }
  }

  private func makeFeed() { feed = StateFeed(plugin: name, initial: snapshot()) }

  private func snapshot() -> StateSnapshot { state.snapshot(now: host.now(), environment, cache: &cache) }

  /// Sends what changed.
  /// - Returns: the revision that the state has now.
  @discardableResult
  func publish(_ transition: StateFeed.Transition) -> Int {
    if let event = feed!.move(to: snapshot(), transition, reduceMotion: environment.reduceMotion) {
      isStateKnown = true
      host.publish(event)
    }
    return feed!.revision
  }

  // MARK: Hold

  /// Keeps the checkmark for a moment; while the session ends, for none.
  func startHold() {
    let length = isSettling ? .zero : settings.upgradeHold
    let clock = host.clock
    hold = Task(executorPreference: executor) {
      try? await clock.sleep(for: length)
      await self.holdIsOver()
    }
  }

  /// Drops a hold whose end would come too late.
  func cancelHold() {
    hold?.cancel()
    hold = nil
  }

  /// Asked on the actor, so that no new attempt comes between the question and the end.
  private func holdIsOver() {
    if !Task.isCancelled { endHold() }
  }

  private func endHold() {
    cancelHold()
    state.upgrade = .idle
    state.acceptedOffer = nil
    publish(StateFeed.Transition(cause: "upgrade"))
  }
}
