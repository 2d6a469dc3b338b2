import AccountModel
import HostAdapters
import RPCShell

/// An account store in memory that a test may slow down and break, and in which others are at work.
final class ScriptedStore: AccountStore {
  enum Operation: CaseIterable { case load, begin, end, keep, find, history }

  private struct State {
    var asked: [String] = []
    var late: Set<Operation> = []
    /// Those that are late and unanswered, oldest first.
    var waiting: [Later<Void>] = []
    var failures: [Operation: StoreFailure] = [:]
    /// What the journal says of the next intents, in place of its own word.
    var starts: [IntentStart] = []
    var interrupted: [Intent] = []
    /// What sessions before this one left, newest first.
    var past: [JournalEntry] = []
    /// What another session was told can be had.
    var catalogue: [PlanUsage]?
    var changed: (@Sendable () -> Void)?
  }

  private let state = Locked(State())
  private let memory: MemoryStore

  init(_ plan: PlanUsage? = .plus, executor: LoopExecutor) { memory = MemoryStore(plan, executor: executor) }

  // MARK: What the test says

  /// Has these take their time from now on, until ``answer()``; all others are answered at once.
  func delay(_ operations: Operation...) { state.withLock { $0.late = Set(operations) } }

  /// Answers the oldest operation that waits.
  func answer() {
    let next: Later<Void>? = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    next?.set(())
  }

  /// Has an operation fail from now on, or succeed again. One that is late fails if it is so when it is answered.
  func fail(_ operation: Operation, _ failure: StoreFailure?) { state.withLock { $0.failures[operation] = failure } }

  func willStart(_ start: IntentStart) { state.withLock { $0.starts.append(start) } }

  /// A session before this one was killed in the midst of this.
  func interrupt(_ intent: Intent) {
    state.withLock { state in
      state.interrupted.append(intent)
      state.past.insert(JournalEntry(intent, outcome: nil, isInterrupted: true), at: 0)
    }
  }

  /// A session before this one wrote this down.
  func remember(_ intent: Intent, _ outcome: IntentOutcome.Name?) {
    state.withLock { $0.past.insert(JournalEntry(intent, outcome: outcome, isInterrupted: false), at: 0) }
  }

  func tellCatalogue(_ plans: [PlanUsage]) { state.withLock { $0.catalogue = plans } }

  /// What was written down under a key is not so any more.
  func forget(_ key: String) { state.withLock { $0.past.removeAll { $0.intent.key == key } } }

  /// Another session keeps a plan.
  func changeElsewhere(_ plan: PlanUsage, asOf: DateValue? = nil) {
    _ = memory.keep(plan, asOf: asOf)
    tell()
  }

  /// Says that something changed.
  func tell() { state.withLock(\.changed)?() }

  /// Answers all, now and from now on.
  func release() {
    state.withLock { $0.late = [] }
    while state.withLock({ !$0.waiting.isEmpty }) { answer() }
  }

  // MARK: What was asked

  /// `load`, `begin onUpgrade k`, `end k completed Studio`, `keep Plus`, `history 100`, in order.
  var asked: [String] { state.withLock(\.asked) }
  var isWatched: Bool { state.withLock { $0.changed != nil } }
  var isWaitedFor: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// What was written, in order.
  var written: [String] { asked.filter { !$0.hasPrefix("load") && !$0.hasPrefix("find") && !$0.hasPrefix("history") } }
  var plan: PlanUsage? { record?.plan }
  var record: AccountRecord? {
    if case .now(.success(let record)) = memory.load() { record } else { nil }
  }

  // MARK: AccountStore

  func load() -> Eventual<Result<AccountRecord, StoreFailure>> {
    // What is read is what was there when it was asked for.
    var record = record!
    record.interrupted = state.withLock(\.interrupted)
    let past = state.withLock(\.past)
    record.newest += HostAction.allCases.compactMap { action in
      record.newest(action) == nil ? past.first { $0.intent.action == action } : nil
    }
    return answer(.load, "load") { [record] in record }
  }

  func begin(_ intent: Intent, on basis: IntentBasis) -> Eventual<Result<IntentStart, StoreFailure>> {
    answer(.begin, "begin \(intent.action.rawValue) \(intent.key)") { [self] in
      let scripted: IntentStart? = state.withLock { $0.starts.isEmpty ? nil : $0.starts.removeFirst() }
      if let scripted { return scripted }
      state.withLock { $0.interrupted.removeAll { $0.key == intent.key } }
      return Self.value(memory.begin(intent, on: basis))
    }
  }

  func end(_ key: String, _ outcome: IntentOutcome) -> Eventual<Result<Void, StoreFailure>> {
    let name = outcome.plan.map { " " + $0.name } ?? ""
    return answer(.end, "end \(key) \(outcome.name.rawValue)\(name)") { [self] in
      state.withLock { state in
        state.interrupted.removeAll { $0.key == key }
        for at in state.past.indices where state.past[at].intent.key == key {
          state.past[at] = JournalEntry(state.past[at].intent, outcome: outcome.name, isInterrupted: false)
        }
      }
      Self.value(memory.end(key, outcome))
    }
  }

  func keep(_ plan: PlanUsage, asOf: DateValue?) -> Eventual<Result<Void, StoreFailure>> {
    answer(.keep, "keep \(plan.name)") { [memory] in Self.value(memory.keep(plan, asOf: asOf)) }
  }

  func find(_ key: String) -> Eventual<Result<JournalEntry?, StoreFailure>> {
    answer(.find, "find \(key)") { [self] in
      Self.value(memory.find(key)) ?? state.withLock { $0.past.first { $0.intent.key == key } }
    }
  }

  func catalogue() -> Eventual<Result<[PlanUsage]?, StoreFailure>> { .now(.success(state.withLock(\.catalogue))) }

  func history(limit: Int) -> Eventual<Result<[JournalEntry], StoreFailure>> {
    answer(.history, "history \(limit)") { [self] in
      Array((Self.value(memory.history(limit: limit)) + state.withLock(\.past)).prefix(limit))
    }
  }

  func watch(_ changed: @escaping @Sendable () -> Void) { state.withLock { $0.changed = changed } }

  private func answer<Value: Sendable>(
    _ operation: Operation, _ name: String, _ value: @escaping @Sendable () -> Value
  ) -> Eventual<Result<Value, StoreFailure>> {
    let later: Later<Void>? = state.withLock { state in
      state.asked.append(name)
      guard state.late.contains(operation) else { return nil }
      let later = Later<Void>()
      state.waiting.append(later)
      return later
    }
    let result: @Sendable () -> Result<Value, StoreFailure> = { [state] in
      if let failure = state.withLock({ $0.failures[operation] }) { return .failure(failure) }
      return .success(value())
    }
    guard let later else { return .now(result()) }
    return .later {
      try? await later.value
      return result()
    }
  }

  private static func value<Value>(_ eventual: Eventual<Result<Value, StoreFailure>>) -> Value {
    guard case .now(.success(let value)) = eventual else { preconditionFailure("memory is there at once") }
    return value
  }
}

extension StoreFailure {
  static let broken = StoreFailure(
    "The account store /var/account.db is no database; move it away to start over", file: "/var/account.db")
  static let full = StoreFailure(
    "The account store /var/account.db cannot be written: no space left", file: "/var/account.db")

  /// The same with a copy of the account as it was.
  static func broken(lastGood plan: PlanUsage, asOf: DateValue? = nil) -> StoreFailure {
    StoreFailure(broken.message, file: broken.file, lastGood: AccountRecord(plan: plan, asOf: asOf))
  }
}

extension Intent {
  /// An intent about F1's offer.
  static func upgrade(
    _ key: String, at time: Double = PlanRig.today, digest: String = #"["onUpgrade","Plus","Upgrade to Studio"]"#
  ) -> Intent {
    Intent(key: key, action: .onUpgrade, digest: digest, time: time)
  }

  static func restore(_ key: String, at time: Double = PlanRig.today) -> Intent {
    Intent(key: key, action: .onRestore, digest: "onRestore", time: time)
  }
}
