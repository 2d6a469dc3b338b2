import AccountModel
import Glibc
import RPCShell
import Testing

@testable import FileStorage

/// Folders of an app, and the backend over them on a loop that the test's thread runs.
final class StorageFolders {
  let folder: TemporaryFolder
  let executor = LoopExecutor()
  private(set) var storage: FileStorage
  private let host: PluginHost
  let lines = Locked<[String]>([])
  private let settings: FileStorage.Settings

  /// - Parameters:
  ///   - parent: where the folders are made; in memory, unless a test needs a disk.
  ///   - change: what is configured otherwise.
  init(in parent: String = "/dev/shm", _ change: (inout FileStorage.Settings, TemporaryFolder) -> Void = { _, _ in })
    throws
  {
    folder = try TemporaryFolder(in: parent)
    let roots = StorageRoots(
      downloads: [folder.makeFolder("downloads")], cache: [folder.makeFolder("cache")],
      photos: [folder.makeFolder("photos")], other: [folder.makeFolder("other")])
    var settings = FileStorage.Settings(roots: roots, home: "/nowhere")
    change(&settings, folder)
    self.settings = settings
    let lines = lines
    let log: @Sendable (String) -> Void = { line in lines.withLock { $0.append(line) } }
    storage = FileStorage(settings, executor: executor, now: { 1_792_368_000 }, log: log)
    host = PluginHost(
      executor: executor, clock: LoopClock(executor: executor), now: { 1_792_368_000 }, hostHandler: nil
    ) { outgoing in if case .log(let text) = outgoing { log(text) } }
    executor.bind()
  }

  /// Another session on the same folders.
  func restart(now: Double = 1_792_368_000) {
    let lines = lines
    storage = FileStorage(settings, executor: executor, now: { now }) { line in lines.withLock { $0.append(line) } }
  }

  // MARK: Calls

  /// Runs what is asynchronous to its end on this thread.
  func wait<Value: Sendable>(_ body: @escaping @Sendable (FileStorage) async throws -> Value) throws -> Value {
    let outcome = Locked<Result<Value, any Error>?>(nil)
    let storage = storage
    Task(executorPreference: executor) {
      let result: Result<Value, any Error>
      do { result = .success(try await body(storage)) } catch { result = .failure(error) }
      outcome.withLock { $0 = result }
    }
    let end = ContinuousClock.now + .seconds(30)
    while outcome.withLock({ $0 == nil }) && ContinuousClock.now < end {
      executor.runJobs()
      sched_yield()
    }
    return try #require(outcome.withLock { $0 }).get()
  }

  func measure() throws -> StorageMeasure { try wait { try await $0.measure { _ in } } }

  func update(after id: String? = nil) throws -> StorageUpdate { try wait { try await $0.update(after: id) } }

  func preview(_ target: RemovalTarget) throws -> RemovalPreview { try wait { try await $0.preview(target) } }

  /// Runs the built-in adapter as a plugin does.
  func run(_ action: HostAction, _ details: [RPCError.Member] = []) throws -> ActionResult {
    let call = ActionCall(
      action: action, idempotencyKey: "key", timeout: 60, locale: "en_US", timeZone: "UTC", details: details)
    let host = host
    return try wait { try await $0.run(call, host: host) { _ in } }
  }

  /// Ends an action as the built-in adapter does with what it came to.
  func end(_ action: HostAction, _ report: RootedReport) throws -> ActionResult {
    let call = ActionCall(
      action: action, idempotencyKey: "key", timeout: 60, locale: "en_US", timeZone: "UTC", details: [])
    return try storage.result(report, of: call, host, or: "", isClear: action == .onClearCache)
  }

  func clear() throws -> ActionResult { try run(.onClearCache) }

  func remove(_ id: String) throws -> ActionResult {
    try run(.onRemove, [RPCError.Member("download", Download(id: id, title: id, bytes: 0).jsonText)])
  }

  /// What du(1) says of a folder's content: without the folder itself.
  func diskUsage(_ name: String) throws -> Int {
    var pipes: [Int32] = [0, 0]
    pipe(&pipes)
    let process = try Spawn(
      "/usr/bin/du", ["-s", "--block-size=1", folder.at(name)], standard: [nil, pipes[1], nil]
    ).start()
    close(pipes[1])
    defer { close(pipes[0]) }
    let text = String(decoding: readAll(pipes[0]), as: UTF8.self)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    var own = stat()
    stat(folder.at(name), &own)
    return (text.split(separator: "\t").first.flatMap { Int($0) } ?? -1) - Int(own.st_blocks) * 512
  }
}
