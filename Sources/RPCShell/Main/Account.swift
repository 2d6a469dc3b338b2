import AccountDatabase
import AccountModel
import Configuration
import HostAdapters
import PlanPlugin
import RPCShell

/// The account behind the plan block: what is configured, else Plus with Studio above it, kept in its store.
enum Account {
  static func plugin(_ setup: Setup, executor: LoopExecutor) -> PlanPlugin {
    let configuration = setup.configuration ?? Configuration()
    // The sample's plans renew 14 days after they are made.
    let catalogue = configuration.account.catalogue ?? PlanUsage.sampleCatalogue(madeAt: setup.now())
    let initial = configuration.account.plan ?? catalogue.first
    let database = setup.needsStore ? database(setup, initial: initial, executor: executor) : nil
    return plugin(
      configuration, catalogue, store: database ?? MemoryStore(initial, executor: executor), executor: executor,
      startOverHint: startOverHint(setup, isKept: database != nil))
  }

  /// A plugin that nobody asks for more than its methods.
  static func sample(executor: LoopExecutor) -> PlanPlugin {
    plugin(Configuration(), [], store: MemoryStore(nil, executor: executor), executor: executor, startOverHint: nil)
  }

  private static func plugin(
    _ configuration: Configuration, _ catalogue: [PlanUsage], store: any AccountStore, executor: LoopExecutor,
    startOverHint: String?
  ) -> PlanPlugin {
    let local = LocalAccount(catalogue: catalogue, manageURL: configuration.account.manageURL, store: store)
    var settings = PlanPlugin.Settings()
    settings.startOverHint = startOverHint
    settings.upgrade = configuration.binding(of: .onUpgrade, local: local)
    settings.manage = configuration.binding(of: .onManage, local: local)
    settings.restore = configuration.binding(of: .onRestore, local: local)
    settings.upgradeHold = .seconds(configuration.holds.upgrade ?? Configuration.Holds.defaultUpgrade)
    settings.restoreHold = .seconds(configuration.holds.restore ?? Configuration.Holds.defaultRestore)
    return PlanPlugin(version: Version.current, executor: executor, settings: settings, store: store)
  }

  /// What the top plan of the sample says of how to begin again; nil where the account is somebody's own.
  private static func startOverHint(_ setup: Setup, isKept: Bool) -> String? {
    guard setup.configuration?.account.isSample ?? true else { return nil }
    switch setup.store {
    case .sqlite(let path) where isKept:
      return "To start over with the sample account, move \(path) away; --demo starts afresh each time"
    case .postgresql where isKept:
      return "To start over with the sample account, configure another accountId; --demo starts afresh each time"
    default: return "To start over with the sample account, restart the session (--demo starts afresh)"
    }
  }

  /// Where the account is kept; nothing is opened before it is asked.
  ///
  /// - Parameter initial: what an account that is new starts with.
  /// - Returns: nil where it is in memory alone.
  static func database(_ setup: Setup, initial: PlanUsage?, executor: LoopExecutor) -> AccountDatabase? {
    let account = setup.configuration?.accountID ?? Configuration.defaultAccountID
    let engine: any DatabaseEngine
    // Beside a file, else in the state folder.
    let place: String?
    switch setup.store {
    case .memory, nil: return nil
    case .sqlite(let path): (engine, place) = (SQLiteEngine(path: path), path)
    case .postgresql(let url):
      (engine, place) = (PostgreSQLEngine(url: url, account: account), setup.stateFolder.map { $0 + "/account.db" })
    }
    let settings = AccountDatabase.Settings(
      accountID: account, initial: initial, companions: place.map { CompanionFiles(beside: $0) })
    return AccountDatabase(engine, settings, executor: executor, now: setup.now) { line in
      StandardError.line("rpcshell: " + line)
    }
  }
}

extension Setup {
  /// Where the account is kept; nil where there is no home folder to keep it in.
  var store: Configuration.Store? {
    if options.isDemo { return .memory }
    return configuration?.store ?? stateFolder.map { .sqlite(path: $0 + "/account.db") }
  }

  /// Whether the account is kept at all: where others do all that can be done with a plan, it is theirs to keep, unless
  /// somebody named a store.
  var needsStore: Bool {
    guard let configuration, configuration.store == nil else { return true }
    return [HostAction.onUpgrade, .onManage, .onRestore].contains { configuration.handler(of: $0)?.adapter == .local }
  }
}
