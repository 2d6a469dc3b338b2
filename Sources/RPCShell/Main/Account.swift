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
    let sample = PlanUsage.sampleCatalogue(madeAt: setup.now())
    let initial = configuration.account.plan ?? configuration.account.catalogue?.first ?? sample.first
    let store: any AccountStore =
      database(setup, initial: initial, executor: executor)
      ?? MemoryStore(initial, executor: executor, opened: setup.store == nil ? sayNotKept : nil)
    return plugin(configuration, sample, store: store, executor: executor, startOverHint: startOverHint(setup))
  }

  /// A plugin that nobody asks for more than its methods.
  static func sample(executor: LoopExecutor) -> PlanPlugin {
    plugin(Configuration(), [], store: MemoryStore(nil, executor: executor), executor: executor, startOverHint: nil)
  }

  private static func plugin(
    _ configuration: Configuration, _ sample: [PlanUsage], store: any AccountStore, executor: LoopExecutor,
    startOverHint: String?
  ) -> PlanPlugin {
    let local = LocalAccount(
      catalogue: configuration.account.catalogue, orSample: sample, manageURL: configuration.account.manageURL,
      store: store)
    var settings = PlanPlugin.Settings()
    settings.startOverHint = startOverHint
    settings.upgrade = configuration.binding(of: .onUpgrade, local: local)
    settings.manage = configuration.binding(of: .onManage, local: local)
    settings.restore = configuration.binding(of: .onRestore, local: local)
    settings.upgradeHold = .seconds(configuration.holds.upgrade ?? Configuration.Holds.defaultUpgrade)
    settings.restoreHold = .seconds(configuration.holds.restore ?? Configuration.Holds.defaultRestore)
    return PlanPlugin(version: Version.current, executor: executor, settings: settings, store: store)
  }

  /// What the top plan of the sample says of how to begin again; nil where the plans are somebody's own, or bought.
  private static func startOverHint(_ setup: Setup) -> String? {
    if let configuration = setup.configuration {
      guard configuration.account.isSample, configuration.handler(of: .onUpgrade)?.adapter == .local else { return nil }
    }
    switch setup.store {
    case .sqlite(let path):
      return "To start over with the sample account, move \(path) and \(path)-lock away; --demo starts afresh each time"
    case .postgresql:
      return "To start over with the sample account, configure another accountId; --demo starts afresh each time"
    default: return "To start over with the sample account, restart the session (--demo starts afresh)"
    }
  }

  /// Nobody asked for an account in memory.
  @Sendable private static func sayNotKept() {
    StandardError.line(
      "rpcshell: the account is kept in memory, as long as the session: neither XDG_STATE_HOME nor HOME is an absolute "
        + "path; set one of them, or name a store in the configuration")
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
      accountID: account, initial: initial, catalogue: setup.configuration?.account.catalogue,
      companions: place.map { CompanionFiles(beside: $0) })
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
}
