import AccountModel
import RPCShell
import Testing

@testable import AccountDatabase
@testable import StoreTool

/// An account and its journal, in one session after the other.
@Suite(.timeLimit(.usualMinutes(2)))
struct AccountDatabaseTests {
  private static let studio = PlanUsage.studio(renewing: DateValue("2026-11-02")!)

  // MARK: The plan

  @Test(arguments: TestedEngine.allCases)
  func `starts with what is configured, and keeps what it has`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let empty = rig.session(account: "nobody")
    #expect(try await empty.kept() == AccountRecord(plan: nil))
    #expect(try await rig.session(initial: .plus).kept() == AccountRecord(plan: .plus))
    #expect(try await rig.session(initial: Self.studio).kept() == AccountRecord(plan: .plus))
    #expect(rig.lines.withLock { $0 } == [])
  }

  @Test(arguments: TestedEngine.allCases)
  func `keeps a plan to the last letter`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    var odd = PlanUsage(name: "Ünïcode \"'; --\n\u{0}\u{2028}😀", price: .free, status: .noRenewal)
    odd.meters = .value([])
    odd.upgrade = .null
    for (plan, asOf) in [(Self.studio, DateValue("2026-10-19T09:30:00.25+01:00")), (odd, nil)] {
      let session = rig.session()
      try await session.keep(plan, asOf: asOf)
      #expect(try await session.kept() == AccountRecord(plan: plan, asOf: asOf))
      #expect(try await rig.session().kept() == AccountRecord(plan: plan, asOf: asOf))
    }
  }

  @Test(arguments: TestedEngine.allCases)
  func `keeps accounts apart`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let (one, other) = (rig.session(account: "one"), rig.session(account: "other"))
    try await one.keep(.plus)
    #expect(try await one.begin("k") == .begun)
    #expect(try await other.kept() == AccountRecord(plan: nil))
    #expect(try await other.begin("k", .onRestore) == .begun)
    #expect(try await other.history() == ["k=running"])
  }

  @Test(arguments: TestedEngine.allCases)
  func `calls are carried out in order, whether or not anybody waits`(engine: TestedEngine) async throws {
    let session = try StoreRig(engine).session()
    for number in 0..<50 {
      _ = session.store.keep(PlanUsage(name: "\(number)", price: .free, status: .noRenewal), asOf: nil)
    }
    #expect(try await session.load().plan?.name == "49")
  }

  // MARK: Keys

  @Test(arguments: TestedEngine.allCases, IntentOutcome.Name.allCases)
  func `a key that ended is answered, or tried again`(engine: TestedEngine, name: IntentOutcome.Name) async throws {
    let rig = try StoreRig(engine)
    let members = [RPCError.Member("url", .string("https://x/ü")), RPCError.Member("restored", JSONText(integer: 0))]
    for action in [HostAction.onUpgrade, .onManage, .onRestore] {
      let session = rig.session()
      let key = action.rawValue
      #expect(try await session.begin(key, action) == .begun)
      try await session.end(key, name, members: members)
      try await session.end()
      let next = rig.session()
      #expect(try await next.begin(key, action == .onUpgrade ? .onManage : .onUpgrade) == .conflict)
      let ended = IntentStart.ended(IntentOutcome(name, members: members, time: 2000))
      #expect(try await next.begin(key, action, digest: "another") == (name.isDone ? ended : .conflict))
      let again = try await next.begin(key, action)
      #expect(again == (name.isDone ? ended : .begun))
    }
  }

  @Test(arguments: TestedEngine.allCases)
  func `keys are told apart to the last letter`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let session = rig.session()
    let keys = ["a", "A", "a ", "a\u{0}", "a\u{0}b", "a0b", "a\u{10FFFF}", "a\u{10FFFF}0b", "é", "e\u{301}", "'", "\\"]
    for key in keys {
      #expect(try await session.begin(key, .onManage, digest: key) == .begun)
      try await session.end(key)
    }
    #expect(try await rig.session().history() == keys.reversed().map { $0 + "=completed" })
  }

  @Test(arguments: TestedEngine.allCases)
  func `an end brings its plan, both or neither`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let session = rig.session(initial: .plus)
    try await session.keep(.plus, asOf: DateValue("2026-10-19"))
    #expect(try await session.begin("k") == .begun)
    try await session.end("k", plan: Self.studio)
    #expect(try await rig.session().kept() == AccountRecord(plan: Self.studio))
    #expect(try await session.begin("r", .onRestore) == .begun)
    try await session.end("r")
    #expect(try await rig.session().kept() == AccountRecord(plan: Self.studio))
  }

  @Test(arguments: TestedEngine.allCases)
  func `what is done, or another session is at, cannot be ended otherwise`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let (session, other) = (rig.session(initial: .plus), rig.session())
    #expect(try await session.load().plan == .plus)
    #expect(try await session.begin("k") == .begun)
    try await other.end("k", .cancelled, plan: Self.studio)
    #expect(try await other.history() == ["k=running"])
    try await session.end("k")
    try await other.end("k", .failed, plan: Self.studio)
    #expect(try await other.history() == ["k=completed"])
    #expect(try await other.load().plan == .plus)
    #expect(rig.lines.withLock { $0 } == [])
    try await other.end("unknown", plan: Self.studio)
    #expect(try await other.load().plan == Self.studio, "what an action brought is kept")
    #expect(rig.lines.withLock { $0.count } == 1)
  }

  @Test(arguments: TestedEngine.allCases)
  func `what failed or was interrupted in another session can be given up`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let session = rig.session()
    #expect(try await session.begin("f") == .begun)
    try await session.end("f", .failed)
    #expect(try await session.begin("i") == .begun)
    try await session.end()
    let other = rig.session()
    try await other.end("f", .cancelled)
    try await other.end("i", .cancelled)
    #expect(try await other.history() == ["i=cancelled", "f=cancelled"])
    #expect(try await other.load().interrupted == [])
  }

  // MARK: The journal

  @Test(arguments: TestedEngine.allCases)
  func `the journal has the newest try of each key in the order in which it was begun, whatever the clock said`(
    engine: TestedEngine
  ) async throws {
    let rig = try StoreRig(engine)
    let session = rig.session()
    for (key, time, name) in [
      ("a", 9e9, IntentOutcome.Name.failed), ("b", 5000, .cancelled), ("a", -7, .completed), ("c", 0, .pending),
    ] {
      #expect(try await session.begin(key, time: time) == .begun)
      try await session.end(key, name)
    }
    #expect(try await session.history() == ["c=pending", "a=completed", "b=cancelled"])
    #expect(try await rig.session(now: 0).history(limit: 2) == ["c=pending", "a=completed"])
    #expect(try await session.store.history(limit: 3).get().get().map(\.intent.time) == [0, -7, 5000])
    #expect(try await session.history(limit: 0) == [])
    // A clock that was set back by years changes nothing about a key.
    #expect(try await rig.session(now: 1).begin("a", time: 1) == .ended(IntentOutcome(.completed, time: 2000)))
  }

  @Test(arguments: TestedEngine.allCases)
  func `whatever times the journal has can be read, shown and exported`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let session = rig.session()
    let times = [1e20, -1e300, .infinity, -.infinity, 9.3e18, -7]
    let rows = times.enumerated().map { number, time in
      JournalTable.Row(
        sequence: 0, intent: Intent(key: "\(number)", action: .onUpgrade, digest: "d", time: time), session: 0,
        end: .outcome(.completed, at: time))
    }
    try await session.store.put(AccountExport(record: AccountRecord(plan: nil), journal: rows), replaces: false)
      .get().get()
    let first = "0001-01-01T00:00:00Z"
    let last = "9999-12-31T23:59:59Z"
    #expect(
      try await session.store.history(limit: 9).get().get().map { DateValue(at: $0.intent.time).text }
        == ["1969-12-31T23:59:53Z", last, first, last, first, last])
    let export = try await session.store.export().get().get()
    _ = try AccountExport(checking: JSONDocument(parsing: export).view)
  }

  @Test(arguments: TestedEngine.allCases)
  func `the journal loses what is both far back and old, and nothing else`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let now = 1_792_368_000.0
    let recent = now - JournalTable.keptSeconds + 10
    let session = rig.session(now: now)
    let count = JournalTable.keptEntries + 600
    let rows = (0..<count).map { number in
      let time = number < 200 ? now - 1e8 : number == 200 ? recent : now - 1e8 + 1
      return JournalTable.Row(
        sequence: 0, intent: Intent(key: "\(number)", action: .onUpgrade, digest: "d", time: time), session: 0,
        end: .outcome(.completed, at: time))
    }
    let export = AccountExport(record: AccountRecord(plan: nil), journal: rows)
    try await session.store.put(export, replaces: false).get().get()
    for number in 0..<256 {
      #expect(try await session.begin("new\(number)") == .begun)
      try await session.end("new\(number)")
    }
    let kept = try await session.history(limit: .max)
    #expect((JournalTable.keptEntries..<count).contains(kept.count), "\(kept.count)")
    #expect(kept.last == "200=completed")
    #expect(try await session.begin("\(count - 1)") == .ended(IntentOutcome(.completed, time: now - 1e8 + 1)))
  }

  // MARK: Interruptions

  @Test(arguments: TestedEngine.allCases)
  func `an action whose session is gone is interrupted at once, until it is tried again or given up`(
    engine: TestedEngine
  ) async throws {
    let rig = try StoreRig(engine)
    for (key, action) in [("u", HostAction.onUpgrade), ("m", .onManage)] {
      let session = rig.session()
      #expect(try await session.begin(key, action) == .begun)
      try await session.end()
    }
    let next = rig.session()
    let interrupted = [("u", HostAction.onUpgrade), ("m", .onManage)].map {
      Intent(key: $0.0, action: $0.1, digest: "d", time: 1000)
    }
    #expect(try await next.load().interrupted == interrupted)
    #expect(try await rig.session().load().interrupted == interrupted)
    #expect(try await next.history() == ["m=interrupted", "u=interrupted"])
    #expect(rig.noted == ["u upgrade interrupted", "m manage interrupted"], "each is noted once")
    #expect(try await next.begin("m", .onManage) == .begun)
    #expect(try await next.load().interrupted == [interrupted[0]])
    try await next.end("m", .presented)
    #expect(try await next.load().interrupted == [interrupted[0]])
    try await next.end("u", .cancelled)
    #expect(try await next.load().interrupted == [])
    #expect(try await next.history() == ["m=presented", "u=cancelled"])
  }

  // MARK: Failures on the way

  @Test(arguments: TestedEngine.allCases)
  func `whatever fails once is done when it is asked for again, and nothing is lost`(
    engine: TestedEngine
  ) async throws {
    for failing in 1... {
      let rig = try StoreRig(engine)
      let reached = Locked(0)
      let session = rig.session(initial: .plus) { step throws(DatabaseFailure) in
        reached.withLock { $0 = max($0, step.number) }
        if step.number == failing { throw DatabaseFailure("fails \(step.name)") }
      }
      func twice<Value>(_ work: () async throws -> Value) async throws -> Value {
        do { return try await work() } catch let failure as StoreFailure {
          #expect(failure.message.contains(" fails "))
          return try await work()
        }
      }
      let plan = try await twice { try await session.load().plan }
      #expect(plan == .plus)
      // Also where only the answer failed.
      let start = try await twice { try await session.begin("k") }
      #expect(start == .begun)
      try await twice { try await session.end("k", plan: Self.studio) }
      let history = try await twice { try await session.history() }
      #expect(history == ["k=completed"])
      #expect(try await rig.session().kept() == AccountRecord(plan: Self.studio))
      if reached.withLock({ $0 }) < failing {
        #expect(failing > 20)
        return
      }
    }
  }

  @Test(arguments: TestedEngine.allCases)
  func `an end that could not be written is written with the next call`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let isFull = Locked(false)
    let session = rig.session(initial: .plus) { step throws(DatabaseFailure) in
      if step.name == "before commit" && isFull.withLock({ $0 }) { throw DatabaseFailure("is full") }
    }
    #expect(try await session.load().plan == .plus)
    #expect(try await session.begin("k") == .begun)
    isFull.withLock { $0 = true }
    await #expect(throws: StoreFailure.self) { try await session.end("k", plan: Self.studio) }
    #expect(try await rig.session().history() == ["k=running"])
    #expect(try await session.failure().lastGood == AccountRecord(plan: .plus))
    isFull.withLock { $0 = false }
    #expect(try await session.kept() == AccountRecord(plan: Self.studio))
    #expect(try await rig.session().history() == ["k=completed"])
    #expect(rig.noted == ["k upgrade completed"])
  }
}
