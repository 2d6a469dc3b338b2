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
    let (one, other) = (rig.session(), rig.session())
    _ = try await (one.load(), other.load())
    #expect(try await one.begin("one") == .begun)
    try await one.end("one", .completed, plan: Self.plan("Bought"))
    #expect(try await other.begin("other") == .outdated)
    #expect(try await other.begin("restore", .onRestore) == .begun, "that buys nothing")
    try await other.end("restore", .completed)
    #expect(try await other.load().plan?.name == "Bought")
    #expect(try await other.begin("other") == .begun)
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
