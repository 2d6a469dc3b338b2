import AccountModel
import RPCShell
import StoragePlugin
import Testing

/// A storage plugin that a test drives.
final class StorageRig: PluginRig<StoragePlugin> {
  /// 2026-10-19T00:00:00Z
  static let today = PlanRig.today

  let clearer: ScriptedHandler
  let remover: ScriptedHandler
  private let surroundings: Surroundings

  /// - Parameters:
  ///   - usage: what is known from the start.
  ///   - unbound: actions without a handler.
  ///   - custom: whether the handlers count as bound by the configuration.
  ///   - free: bytes free on the device.
  ///   - options: what was kept before.
  init(
    usage: StorageUsage? = .sample, backend: ScriptedBackend? = nil, unbound: Set<HostAction> = [],
    custom: Bool = true, adapter: String = "exec", heedsCancel: Bool = true, free: Int? = StorageUsage.sampleFree,
    options: StorageOptions = StorageOptions(), showsFreeSpace: Bool = true, appliesAutoRemove: Bool = false,
    environment: Environment = Environment(), now: Double = today
  ) {
    let executor = LoopExecutor()
    let surroundings = Surroundings(options: options, free: free)
    let clearer = ScriptedHandler(adapter: adapter, heedsCancel: heedsCancel)
    let remover = ScriptedHandler(adapter: adapter, heedsCancel: heedsCancel)
    self.surroundings = surroundings
    self.clearer = clearer
    self.remover = remover
    var settings = StoragePlugin.Settings(
      showsFreeSpace: showsFreeSpace, appliesAutoRemove: appliesAutoRemove, initial: usage,
      makeToken: surroundings.makeToken)
    if !unbound.contains(.onClearCache) {
      settings.clearCache = ActionBinding(clearer, timeout: 60, isCustom: custom)
    }
    if !unbound.contains(.onRemove) { settings.remove = ActionBinding(remover, timeout: 60, isCustom: custom) }
    let plugin = StoragePlugin(
      version: "1.0", executor: executor, settings: settings, backend: backend, options: surroundings,
      free: { surroundings.state.withLock(\.free) })
    super.init(plugin, executor: executor, environment: environment, now: now) {
      clearer.release()
      remover.release()
      backend?.release()
    }
  }

  /// A rig whose backend has measured the sample; nothing is among its lines.
  static func measured(
    _ backend: ScriptedBackend, usage: StorageUsage = .sample, unbound: Set<HostAction> = [], custom: Bool = true,
    options: StorageOptions = StorageOptions(), appliesAutoRemove: Bool = false, now: Double = today
  ) throws -> StorageRig {
    let rig = StorageRig(
      usage: nil, backend: backend, unbound: unbound, custom: custom, options: options,
      appliesAutoRemove: appliesAutoRemove, now: now)
    try rig.call("storage.get")
    backend.deliver(usage)
    _ = rig.take(1)
    return rig
  }

  /// `storage.set` with this usage.
  func set(_ usage: StorageUsage, id: String? = "1") throws {
    try call("storage.set", id: id, params: #"{"usage":\#(usage.jsonText)}"#)
  }

  /// Bytes free on the device from now on.
  func setFree(_ bytes: Int?) { surroundings.state.withLock { $0.free = bytes } }

  /// Whether options can be kept from now on.
  func breakOptions(_ message: String) { surroundings.state.withLock { $0.failure = StorageFailure(message) } }

  /// The options that were kept, in order.
  var keptOptions: [StorageOptions] { surroundings.state.withLock(\.kept) }
}

/// What a storage plugin finds around it.
private final class Surroundings: StorageOptionsStore {
  struct State {
    var options: StorageOptions
    var kept: [StorageOptions] = []
    var failure: StorageFailure?
    var free: Int?
    var tokens = 0
  }

  let state: Locked<State>

  init(options: StorageOptions, free: Int?) { state = Locked(State(options: options, free: free)) }

  func options() -> StorageOptions { state.withLock(\.options) }

  func keep(_ options: StorageOptions) throws(StorageFailure) {
    let failure = state.withLock { state in
      if state.failure == nil { state.kept.append(options) }
      return state.failure
    }
    if let failure { throw failure }
  }

  /// `5f2c81d0`, then others.
  @Sendable
  func makeToken() -> String {
    let count = state.withLock { state in
      defer { state.tokens += 1 }
      return state.tokens
    }
    return count == 0 ? "5f2c81d0" : "5f2c81d0-\(count)"
  }
}
