import AccountModel
import HostAdapters
import PlanPlugin
import RPCShell

/// The account that works with nothing installed: Plus, with Studio above it, in memory.
enum SampleAccount {
  /// - Parameter time: when the account is made, in seconds since 1970-01-01T00:00:00Z; its plans renew 14 days later.
  static func plugin(executor: LoopExecutor, madeAt time: Double) -> PlanPlugin {
    let account = LocalAccount { PlanUsage.sampleCatalogue(madeAt: time) }
    return PlanPlugin(
      version: Version.current, executor: executor,
      settings: .init(handlers: [.onUpgrade: account], isSampleAccount: true),
      initialPlan: { _ in PlanUsage.sampleCatalogue(madeAt: time).first })
  }
}
