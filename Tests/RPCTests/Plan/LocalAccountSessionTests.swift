import AccountModel
import HostAdapters
import RPCShell
import Testing

@testable import PlanPlugin

/// The built-in account behind the plan block, on a store in memory.
@Suite(.timeLimit(.usualMinutes(1)))
struct LocalAccountSessionTests {
  private let executor = LoopExecutor()

  private func rig(_ store: MemoryStore, catalogue: [PlanUsage] = [.plus, .top], manageURL: String? = nil) -> PlanRig {
    let account = LocalAccount(catalogue: catalogue, manageURL: manageURL, store: store)
    return PlanRig(handler: account, manage: account, restore: account, executor: executor, store: store)
  }

  private func store(_ plan: PlanUsage?) -> MemoryStore { MemoryStore(plan, executor: executor) }

  private static func plan(_ text: String) throws -> PlanUsage {
    try PlanUsage(checking: JSONDocument(parsing: JSONText(trusted: Array(text.utf8))).view)
  }

  // MARK: Upgrading

  /// Three plans of a host's own, the lowest first.
  private static func catalogue() throws -> [PlanUsage] {
    try [
      ("Basic", "1", #","upgrade":{"title":"Go to Plus"}"#), ("Plus", "10", #","upgrade":{"title":"Go to Pro"}"#),
      ("Pro", "100", ""),
    ]
    .map { name, limit, upgrade in
      try plan(
        #"{"name":"\#(name)","price":{"amount":"\#(limit)","currencyCode":"EUR"},"period":"month","status":{"renews":"2026-01-01"},"meters":[{"id":"storage","label":"Storage","used":0,"limit":\#(limit),"unit":"GB"}]\#(upgrade)}"#
      )
    }
  }

  @Test func `it climbs a catalogue of three, keeping what was used and the date`() throws {
    let catalogue = try Self.catalogue()
    var basic = catalogue[0]
    basic.status = .trial(DateValue("2026-11-02")!)
    basic.meters = .value(
      basic.meters.value!.map { meter in
        var meter = meter
        meter.used = DecimalNumber(number: "0.75")!
        return meter
      })
    let store = store(basic)
    let rig = rig(store, catalogue: catalogue)
    for (name, limit, next) in [("Plus", "10", "\"Go to Pro\""), ("Pro", "100", nil)] {
      try rig.call("plan.upgrade")
      let done = rig.received(3)[1]
      #expect(done.at("params.state.plan.name") == "\"\(name)\"")
      #expect(done.at("params.state.plan.status") == #"{"renews":"2026-11-02"}"#)
      #expect(done.at("params.state.usage.meters.0.figure") == "\"0.8 of \(limit) GB\"")
      #expect(store.plan?.meters.value?[0].used == DecimalNumber(number: "0.75"))
      rig.pass(.milliseconds(1200))
      #expect(rig.received(1)[0].at("params.state.upgrade.title") == next)
    }
    try rig.call("plan.upgrade")
    #expect(rig.take(1) == [PlanLines.refusal(103, "There is nothing above the plan Pro", #"{"action":"upgrade"}"#)])
    #expect(store.plan?.name == "Pro")
  }

  @Test func `a plan that is not in the catalogue cannot go up, and says so`() throws {
    let other = try Self.plan(PlanLines.plus.replacing("Plus", with: "Other"))
    let rig = rig(store(other))
    try rig.call("plan.upgrade")
    let lines = rig.received(3)
    #expect(lines[1].at("params.state.upgrade.message") == "\"No plan follows Other in the catalogue.\"")
    #expect(
      lines[2].text
        == PlanLines.refusal(
          100, "No plan follows Other in the catalogue.", #"{"action":"upgrade","handler":"local"}"#))
  }

  // MARK: Restoring

  @Test func `a restore reads the store again: what changed there is the account's event`() throws {
    let store = store(.plus)
    let rig = rig(store)
    try rig.call("plan.get")
    _ = rig.take(1)
    _ = store.keep(.top, asOf: nil)
    #expect(try rig.shown("state.summary.name") == "\"Plus\"", "nobody looked yet")
    try rig.call("plan.restore")
    let lines = rig.received(4)
    #expect(lines.map { $0.at("params.cause") } == ["\"restore\"", "\"restore\"", "\"account\"", nil])
    #expect(lines[1].at("params.state.plan") == nil)
    #expect(lines[2].at("params.state.plan") == PlanLines.top)
    #expect(lines[3].text == PlanLines.reply(#"{"outcome":"completed"}"#))
  }

  @Test func `what the host handed over is what a restore finds`() throws {
    let rig = rig(store(.plus))
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.top)}"#)
    _ = rig.take(2)
    try rig.call("plan.restore")
    #expect(rig.received(3).map { $0.at("params.cause") } == ["\"restore\"", "\"restore\"", nil])
  }

  @Test func `an empty store is loading until the host hands over a plan, which is kept`() throws {
    let store = store(nil)
    let rig = rig(store)
    try rig.call("plan.restore")
    #expect(rig.received(1).map(\.errorCode) == [102])
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.plus)}"#)
    _ = rig.take(2)
    #expect(store.plan == .plus)
  }

  // MARK: Managing

  @Test func `it answers the page that is configured`() throws {
    let rig = rig(store(.plus), manageURL: "https://billing.example/me")
    try rig.call("plan.manage")
    #expect(rig.take(1) == [PlanLines.reply(#"{"outcome":"presented","url":"https://billing.example/me"}"#)])
    #expect(try rig.shown("state.manage.custom") == "false")
  }

  @Test func `without a page managing is not available, and nothing is drawn`() throws {
    let rig = rig(store(.plus))
    try rig.call("plan.manage")
    #expect(
      rig.take(1) == [
        PlanLines.refusal(
          103, "There is no page to manage this subscription: no manageURL is configured", #"{"action":"manage"}"#)
      ])
    #expect(try rig.shown("revision") == "0")
  }

  @Test func `a page does not show the row on a plan that does not renew`() throws {
    let rig = rig(store(.once), manageURL: "https://billing.example/me")
    try rig.call("plan.manage")
    #expect(rig.received(1).map(\.errorCode) == [103])
  }
}

extension MemoryStore {
  /// What it holds.
  fileprivate nonisolated var plan: PlanUsage? {
    if case .now(.success(let record)) = load() { record.plan } else { nil }
  }
}
