import AccountModel
import PlanPlugin
import RPCShell

/// A plan plugin that a test drives.
final class PlanRig: PluginRig<PlanPlugin> {
  /// 2026-10-19T00:00:00Z
  static let today = 1_792_368_000.0

  private let store: RigStore

  /// - Parameters:
  ///   - plan: what the store holds at first.
  ///   - handler: of onUpgrade.
  ///   - manage: of onManage.
  ///   - restore: of onRestore.
  ///   - custom: actions that count as bound by the configuration, which gives them a handler.
  ///   - now: the time of day.
  ///   - executor: what the plugin lives on; a store of the test's own needs it, too.
  ///   - store: holds the plan in place of the rig's own.
  init(
    plan: PlanUsage? = .plus, handler: (any ActionHandler)? = nil, manage: (any ActionHandler)? = nil,
    restore: (any ActionHandler)? = nil, custom: Set<HostAction> = [], isSampleAccount: Bool = false,
    environment: Environment = Environment(), now: Double = today, executor: LoopExecutor = LoopExecutor(),
    store: (any PlanStore)? = nil
  ) {
    let own = RigStore(plan)
    self.store = own
    var settings = PlanPlugin.Settings(isSampleAccount: isSampleAccount)
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
      for handler in handlers { (handler as? ScriptedHandler)?.release() }
    }
  }

  /// How often the store was asked for the plan.
  var plansAsked: Int { store.state.withLock(\.plansAsked) }

  /// The plan that the store holds.
  var keptPlan: PlanUsage? { store.state.withLock(\.plan) }
}

/// Keeps a plan, and counts who asks for it.
private final class RigStore: PlanStore {
  struct State {
    var plan: PlanUsage?
    var plansAsked = 0
  }

  let state: Locked<State>

  init(_ plan: PlanUsage?) { state = Locked(State(plan: plan)) }

  func plan() -> PlanUsage? {
    state.withLock { state in
      state.plansAsked += 1
      return state.plan
    }
  }

  func keep(_ plan: PlanUsage) { state.withLock { $0.plan = plan } }
}

extension PlanUsage {
  /// Plus as of 2026-10-19.
  static let plus = PlanUsage.sample(renewing: DateValue("2026-11-02")!)
  static let top = PlanUsage.studio(renewing: DateValue("2026-11-02")!)
}
