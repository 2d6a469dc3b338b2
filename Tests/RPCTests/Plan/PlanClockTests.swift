import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// Texts follow the day, at local midnight.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanClockTests {
  private static func seconds(_ text: String) -> Double {
    guard case .instant(let seconds, _) = DateValue(text)?.moment else { preconditionFailure("no instant: \(text)") }
    return Double(seconds)
  }

  /// A rig whose state is known to the client, at a moment.
  private func rig(_ plan: PlanUsage?, zone: String = "UTC", at moment: Double) throws -> PlanRig {
    let rig = PlanRig(plan: plan, environment: Environment(timeZone: zone), now: moment)
    try rig.call("plan.get")
    _ = rig.take(1)
    rig.run(until: { !rig.clock.sleeping.isEmpty })
    return rig
  }

  private static func renewing(_ date: String) -> PlanUsage { .sample(renewing: DateValue(date)!) }

  // MARK: Midnight

  @Test(arguments: [
    ("UTC", "2026-11-02", "2026-11-03T00:00:00Z"), ("Asia/Tokyo", "2026-11-02", "2026-11-02T15:00:00Z"),
    ("America/Los_Angeles", "2026-11-02", "2026-11-03T08:00:00Z"),
    ("Asia/Kolkata", "2026-11-02", "2026-11-02T18:30:00Z"), ("Asia/Kathmandu", "2026-11-02", "2026-11-02T18:15:00Z"),
    ("America/St_Johns", "2026-11-02", "2026-11-03T03:30:00Z"),
    ("Pacific/Chatham", "2026-11-02", "2026-11-02T10:15:00Z"),
    ("Pacific/Kiritimati", "2026-11-02", "2026-11-02T10:00:00Z"),
    // An instant is past when the day is over on which it is there.
    ("Asia/Tokyo", "2026-11-02T12:00:00Z", "2026-11-02T15:00:00Z"),
    ("America/Los_Angeles", "2026-11-02T12:00:00Z", "2026-11-03T08:00:00Z"),
    // The first and the last day of summer time.
    ("America/Los_Angeles", "2026-10-31", "2026-11-01T07:00:00Z"),
    ("America/Los_Angeles", "2026-11-01", "2026-11-02T08:00:00Z"),
    // The clock is set forward at midnight: the day begins at one.
    ("America/Santiago", "2026-09-05", "2026-09-06T04:00:00Z"),
    // It is set back at midnight: the day before has an hour more.
    ("America/Santiago", "2027-04-03", "2027-04-04T04:00:00Z"),
  ])
  func `a date is past from the first second of the next day`(zone: String, date: String, midnight: String) throws {
    let midnight = Self.seconds(midnight)
    let rig = try rig(Self.renewing(date), zone: zone, at: midnight - 5400)
    for step in [4500, 3600, 2700, 1800, 900, 1] {
      rig.passTime(to: midnight - Double(step))
      #expect(rig.lines.isEmpty, "\(step) s before midnight")
    }
    rig.passTime(to: midnight)
    let events = rig.received(1)
    try #require(events.count == 1)
    #expect(events[0].at("params.state.summary.dateIsPast") == "true")
  }

  @Test func `the event has what changed, and nothing moves, is felt or heard`() throws {
    let rig = try rig(.plus, at: PlanRig.today + 15 * 86_400 - 1)
    rig.passTime(to: PlanRig.today + 15 * 86_400)
    let event = try #require(rig.received(1).first)
    #expect(
      event.text.hasPrefix(
        #"{"jsonrpc":"2.0","method":"plan.state","params":{"revision":1,"cause":"clock","state":{"summary":{"#))
    #expect(try event.json["params"]?.members.map(\.name) == ["revision", "cause", "state"])
    #expect(try event.json["params"]?["state"]?.members.map(\.name) == ["summary", "usage"])
    #expect(event.at("params.state.summary.dateLine") == "\"Renews Nov 2, 2026\"")
    #expect(event.at("params.state.usage.meters.1.resetsText") == "\"Resets Nov 2, 2026\"")
    #expect(event.at("params.state.usage.meters.1.resetIsPast") == "true")
  }

  @Test(
    arguments: [
      (renewing("2027-11-02"), "2026-11-03T00:00:00Z", "summary.dateLine", "\"Renews Nov 2\""),
      (changing("2026-11-02"), "2026-11-03T00:00:00Z", "summary.changeLine", "\"Changes to Basic on Nov 2, 2026\""),
      (resetting("2026-11-02"), "2026-11-03T00:00:00Z", "usage.meters.0.line", "\"Resets Nov 2, 2026\""),
    ])
  func `every text with a date follows the day`(plan: PlanUsage, moment: String, path: String, text: String) throws {
    let moment = Self.seconds(moment)
    let rig = try rig(plan, at: moment - 60)
    #expect(try rig.shown("state." + path) != text)
    rig.passTime(to: moment)
    #expect(rig.received(1).map { $0.at("params.state." + path) } == [text])
  }

  private static func changing(_ date: String) -> PlanUsage {
    var plan = PlanUsage.once
    plan.scheduledChange = .value(ScheduledChange(to: "Basic", on: DateValue(date)!))
    return plan
  }

  private static func resetting(_ date: String) -> PlanUsage {
    var plan = PlanUsage.once
    plan.meters = .value([renewing(date).meters.value![1]])
    return plan
  }

  @Test func `a midnight at which no text changes is no event`() throws {
    let rig = try rig(.plus, at: PlanRig.today + 86_000)
    for day in 1...14 {
      rig.passTime(to: PlanRig.today + Double(day) * 86_400)
      #expect(rig.lines.isEmpty, "day \(day)")
    }
    #expect(try rig.shown("revision") == "0")
    rig.passTime(to: PlanRig.today + 15 * 86_400)
    #expect(rig.received(1).map { $0.at("params.revision") } == ["1"])
  }

  @Test func `plans without dates never change by themselves`() throws {
    let rig = try rig(.once, at: PlanRig.today)
    for day in 1...400 { rig.passTime(to: PlanRig.today + Double(day) * 86_400) }
    #expect(rig.lines.isEmpty)
  }

  // MARK: Clocks that jump

  @Test func `a time of day that jumped is noticed within a quarter of an hour`() throws {
    let rig = try rig(.plus, at: PlanRig.today + 36_000)
    rig.setTime(PlanRig.today + 20 * 86_400)
    rig.clock.advance(by: .seconds(900))
    rig.run(until: { !rig.lines.isEmpty })
    #expect(rig.received(1).map { $0.at("params.state.summary.dateIsPast") } == ["true"])
    rig.run(until: { !rig.clock.sleeping.isEmpty })
    rig.setTime(PlanRig.today + 86_400)
    rig.clock.advance(by: .seconds(900))
    rig.run(until: { !rig.lines.isEmpty })
    #expect(rig.received(1).map { $0.at("params.state.summary.dateIsPast") } == ["false"])
  }

  @Test(arguments: [
    ("plan.get", "{}"), ("plan.set", #"{"plan":\#(PlanLines.top)}"#), ("plan.set", #"{"refreshing":true}"#),
    ("plan.dismiss", #"{"action":"upgrade"}"#), ("plan.upgrade", "{}"), ("plan.manage", "{}"), ("plan.restore", "{}"),
  ])
  func `whatever is called first on a new day finds the texts of that day`(method: String, params: String) throws {
    let rig = PlanRig(handler: ScriptedHandler(), restore: ScriptedHandler())
    try rig.call("plan.get")
    _ = rig.take(1)
    rig.setTime(PlanRig.today + 15 * 86_400)
    try rig.call(method, params: params)
    let lines = rig.received(2)
    #expect(lines[0].at("params.cause") == "\"clock\"")
    #expect(lines[0].at("params.requestId") == nil)
    #expect(lines.dropFirst().allSatisfy { $0.at("params.cause") != "\"clock\"" })
  }

  // MARK: When nobody waits for it

  @Test func `before a state is known nobody looks at the time`() throws {
    let rig = PlanRig(plan: .top)
    #expect(rig.clock.sleeping.isEmpty)
    try rig.call("plan.upgrade")
    _ = rig.take(1)
    #expect(rig.clock.sleeping.isEmpty, "a refusal shows no state")
  }

  @Test func `a session starts with the texts of the day on which its state is first seen`() throws {
    let rig = PlanRig(plan: .top)
    try rig.call("plan.upgrade")
    _ = rig.take(1)
    rig.setTime(PlanRig.today + 15 * 86_400)
    try rig.call("plan.get")
    let lines = rig.received(1)
    #expect(lines.map { $0.at("params.cause") } == [nil], "no event for who knows nothing")
    #expect(lines.last?.at("result.revision") == "0")
    #expect(lines.last?.at("result.state.summary.dateIsPast") == "true")
  }

  @Test func `after the end of input no day begins`() throws {
    let midnight = PlanRig.today + 15 * 86_400
    let rig = try rig(.plus, at: midnight - 600)
    rig.with { $0.settle() }
    rig.run(until: { rig.clock.sleeping.isEmpty })
    rig.passTime(to: midnight + 1800)
    #expect(rig.lines.isEmpty)
    #expect(rig.with { $0.isSettled }, "the watch holds nothing up")
  }

  @Test func `a state that is first known after the end of input is not watched`() throws {
    let rig = PlanRig()
    rig.with { $0.settle() }
    try rig.call("plan.get")
    #expect(rig.clock.sleeping.isEmpty)
  }

  @Test func `while nothing is known midnight changes nothing`() throws {
    let rig = try rig(.plus, at: PlanRig.today)
    try rig.call("plan.set", params: #"{"plan":null}"#)
    _ = rig.take(2)
    rig.passTime(to: PlanRig.today + 15 * 86_400)
    #expect(rig.lines.isEmpty)
    try rig.call("plan.set", params: #"{"plan":\#(PlanLines.plus)}"#)
    #expect(rig.received(2)[0].at("params.state.summary.dateIsPast") == "true")
  }

  @Test func `another zone changes the texts at once, and midnight with them`() throws {
    let rig = try rig(.plus, at: Self.seconds("2026-11-02T16:00:00Z"))
    rig.with { $0.environmentChanged(Environment(timeZone: "Asia/Tokyo")) }
    let event = try #require(rig.received(1).first)
    #expect(event.at("params.cause") == "\"initialize\"")
    #expect(event.at("params.state.summary.dateIsPast") == "true")
    rig.with { $0.environmentChanged(Environment(timeZone: "America/Los_Angeles")) }
    #expect(rig.received(1).map { $0.at("params.state.summary.dateIsPast") } == ["false"])
    rig.passTime(to: Self.seconds("2026-11-03T07:59:59Z"))
    #expect(rig.lines.isEmpty)
    rig.passTime(to: Self.seconds("2026-11-03T08:00:00Z"))
    #expect(rig.received(1).map { $0.at("params.cause") } == ["\"clock\""])
  }
}
