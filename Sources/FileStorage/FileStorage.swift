public import AccountModel
import FileTree
import Glibc
public import RPCShell

/// The storage block's backend on real files: measures folders, follows changes in them, and says what a removal would
/// take. What waits for the disk runs on threads of its own.
public actor FileStorage: StorageBackend {
  /// What the configuration decides.
  public struct Settings: Sendable {
    public var roots: StorageRoots
    /// What the app says of its downloads.
    public var manifest: String?
    /// Whether changes are followed.
    public var isWatching: Bool
    /// Where it is kept when downloads were complete; nil where nobody asks.
    public var recordFolder: String?
    /// The home folder, which is never a root.
    public var home: String?
    /// Folders that clearing must not reach.
    public var kept: [String]

    public init(
      roots: StorageRoots, manifest: String? = nil, isWatching: Bool = false, recordFolder: String? = nil,
      home: String? = nil, kept: [String] = []
    ) {
      self.roots = roots
      self.manifest = manifest
      self.isWatching = isWatching
      self.recordFolder = recordFolder
      self.home = home
      self.kept = kept
    }
  }

  public nonisolated let isWatching: Bool
  nonisolated let settings: Settings
  private nonisolated let executor: LoopExecutor
  private nonisolated let now: @Sendable () -> Double
  private nonisolated let log: @Sendable (String) -> Void
  private var watch: ChangeWatch?
  private(set) var survey: Survey?
  private var record: CompletionRecord?
  private var isSwept = false
  /// One measure at a time, and one removal: who comes next waits.
  private nonisolated let measuring: Turns
  nonisolated let removing: Turns

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - executor: the session's own.
  ///   - now: the time of day in seconds since 1970-01-01T00:00:00Z.
  ///   - log: takes a line for the person at the terminal.
  public init(
    _ settings: Settings, executor: LoopExecutor, now: @escaping @Sendable () -> Double,
    log: @escaping @Sendable (String) -> Void
  ) {
    self.settings = settings
    self.executor = executor
    self.now = now
    self.log = log
    isWatching = settings.isWatching
    measuring = Turns(executor)
    removing = Turns(executor)
  }

  // MARK: Measuring

  public func measure(progress: @escaping @Sendable (ActionProgress) -> Void) async throws -> StorageMeasure {
    try await measured(progress).measure
  }

  private func measured(
    isUrgent: Bool = true, _ progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> Survey {
    try await measuring.begin()
    if watch == nil && isWatching { watch = ChangeWatch() }
    let sweeps = !isSwept
    isSwept = true
    let work = prepared(progress)
    let earlier = Handed(survey)
    let stop = StopFlag()
    let (outcome, record) = await BlockingWork.run(isUrgent: isUrgent) {
      var work = work(stop)
      if sweeps { work.sweep() }
      let outcome = Result { () throws(StorageFailure) in Handed(try work.measureAll(after: earlier.value)) }
      return (outcome, work.saved(log: self.log))
    } onCancel: {
      stop.stop()
    }
    await measuring.end()
    try Task.checkCancellation()
    self.record = record
    if case .failure = outcome { self.survey = nil }
    let survey = try outcome.get().value
    self.survey = survey
    return survey
  }

  public func update(after download: String?) async throws -> StorageUpdate {
    guard let survey else { return .whole(try await measure { _ in }) }
    // What changes by itself is news to nobody who waits.
    let isUrgent = download != nil
    try await measuring.begin()
    let work = prepared { _ in }
    let handed = Handed(survey)
    let stop = StopFlag()
    let (outcome, record) = await BlockingWork.run(isUrgent: isUrgent) {
      var work = work(stop)
      let outcome = Result { () throws(StorageFailure) in try work.update(handed.value, after: download) }
      return (outcome, work.saved(log: self.log))
    } onCancel: {
      stop.stop()
    }
    // What was cut short or could not be read is not what is there.
    if case .failure = outcome { self.survey = nil }
    if Task.isCancelled { self.survey = nil }
    await measuring.end()
    try Task.checkCancellation()
    self.record = record
    if let changes = try outcome.get() { return .parts(changes) }
    return .whole(try await measured(isUrgent: isUrgent) { _ in }.measure)
  }

  /// What work needs to know, but for the flag that stops it.
  private func prepared(
    _ progress: @escaping @Sendable (ActionProgress) -> Void
  ) -> @Sendable (StopFlag) -> SurveyWork {
    if record == nil, let folder = settings.recordFolder { record = CompletionRecord(folder: folder, log: log) }
    let (watch, record, now) = (watch, record, now())
    let report: @Sendable (Int) -> Void = { count in
      Task(executorPreference: self.executor) {
        await self.report(ActionProgress(fraction: nil, message: "Files: \(count)"), progress)
      }
    }
    return { [settings] stop in
      SurveyWork(settings, watch: watch, record: record, now: now, stop: stop, report: report)
    }
  }

  private func report(_ report: ActionProgress, _ progress: @Sendable (ActionProgress) -> Void) {
    progress(report)
  }

  // MARK: Watching

  /// Where not all can be watched or read, everything is looked at again after so many seconds.
  private static let pollInterval = 60.0
  private static let failureInterval = 2.0

  public func waitForChange() async throws {
    guard let watch else { return }
    let seconds = survey == nil ? Self.failureInterval : watch.isComplete ? nil : Self.pollInterval
    await BlockingWork.run {
      watch.wait(seconds: seconds)
    } onCancel: {
      watch.stopWaiting()
    }
    try Task.checkCancellation()
  }
}

/// A value that is handed to another thread and not used here meanwhile.
struct Handed<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
