import AccountDatabase
import AccountModel
import Glibc
import RPCShell

/// `StoreTool PATH|URL [--kill-at N] COMMAND…`: does one thing after the other with an account's store, and prints a line
/// about each.
///
/// `load`, `begin KEY ACTION`, `end KEY OUTCOME [PLAN]`, `keep PLAN`, `history`, `export`, `check`, `shell SCRIPT`, `wait` for a line on
/// stdin, `bench N`. `--kill-at N` ends it without warning at the Nth step of the engine.
@main
struct StoreToolMain {
  private let store: AccountDatabase

  static func main() {
    var words = CommandLine.arguments.dropFirst()
    guard let path = words.popFirst() else { exit(2) }
    let isServer = path.hasPrefix("postgresql:")
    var engine: any DatabaseEngine =
      isServer ? PostgreSQLEngine(url: path, account: "default") : SQLiteEngine(path: path, busySeconds: 0.2)
    if words.first == "--kill-at" {
      let last = words.dropFirst().first.flatMap { Int($0) }
      words = words.dropFirst(2)
      engine = SteppedEngine(engine) { step in if step.number == last { kill(getpid(), SIGKILL) } }
    }
    let executor = LoopExecutor()
    let settings = AccountDatabase.Settings(companions: isServer ? nil : CompanionFiles(beside: path))
    let tool = StoreToolMain(
      store: AccountDatabase(engine, settings, executor: executor, now: { 1000 }) { say("log \($0)") })
    let commands = Array(words)
    executor.run { await tool.run(commands[...]) }
  }

  private func run(_ words: ArraySlice<String>) async {
    var words = words
    func next() -> String { words.popFirst() ?? "" }
    while let command = words.popFirst() {
      switch command {
      case "load": Self.say(await store.load().get()) { Self.text(of: $0) }
      case "begin": await begin(next(), next())
      case "end": await end(next(), next(), plan: words.first.map(Self.isPlan) == true ? next() : nil)
      case "keep": Self.say(await store.keep(Self.plan(next()), asOf: nil).get()) { "kept" }
      case "history": Self.say(await store.history(limit: 100).get()) { Self.text(of: $0) }
      case "export": Self.say(await store.export().get()) { "\($0)" }
      case "check": Self.say(await store.check().get()) { "good: \($0.entries)" }
      case "shell": system(next())
      case "wait": _ = readLine()
      case "bench": await bench(Int(next()) ?? 0)
      default: exit(2)
      }
    }
  }

  // MARK: Commands

  private func begin(_ key: String, _ action: String) async {
    let intent = Intent(key: key, action: HostAction(rawValue: action)!, digest: "d", time: 1000)
    Self.say(await store.begin(intent, on: IntentBasis()).get()) { start in
      switch start {
      case .begun: "begun"
      case .ended(let outcome): "ended \(outcome.name)"
      case .conflict: "conflict"
      case .outdated: "outdated"
      case .unfinished(let key): "unfinished \(key)"
      case .busy(let action): "busy \(action)"
      }
    }
  }

  private func end(_ key: String, _ name: String, plan: String?) async {
    let outcome = IntentOutcome(IntentOutcome.Name(rawValue: name)!, plan: plan.map(Self.plan), time: 2000)
    Self.say(await store.end(key, outcome).get()) { "ended" }
  }

  /// How long a first load and so many begins with their ends take.
  private func bench(_ count: Int) async {
    let start = MonotonicTime.now
    _ = await store.load().get()
    let loaded = MonotonicTime.now
    for number in 0..<count {
      let intent = Intent(key: "\(loaded.nanoseconds)-\(number)", action: .onUpgrade, digest: "d", time: 1000)
      _ = await store.begin(intent, on: IntentBasis()).get()
      _ = await store.end(intent.key, IntentOutcome(.completed, plan: Self.plan("Studio"), time: 2000)).get()
    }
    let end = MonotonicTime.now
    func milliseconds(_ from: MonotonicTime, _ to: MonotonicTime) -> Double {
      Double(to.nanoseconds - from.nanoseconds) / 1e6
    }
    Self.say(
      "load \(milliseconds(start, loaded)) ms, begin and end \(milliseconds(loaded, end) / Double(max(1, count))) ms")
  }

  // MARK: Words

  /// Plans begin with a capital letter.
  private static func isPlan(_ word: String) -> Bool { word.first?.isUppercase == true }

  static func plan(_ name: String) -> PlanUsage {
    PlanUsage(name: name, price: .free, status: .noRenewal)
  }

  private static func text(of record: AccountRecord) -> String {
    let keys = record.interrupted.map(\.key).joined(separator: ",")
    return "plan \(record.plan?.name ?? "none") interrupted \(keys)"
  }

  private static func text(of entries: [JournalEntry]) -> String {
    "history "
      + entries.map { "\($0.intent.key)=\($0.outcome?.rawValue ?? ($0.isInterrupted ? "interrupted" : "running"))" }
      .joined(separator: " ")
  }

  private static func say<Value>(_ result: Result<Value, StoreFailure>, _ text: (Value) -> String) {
    switch result {
    case .success(let value): say(text(value))
    case .failure(let failure): say("failed \(failure.message)")
    }
  }

  /// At once, since the process may be killed next.
  private static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    write(1, bytes, bytes.count)
  }
}
