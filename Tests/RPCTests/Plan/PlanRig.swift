import AccountModel
import PlanPlugin
import RPCShell

/// A plan plugin that a test drives.
final class PlanRig: PluginRig<PlanPlugin> {
  /// 2026-10-19T00:00:00Z
  static let today = 1_792_368_000.0

  let store: ScriptedStore

  /// - Parameters:
  ///   - plan: what the store holds at first.
  ///   - handler: of onUpgrade.
  ///   - manage: of onManage.
  ///   - restore: of onRestore.
  ///   - custom: actions that count as bound by the configuration, which gives them a handler.
  ///   - now: the time of day.
  ///   - executor: what the plugin lives on; a store of the test's own needs it, too.
  ///   - store: holds the plan in place of the rig's own.
  ///   - prepare: tells the rig's own store what to do before it is asked.
  init(
    plan: PlanUsage? = .plus, handler: (any ActionHandler)? = nil, manage: (any ActionHandler)? = nil,
    restore: (any ActionHandler)? = nil, custom: Set<HostAction> = [], startOverHint: String? = nil,
    environment: Environment = Environment(), now: Double = today, executor: LoopExecutor = LoopExecutor(),
    store: (any AccountStore)? = nil, prepare: (ScriptedStore) -> Void = { _ in }
  ) {
    let own = ScriptedStore(plan, executor: executor)
    self.store = own
    executor.bind()
    prepare(own)
    var settings = PlanPlugin.Settings(startOverHint: startOverHint)
    func binding(_ action: HostAction, _ handler: (any ActionHandler)?, timeout: Double = 60) -> ActionBinding? {
      let isCustom = custom.contains(action)
      let handler = handler ?? (isCustom ? ScriptedHandler() : nil)
      return handler.map { ActionBinding($0, timeout: timeout, isCustom: isCustom) }
    }
    settings.upgrade = binding(.onUpgrade, handler, timeout: 600)
    settings.manage = binding(.onManage, manage)
    settings.restore = binding(.onRestore, restore)
    let handlers = [settings.upgrade, settings.manage, settings.restore].compactMap { $0?.handler }
    super.init(
      PlanPlugin(version: "1.0", executor: executor, settings: settings, store: store ?? own), executor: executor,
      environment: environment, now: now
    ) {
      own.release()
      for handler in handlers { (handler as? ScriptedHandler)?.release() }
    }
  }

  /// How often the store was asked for the plan.
  var plansAsked: Int { store.asked.filter { $0 == "load" }.count }

  /// The plan that the store holds.
  var keptPlan: PlanUsage? { store.plan }
}

extension PlanUsage {
  /// Plus as of 2026-10-19.
  static let plus = PlanUsage.sample(renewing: DateValue("2026-11-02")!)
  static let top = PlanUsage.studio(renewing: DateValue("2026-11-02")!)
}
