public import AccountModel
public import RPCShell

/// Plays storage in memory: a clear that takes a moment, downloads that go.
///
/// An actor on the session's own thread.
public actor SampleStorage: ActionHandler {
  /// For error data.
  public nonisolated let adapter = "local"
  private nonisolated let executor: LoopExecutor
  private var usage: StorageUsage

  /// How long a clear takes.
  private static let moment = Duration.milliseconds(800)

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - usage: what is there at first.
  ///   - executor: the session's own.
  public init(_ usage: StorageUsage, executor: LoopExecutor) {
    self.usage = usage
    self.executor = executor
  }

  /// Answers both actions with what is left. What is none of the sample is the host's, which hands over what is left.
  /// - Throws: `CancellationError` when it is told to stop; ``ActionFailure`` for other actions.
  public func run(
    _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult {
    switch call.action {
    case .onClearCache:
      let bytes = call.details.first { $0.name == "bytes" }.flatMap { Int("\($0.value)") }
      let isSample = bytes == usage.cache
      try await host.clock.sleep(for: Self.moment)
      guard isSample else { return ActionResult() }
      usage.cache = 0
    case .onRemove:
      try Task.checkCancellation()
      let text = call.details.first { $0.name == "download" }?.value ?? .null
      guard let id = try JSONDocument(parsing: text).view["id"]?.string else { throw ActionFailure(message: nil) }
      guard let at = usage.downloads.firstIndex(where: { $0.id.isExactly(id) }) else { return ActionResult() }
      usage.downloads.remove(at: at)
    case .onUpgrade, .onManage, .onRestore: throw ActionFailure(message: nil)
    }
    var result = ActionResult()
    result.usage = usage.jsonText
    return result
  }
}

/// Keeps the options for as long as the process lives.
public struct MemoryOptions: StorageOptionsStore {
  /// Nothing is kept yet.
  public init() {}

  public func options() -> StorageOptions { StorageOptions() }
  public func keep(_ options: StorageOptions) {}
}
