import AccountModel
import Configuration
import HTTPCall
import RPCShell

/// What `rpcshell config check` prints: each setting with its value, and who says so.
struct ConfigurationReport {
  /// Who decides a setting.
  private enum Origin: String {
    case option, environment, configuration
    case byDefault = "default"
  }

  private struct Row {
    let name: String
    let value: String
    let origin: Origin
  }

  private let setup: Setup
  private var configuration: Configuration { setup.configuration ?? Configuration() }

  init(_ setup: Setup) { self.setup = setup }

  /// One line a setting, in three columns.
  var text: String {
    let rows =
      [file, locale, timeZone] + store + account + storage + HostAction.allCases.map(handler) + plugins + holds
    let names = rows.map(\.name.count).max()!
    let values = rows.map(\.value.count).max()!
    return rows.map { row in
      row.name.padded(to: names) + "  " + row.value.padded(to: values) + "  " + row.origin.rawValue + "\n"
    }.joined()
  }

  private var file: Row {
    guard setup.configuration != nil, let file = setup.file else {
      return Row(name: "file", value: "built-in", origin: setup.options.isDemo ? .option : .byDefault)
    }
    let origin: Origin =
      switch file.origin {
      case .option: .option
      case .environment: .environment
      case .usualPlace: .byDefault
      }
    return Row(name: "file", value: file.path.plainLine, origin: origin)
  }

  /// A setting of the file, or its default.
  private func row(_ name: String, _ configured: String?, byDefault value: String) -> Row {
    Row(name: name, value: configured?.plainLine ?? value, origin: configured == nil ? .byDefault : .configuration)
  }

  // MARK: How the person reads

  private var locale: Row {
    if let locale = setup.options.locale { return Row(name: "locale", value: locale, origin: .option) }
    return row("locale", configuration.locale, byDefault: Setup.defaultLocale)
  }

  private var timeZone: Row {
    if let timeZone = setup.options.timeZone { return Row(name: "timeZone", value: timeZone, origin: .option) }
    if let timeZone = configuration.timeZone { return Row(name: "timeZone", value: timeZone, origin: .configuration) }
    let current = SystemTimeZone.current { StandardError.line($0) }
    return Row(name: "timeZone", value: current, origin: SystemTimeZone.isInEnvironment ? .environment : .byDefault)
  }

  // MARK: The account

  private var store: [Row] {
    let configured = setup.options.isDemo ? nil : configuration.store?.shown
    return [
      row("store", configured, byDefault: setup.store?.shown.plainLine ?? "memory"),
      row("accountId", configuration.accountID, byDefault: Configuration.defaultAccountID),
    ]
  }

  private var account: [Row] {
    let account = configuration.account
    let sample = PlanUsage.sampleCatalogue(madeAt: setup.now())
    return [
      row("account.plan", (account.plan ?? account.catalogue?.first)?.name, byDefault: sample[0].name),
      row("account.catalogue", account.catalogue.map(names), byDefault: names(sample)),
      row("account.manageURL", account.manageURL.map(\.withoutSecrets), byDefault: "none"),
    ]
  }

  private func names(_ plans: [PlanUsage]) -> String { plans.map(\.name).joined(separator: ", ") }

  // MARK: Storage

  private var storage: [Row] {
    let storage = configuration.storage
    let own = StorageRoots.own(ConfiguredPath(folder: "/"))
    let kinds = StorageRoots.Kind.allCases.map { kind in
      row(
        "storage.roots.\(kind.rawValue)", storage.roots.map { paths($0[kind]) },
        byDefault: setup.options.isDemo ? "sample" : paths(own?[kind] ?? []))
    }
    return kinds + [
      row("storage.manifest", storage.manifest, byDefault: "none"),
      row("storage.showsFreeSpace", storage.showsFreeSpace.map(yesOrNo), byDefault: "yes"),
      row("storage.watch", storage.watch.map(yesOrNo), byDefault: "no"),
      row("storage.applyAutoRemove", storage.applyAutoRemove.map(yesOrNo), byDefault: "no"),
    ]
  }

  private func paths(_ paths: [String]) -> String { paths.isEmpty ? "none" : paths.joined(separator: ", ") }
  private func yesOrNo(_ value: Bool) -> String { value ? "yes" : "no" }

  // MARK: Who does what, and for how long

  private func handler(of action: HostAction) -> Row {
    let value = configuration.handler(of: action).map { "\(name(of: $0.adapter)), \(seconds($0.timeout))" }
    let isGiven = configuration[action] != .unset
    return Row(
      name: "handlers.\(action.rawValue)", value: value ?? "not available",
      origin: isGiven ? .configuration : .byDefault)
  }

  /// Of a program only what it is called, of a server only its URL: arguments and headers may be secrets.
  private func name(of adapter: Configuration.Adapter) -> String {
    switch adapter {
    case .local, .host: adapter.name.rawValue
    case .exec(let command, _): "exec \(command.arguments[0].plainLine)"
    case .plugin(let name): "plugin \(name)"
    case .http(let endpoint, _): "http \(endpoint.url.text.withoutSecrets)"
    }
  }

  private var plugins: [Row] {
    if configuration.plugins.isEmpty { return [Row(name: "plugins", value: "none", origin: .byDefault)] }
    return configuration.plugins.map { plugin in
      let timeout = plugin.startTimeout ?? Configuration.Plugin.defaultStartTimeout
      let value = plugin.command.arguments[0].plainLine + ", " + seconds(timeout)
      return Row(name: "plugins.\(plugin.name)", value: value, origin: .configuration)
    }
  }

  private var holds: [Row] {
    let holds = configuration.holds
    return [
      row("holds.upgrade", holds.upgrade.map(seconds), byDefault: seconds(Configuration.Holds.defaultUpgrade)),
      row("holds.restore", holds.restore.map(seconds), byDefault: seconds(Configuration.Holds.defaultRestore)),
      row("holds.clearCache", holds.clearCache.map(seconds), byDefault: seconds(Configuration.Holds.defaultClearCache)),
    ]
  }

  private func seconds(_ number: Double) -> String { "\(JSONText(shortest: number)) s" }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
