import AccountModel
import RPCShell
import Testing

@testable import AccountDatabase
@testable import StoreTool

/// Sessions on one store at the same time.
@Suite(.timeLimit(.usualMinutes(2)))
struct AccountDatabaseSharingTests {
  private static let plan = StoreToolMain.plan

  @Test(arguments: TestedEngine.allCases)
  func `sessions that open a new store at once all find one`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let plans = try await withThrowingTaskGroup(of: PlanUsage?.self) { group in
      for number in 0..<8 {
        group.addTask { try await rig.session(initial: Self.plan("P\(number)")).load().plan }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(plans.count == 8 && Set(plans.map { $0?.name }).count == 1, "\(plans)")
  }

  @Test(arguments: TestedEngine.allCases)
  func `upgrades and restores exclude each other over sessions`(engine: TestedEngine) async throws {
    let actions = [HostAction.onUpgrade, .onRestore, .onManage]
    for running in actions {
      for wanted in actions {
        let rig = try StoreRig(engine)
        let (one, other) = (rig.session(), rig.session())
        #expect(try await one.begin("one", running) == .begun)
        let isFree = running == .onManage || wanted == .onManage
        #expect(try await other.begin("other", wanted) == (isFree ? .begun : .busy(running)), "\(running) \(wanted)")
        // Nobody does under one key what somebody does already.
        #expect(try await other.begin("one", running) == .busy(running))
        try await one.end("one", .cancelled)
        #expect(try await other.begin("one", running) == .begun)
        #expect(try await rig.session().load().interrupted == [])
      }
    }
  }

  @Test(arguments: TestedEngine.allCases)
  func `of many that want to begin at once, one does`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let (starts, sessions) = try await withThrowingTaskGroup(of: (IntentStart, AccountDatabase).self) { group in
      for number in 0..<8 {
        group.addTask {
          let session = rig.session()
          return (try await session.begin("k\(number)"), session.store)
        }
      }
      return try await group.reduce(into: ([IntentStart](), [AccountDatabase]())) {
        $0.0.append($1.0)
        $0.1.append($1.1)
      }
    }
    #expect(sessions.count == 8)
    #expect(starts.count { $0 == .begun } == 1)
    #expect(starts.count { $0 == .busy(.onUpgrade) } == 7)
  }

  @Test(arguments: TestedEngine.allCases)
  func `what another session bought meanwhile is not bought again`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let (one, other) = (rig.session(initial: Self.plan("First")), rig.session())
    _ = try await (one.load(), other.load())
    let first = IntentBasis(plan: Self.plan("First"), isKeyNew: true)
    #expect(try await one.begin("one", on: first) == .begun)
    try await one.end("one", .completed, plan: Self.plan("Bought"))
    #expect(try await other.begin("other", on: first) == .outdated)
    #expect(try await other.begin("restore", .onRestore) == .begun, "that buys nothing")
    try await other.end("restore", .completed)
    #expect(try await other.load().plan?.name == "Bought")
    #expect(try await other.begin("other", on: first) == .outdated, "whoever showed the old plan means that one")
    #expect(try await other.begin("other", on: IntentBasis(plan: Self.plan("Bought"))) == .begun)
  }

  @Test(arguments: TestedEngine.allCases)
  func `the plans that one session is told of can be had in another`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let plans = [Self.plan("Small"), Self.plan("Large")]
    let unaware = rig.session(initial: Self.plan("Small"))
    _ = try await unaware.load()
    #expect(try await unaware.store.catalogue().get().get() == nil)
    let told = rig.session(catalogue: plans)
    _ = try await told.load()
    #expect(try await unaware.store.catalogue().get().get() == plans)
    try await unaware.keep(Self.plan("Large"))
    _ = try await rig.session(catalogue: plans.reversed()).load()
    #expect(try await unaware.store.catalogue().get().get() == plans.reversed(), "the last one told counts")
    #expect(try await unaware.load().plan?.name == "Large")
  }

  @Test(arguments: TestedEngine.allCases)
  func `a session goes on with what another left open`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let (one, other) = (rig.session(), rig.session())
    _ = try await (one.load(), other.load())
    let new = IntentBasis(isKeyNew: true)
    #expect(try await one.begin("failing", on: new) == .begun)
    try await one.end("failing", .failed)
    #expect(try await other.begin("a", digest: "another offer", on: new) == .begun)
    try await other.end("a", .cancelled)
    #expect(try await one.begin("failing") == .begun)
    try await one.end("failing", .failed)
    #expect(try await other.begin("b", on: new) == .unfinished(key: "failing"))
    #expect(try await other.begin("b", .onManage, on: new) == .begun)
    #expect(try await other.begin("b", time: 1000 + 86_400, on: new) == .conflict)
    #expect(try await other.begin("c", time: 1000 + 86_400, on: new) == .begun, "a day later it is a new wish")
    try await other.end("c", .failed)
    #expect(try await one.begin("named") == .begun, "whoever names a key means that one")
    try await one.end()
    #expect(try await other.begin("d", on: new) == .unfinished(key: "named"), "its session was killed")
    #expect(try await other.begin("named") == .begun)
    try await other.end("named", .completed)
    #expect(try await other.begin("d", on: new) == .begun)
  }

  @Test(arguments: TestedEngine.allCases)
  func `what was tried last is known however much was done since`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let session = rig.session()
    #expect(try await session.begin("upgrade") == .begun)
    try await session.end("upgrade", .pending)
    for number in 0..<1200 {
      #expect(try await session.begin("r\(number)", .onRestore) == .begun)
      try await session.end("r\(number)", .completed)
    }
    let record = try await rig.session().load()
    #expect(record.newest(.onUpgrade)?.outcome == .pending)
    #expect(record.newest(.onRestore)?.intent.key == "r1199")
    #expect(record.newest(.onManage) == nil)
    #expect(try await session.store.find("upgrade").get().get()?.outcome == .pending)
    #expect(try await session.store.find("unknown").get().get() == nil)
  }

  @Test(arguments: TestedEngine.allCases)
  func `an action is free once the session that ran it is gone`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let (one, other) = (rig.session(), rig.session())
    #expect(try await one.begin("one") == .begun)
    #expect(try await other.begin("other") == .busy(.onUpgrade))
    #expect(try await other.load().interrupted == [])
    try await one.end()
    #expect(try await other.begin("other") == .begun)
    #expect(try await other.history() == ["other=running", "one=interrupted"])
  }

  @Test(arguments: TestedEngine.allCases)
  func `of plans that two sessions keep the one that was read later stays`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let (one, other) = (rig.session(), rig.session())
    let (late, early) = (DateValue("2026-10-19T09:00:01Z"), DateValue("2026-10-19T09:00:00Z"))
    try await one.keep(Self.plan("Late"), asOf: late)
    for asOf in [early, DateValue("2026-10-17"), DateValue("2026-10-18T22:00:00-10:00")] {
      try await other.keep(Self.plan("Early"), asOf: asOf)
      #expect(try await one.load() == AccountRecord(plan: Self.plan("Late"), asOf: late), "\(asOf!)")
    }
    // A day may be as late as a moment of that day, or of the next; and what has no time is the host's last word.
    for asOf in [late, DateValue("2026-10-19"), DateValue("2026-10-20"), nil, early] {
      try await other.keep(Self.plan("\(asOf?.text ?? "none")"), asOf: asOf)
      #expect(try await one.load() == AccountRecord(plan: Self.plan("\(asOf?.text ?? "none")"), asOf: asOf))
    }
    #expect(TemporaryFile.read(rig.folder.at("state/plan.json")).contains("\(early!.text)"))
  }

  // MARK: Watching

  /// Runs a session's thread until a watch is told of a change, and says what is there then.
  private func planAtChange(
    _ rig: StoreRig, _ change: @escaping @Sendable (StoreSession) async throws -> Void
  ) async throws -> String? {
    let executor = LoopExecutor()
    let session = rig.session(executor: executor)
    let told = Later<Bool>()
    session.store.watch { told.set(executor.isIsolatingCurrentContext() == true) }
    try await session.keep(Self.plan("Own"))
    startThread { executor.run { _ = try? await told.value } }
    try await change(session)
    #expect(try await told.value, "on the session's thread")
    return try await session.load().plan?.name
  }

  @Test(arguments: TestedEngine.allCases)
  func `others' changes are noticed, and one's own are not`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let found = try await planAtChange(rig) { session in
      for _ in 0..<3 { try await session.keep(Self.plan("Own")) }
      try await rig.session().keep(Self.plan("Other"))
    }
    #expect(found == "Other")
  }

  @Test(arguments: TestedEngine.allCases)
  func `what changed between a load and the watch is reported`(engine: TestedEngine) async throws {
    let rig = try StoreRig(engine)
    let executor = LoopExecutor()
    let session = rig.session(executor: executor)
    let told = Later<Void>()
    _ = try await session.load()
    try await rig.session().keep(Self.plan("Other"))
    session.store.watch { told.set(()) }
    startThread { executor.run { _ = try? await told.value } }
    try await told.value
  }

  @Test func `a change by another program is noticed, too`() async throws {
    let rig = try StoreRig()
    let found = try await planAtChange(rig) { _ in
      let script = """
        import sqlite3, sys
        base = sqlite3.connect(sys.argv[1])
        base.execute("UPDATE account SET plan = replace(plan, 'Own', 'Foreign')")
        base.commit()
        """
      try Spawn("/usr/bin/python3", ["-c", script, rig.folder.at("state/account.db")], standard: [nil, nil, 2]).run()
    }
    #expect(found == "Foreign")
  }
}
