import AccountModel
import Glibc
import RPCShell
import Testing

@testable import AccountDatabase
@testable import StoreTool

/// The engines that a store is tested on.
enum TestedEngine: String, CaseIterable, Sendable {
  case sqlite, postgresql

  /// Those that can be had here; `PostgreSQLTests` says where one cannot.
  static var allCases: [TestedEngine] { TestServer.isThere ? [.sqlite, .postgresql] : [.sqlite] }
}

/// One database, and sessions on it.
final class StoreRig: Sendable {
  let folder: TemporaryFolder
  /// nil where the database is a file in the folder.
  let database: TestDatabase?
  /// What sessions said to the person at the terminal.
  let lines = Locked<[String]>([])

  init(_ engine: TestedEngine = .sqlite, in parent: String = "/dev/shm") throws {
    database = engine == .postgresql ? try TestDatabase() : nil
    folder = try TemporaryFolder(in: parent)
  }

  private func engine(account: String) -> any DatabaseEngine {
    database?.engine(account: account) ?? SQLiteEngine(path: folder.at("state/account.db"), busySeconds: 10)
  }

  /// A session. It is gone with its value.
  /// - Parameter reached: told of each step of the session's engine, which it may have fail.
  func session(
    account: String = "default", initial: PlanUsage? = nil, catalogue: [PlanUsage]? = nil, now: Double = 1_792_368_000,
    executor: LoopExecutor = LoopExecutor(),
    reached: @escaping @Sendable (SteppedEngine.Step) throws(DatabaseFailure) -> Void = { _ in }
  ) -> StoreSession {
    let ended = Later<Void>()
    let engine = SteppedEngine(engine(account: account), ended: { ended.set(()) }, reached: reached)
    let settings = AccountDatabase.Settings(
      accountID: account, initial: initial, catalogue: catalogue,
      companions: CompanionFiles(beside: folder.at("state/account.db")))
    let store = AccountDatabase(engine, settings, executor: executor, now: { now }) { [lines] line in
      lines.withLock { $0.append(line) }
    }
    return StoreSession(store, ended: ended, on: database)
  }

  /// The lines of the log, without their times.
  var noted: [String] {
    TemporaryFile.read(folder.at("state/account-log.jsonl")).split(separator: "\n").map { line in
      let entry = Received(text: String(line))
      return ["idempotencyKey", "action", "outcome"].map { entry.at($0) ?? "" }.joined(separator: " ")
        .filter { $0 != "\"" }
    }
  }
}

/// A session on a store, with words for what tests ask of it.
final class StoreSession {
  private(set) var store: AccountDatabase!
  private let ended: Later<Void>
  /// Is there as long as the session.
  private let database: TestDatabase?

  /// - Parameter ended: set once the store's engine is gone.
  init(_ store: AccountDatabase, ended: Later<Void> = Later(), on database: TestDatabase? = nil) {
    self.store = store
    self.ended = ended
    self.database = database
  }

  /// Ends it as if its process had ended.
  func end() async throws {
    store = nil
    try await ended.value
  }

  func load() async throws -> AccountRecord { try await store.load().get().get() }

  /// What is kept, without what was tried.
  func kept() async throws -> AccountRecord {
    var record = try await load()
    record.newest = []
    return record
  }

  func begin(
    _ key: String, _ action: HostAction = .onUpgrade, digest: String = "d", time: Double = 1000,
    on basis: IntentBasis = IntentBasis()
  ) async throws -> IntentStart {
    try await store.begin(Intent(key: key, action: action, digest: digest, time: time), on: basis).get().get()
  }

  func end(
    _ key: String, _ name: IntentOutcome.Name = .completed, members: [RPCError.Member] = [], plan: PlanUsage? = nil
  ) async throws {
    try await store.end(key, IntentOutcome(name, members: members, plan: plan, time: 2000)).get().get()
  }

  func keep(_ plan: PlanUsage, asOf: DateValue? = nil) async throws {
    try await store.keep(plan, asOf: asOf).get().get()
  }

  /// `key=outcome`, newest first.
  func history(limit: Int = 100) async throws -> [String] {
    try await store.history(limit: limit).get().get().map { entry in
      let word = entry.outcome?.rawValue ?? (entry.isInterrupted ? "interrupted" : "running")
      return entry.intent.key + "=" + word
    }
  }

  /// Why a load failed.
  func failure() async throws -> StoreFailure {
    guard case .failure(let failure) = await store.load().get() else { throw Unexpected() }
    return failure
  }

  struct Unexpected: Error {}
}
