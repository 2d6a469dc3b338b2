import AccountModel
import HostAdapters
import PlanPlugin
import RPCShell

/// The account that works with nothing installed: Plus, with Studio above it, in memory.
enum SampleAccount {
  /// - Parameter time: when the account is made, in seconds since 1970-01-01T00:00:00Z; its plans renew 14 days later.
  static func plugin(executor: LoopExecutor, madeAt time: Double) -> PlanPlugin {
    let catalogue = PlanUsage.sampleCatalogue(madeAt: time)
    let store = MemoryStore(catalogue.first, executor: executor)
    let account = LocalAccount(catalogue: catalogue, store: store)
    var settings = PlanPlugin.Settings(isSampleAccount: true)
    settings.upgrade = ActionBinding(account, timeout: HostAction.onUpgrade.defaultTimeout)
    settings.manage = ActionBinding(account, timeout: HostAction.onManage.defaultTimeout)
    settings.restore = ActionBinding(account, timeout: HostAction.onRestore.defaultTimeout)
    return PlanPlugin(version: Version.current, executor: executor, settings: settings, store: store)
  }
}
