import AccountModel
import HostAdapters
import RPCShell
import Testing

/// An account in memory, and its journal.
struct MemoryStoreTests {
  private let store: MemoryStore

  init() {
    let executor = LoopExecutor()
    executor.bind()
    store = MemoryStore(.plus, executor: executor)
  }

  private func begin(_ intent: Intent) -> IntentStart? {
    if case .now(.success(let start)) = store.begin(intent, on: IntentBasis()) { start } else { nil }
  }

  private func end(_ key: String, _ name: IntentOutcome.Name, plan: PlanUsage? = nil) {
    _ = store.end(key, IntentOutcome(name, plan: plan, time: 1))
  }

  private func history(_ limit: Int = 10) -> [JournalEntry] {
    if case .now(.success(let entries)) = store.history(limit: limit) { entries } else { [] }
  }

  private func record() -> AccountRecord? {
    if case .now(.success(let record)) = store.load() { record } else { nil }
  }

  @Test func `it is there at once`() {
    #expect(record() == AccountRecord(plan: .plus))
    #expect(history().isEmpty)
  }

  @Test func `what is kept says when it was read, and what an action brings does not`() {
    _ = store.keep(.top, asOf: DateValue("2026-10-19"))
    #expect(record() == AccountRecord(plan: .top, asOf: DateValue("2026-10-19")))
    #expect(begin(.upgrade("k")) == .begun)
    end("k", .completed, plan: .plus)
    #expect(record()?.plan == .plus && record()?.asOf == nil)
    #expect(record()?.newest(.onUpgrade)?.intent.key == "k" && record()?.newest(.onRestore) == nil)
  }

  @Test(arguments: IntentOutcome.Name.allCases)
  func `a key that is done stays so, any other may be tried again`(name: IntentOutcome.Name) {
    #expect(begin(.upgrade("k")) == .begun)
    #expect(begin(.upgrade("k")) == .busy(.onUpgrade))
    end("k", name)
    let again = begin(.upgrade("k"))
    let elsewhere = begin(.upgrade("k", digest: "other"))
    if name.isDone {
      #expect(again == .ended(IntentOutcome(name, time: 1)) && elsewhere == again, "whatever it would be about now")
    } else {
      #expect(again == .begun && elsewhere == .conflict)
    }
    #expect(begin(Intent(key: "k", action: .onRestore, digest: "onRestore", time: 0)) == .conflict)
  }

  @Test func `the journal has the newest attempts first, each key once`() {
    for key in ["a", "b", "c"] {
      #expect(begin(.upgrade(key)) == .begun)
      end(key, .failed)
    }
    #expect(begin(.upgrade("a", at: 5)) == .begun)
    #expect(history().map(\.intent.key) == ["a", "c", "b"])
    #expect(history().map(\.outcome) == [nil, .failed, .failed])
    #expect(history(2).map(\.intent.key) == ["a", "c"])
  }

  @Test func `it forgets the oldest of many that have ended`() {
    #expect(begin(.upgrade("running")) == .begun)
    for number in 1...10_000 {
      #expect(begin(.upgrade("\(number)")) == .begun)
      end("\(number)", .completed)
    }
    let keys = history(20_000).map(\.intent.key)
    #expect(keys.count == 10_000 && keys.last == "running" && keys.first == "10000")
    #expect(begin(.upgrade("1")) == .begun)
  }

  @Test func `one key that is tried thousands of times moves no other`() {
    #expect(begin(.upgrade("first")) == .begun)
    end("first", .completed)
    #expect(begin(.upgrade("running")) == .begun)
    for _ in 1...5000 {
      #expect(begin(.upgrade("again")) == .begun)
      end("again", .failed)
    }
    #expect(history().map(\.intent.key) == ["again", "running", "first"])
    #expect(history().map(\.outcome) == [.failed, nil, .completed])
    #expect(begin(.upgrade("running")) == .busy(.onUpgrade))
    end("running", .completed)
    #expect(history().map(\.outcome) == [.failed, .completed, .completed])
  }
}
