import AccountModel
import Configuration
import HostAdapters
import PlanPlugin
import RPCShell

/// The account behind the plan block, in memory: what is configured, else Plus with Studio above it.
enum Account {
  /// - Parameter time: when the sample account is made, in seconds since 1970-01-01T00:00:00Z; its plans renew 14 days
  ///   later.
  static func plugin(_ configuration: Configuration, executor: LoopExecutor, madeAt time: Double) -> PlanPlugin {
    let account = configuration.account
    let catalogue = account.catalogue ?? PlanUsage.sampleCatalogue(madeAt: time)
    let store = MemoryStore(account.plan ?? catalogue.first, executor: executor)
    let local = LocalAccount(catalogue: catalogue, manageURL: account.manageURL, store: store)
    var settings = PlanPlugin.Settings()
    if account.isSample {
      settings.startOverHint = "To start over with the sample account, restart the session (--demo starts afresh)"
    }
    settings.upgrade = configuration.binding(of: .onUpgrade, local: local)
    settings.manage = configuration.binding(of: .onManage, local: local)
    settings.restore = configuration.binding(of: .onRestore, local: local)
    settings.upgradeHold = .seconds(configuration.holds.upgrade ?? Configuration.Holds.defaultUpgrade)
    settings.restoreHold = .seconds(configuration.holds.restore ?? Configuration.Holds.defaultRestore)
    return PlanPlugin(version: Version.current, executor: executor, settings: settings, store: store)
  }
}
