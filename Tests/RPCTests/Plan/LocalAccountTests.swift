import AccountModel
import HostAdapters
import RPCShell
import Testing

@Suite(.timeLimit(.usualMinutes(1)))
struct LocalAccountTests {
  private let store = MemoryStore(.plus, executor: LoopExecutor())
  private var account: LocalAccount { LocalAccount(catalogue: [.plus, .top], store: store) }

  private func call(_ plan: PlanUsage, action: HostAction = .onUpgrade) -> ActionCall {
    ActionCall(
      action: action, idempotencyKey: "k", timeout: 600, locale: "en_US", timeZone: "UTC",
      details: [.init("plan", plan.jsonText)])
  }

  private func run(_ call: ActionCall, of account: LocalAccount? = nil) async throws -> ActionResult {
    let host = PluginHost(executor: LoopExecutor(), clock: ManualClock(), now: { 0 }) { _ in }
    return try await (account ?? self.account).run(call, host: host) { _ in }
  }

  @Test func `it goes up to the next plan`() async throws {
    #expect(try await run(call(.plus)).plan == PlanUsage.top.jsonText)
  }

  @Test func `what can be had is what it is told, else what another session was told, else the sample`() async throws {
    let store = ScriptedStore(executor: LoopExecutor())
    let untold = LocalAccount(catalogue: nil, orSample: [.plus, .top], store: store)
    #expect(try await run(call(.plus), of: untold).plan == PlanUsage.top.jsonText)
    store.tellCatalogue([.top, .plus])
    #expect(try await run(call(.top), of: untold).plan?.description.contains(#""name":"Plus""#) == true)
    let told = LocalAccount(catalogue: [.plus, .top], store: store)
    #expect(try await run(call(.plus), of: told).plan == PlanUsage.top.jsonText)
  }

  @Test func `what was used and the date stay`() async throws {
    var plan = PlanUsage.sample(renewing: DateValue("2026-12-24")!)
    plan.status = .trial(DateValue("2026-10-30")!)
    var meters = plan.meters.value!
    meters[0].used = DecimalNumber(string: "9.10")!
    plan.meters = .value([meters[0]])
    let next = try await run(call(plan)).plan?.description
    #expect(next?.contains(#""status":{"renews":"2026-10-30"}"#) == true)
    #expect(next?.contains(#"{"id":"storage","label":"Storage","used":"9.10","limit":100,"unit":"GB"}"#) == true)
    #expect(next?.contains(#"{"id":"exports","label":"Exports","used":412,"limit":5000,"#) == true)
  }

  @Test(arguments: [PlanUsage.top, .once])
  func `nothing follows the last plan or one that is not in the catalogue`(plan: PlanUsage) async throws {
    await #expect(throws: ActionFailure(message: "No plan follows \(plan.name) in the catalogue.")) {
      try await run(call(plan))
    }
  }

  @Test func `a cancelled task changes nothing`() async throws {
    let call = call(.plus)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await run(call)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `the sample account upgrades from end to end`() throws {
    let rig = PlanRig(handler: account)
    try rig.call("plan.upgrade")
    #expect(rig.take(3) == [PlanLines.working, PlanLines.done, PlanLines.completed])
  }

  @Test(arguments: [HostAction.onClearCache, .onRemove])
  func `it does nothing but plans`(action: HostAction) async throws {
    await #expect(throws: ActionFailure(message: nil)) { try await run(call(.plus, action: action)) }
  }
}
