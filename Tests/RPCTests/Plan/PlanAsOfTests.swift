import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// When a plan was read: what is older than what is known is no news.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanAsOfTests {
  private func set(_ rig: PlanRig, _ plan: String, asOf: String?, more: String = "") throws -> [Received] {
    let time = asOf.map { #","asOf":"\#($0)""# } ?? ""
    try rig.call("plan.set", params: #"{"plan":\#(plan)\#(time)\#(more)}"#)
    return rig.received(1)
  }

  @Test func `what was read before an upgrade does not undo it`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler, now: PlanRig.today + 43_200)
    _ = try set(rig, PlanLines.plus, asOf: "2026-10-19T11:00:00Z")
    try rig.call("plan.upgrade")
    handler.succeed(.giving(plan: PlanLines.top))
    _ = rig.take(3)
    #expect(try set(rig, PlanLines.plus, asOf: "2026-10-19T11:59:59Z").last?.at("result.ignored") == "true")
    #expect(try rig.shown("state.summary.name") == "\"Studio\"")
    #expect(try rig.shown("state.summary.asOf") == "null")
    #expect(try set(rig, PlanLines.top, asOf: "2026-10-19T12:00:01Z").last?.at("result.ignored") == nil)
  }

  @Test func `an upgrade says nothing of time to who never spoke of it`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    try rig.call("plan.upgrade")
    handler.succeed(.giving(plan: PlanLines.top))
    _ = rig.take(3)
    #expect(try set(rig, PlanLines.plus, asOf: "2020-01-01").last?.at("result.ignored") == nil)
  }

  private static let noon = "2026-10-19T12:00:00Z"

  @Test(arguments: [
    ("2026-10-19", "2026-10-18", "UTC", true), ("2026-10-19", "2026-10-19", "UTC", false),
    ("2026-10-19", "2026-10-20", "UTC", false),
    (noon, "2026-10-19T11:59:59Z", "UTC", true), (noon, "2026-10-19T11:59:59.999999999Z", "UTC", true),
    (noon, noon, "UTC", false), (noon, "2026-10-19T14:00:00+02:00", "UTC", false),
    (noon, "2026-10-19T13:59:59+02:00", "UTC", true), (noon, "2026-10-19T12:00:00.001Z", "UTC", false),
    (noon, "2026-10-20T00:00:00Z", "UTC", false),
    // A day and an instant are compared by the day, where the person is.
    (noon, "2026-10-19", "UTC", false), (noon, "2026-10-18", "UTC", true),
    ("2026-10-19", "2026-10-19T00:00:00Z", "UTC", false), ("2026-10-19", "2026-10-18T23:59:59Z", "UTC", true),
    ("2026-10-19", "2026-10-18T15:00:00Z", "Asia/Tokyo", false),
    ("2026-10-19", "2026-10-18T14:59:59Z", "Asia/Tokyo", true),
    ("2026-10-19", "2026-10-19T06:59:59Z", "America/Los_Angeles", true),
    ("2026-10-19", "2026-10-19T07:00:00Z", "America/Los_Angeles", false),
    ("2026-10-19T02:00:00Z", "2026-10-18", "America/Los_Angeles", false),
  ])
  func `what was read before is ignored, and says so`(
    first: String, second: String, zone: String, isIgnored: Bool
  ) throws {
    let rig = PlanRig(environment: Environment(timeZone: zone))
    _ = try set(rig, PlanLines.plus, asOf: first)
    let answer = try #require(try set(rig, PlanLines.top, asOf: second).last)
    #expect(answer.at("result") == (isIgnored ? #"{"revision":1,"ignored":true}"# : #"{"revision":2}"#))
    #expect(try rig.shown("state.summary.name") == (isIgnored ? "\"Plus\"" : "\"Studio\""))
    #expect(try rig.shown("state.summary.asOf") == "\"\(isIgnored ? first : second)\"")
    #expect(rig.keptPlan == (isIgnored ? .plus : .top))
  }

  @Test func `an ignored plan is no event, and what was shown of attempts stays`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try set(rig, PlanLines.plus, asOf: Self.noon)
    try rig.call("plan.upgrade")
    handler.fail(ActionFailure(message: "Card declined."))
    _ = rig.take(3)
    let lines = try set(rig, PlanLines.top, asOf: "2026-10-19T11:00:00Z")
    #expect(lines.map(\.text) == [PlanLines.reply(#"{"revision":3,"ignored":true}"#)])
    #expect(try rig.shown("state.upgrade.message") == "\"Card declined.\"")
  }

  @Test func `null that is older than what is known is ignored, too`() throws {
    let rig = PlanRig()
    _ = try set(rig, PlanLines.plus, asOf: Self.noon)
    let lines = try set(rig, "null", asOf: "2026-10-18")
    #expect(lines.map(\.text) == [PlanLines.reply(#"{"revision":1,"ignored":true}"#)])
    #expect(try rig.shown("state.loading") == "false")
  }

  @Test func `what was being read has come, even when it is ignored`() throws {
    let rig = PlanRig()
    _ = try set(rig, PlanLines.plus, asOf: Self.noon, more: #","refreshing":true"#)
    let lines = try set(rig, PlanLines.top, asOf: "2026-10-18").map(\.text)
    #expect(
      lines == [
        PlanLines.event(2, "set", [#""refreshing":false"#]), PlanLines.reply(#"{"revision":2,"ignored":true}"#),
      ])
  }

  @Test func `a plan without a time is taken, and the newest time stays known`() throws {
    let rig = PlanRig()
    _ = try set(rig, PlanLines.plus, asOf: Self.noon)
    _ = try set(rig, PlanLines.top, asOf: nil)
    #expect(try rig.shown("state.summary.name") == "\"Studio\"")
    #expect(try rig.shown("state.summary.asOf") == "null")
    let lines = try set(rig, PlanLines.plus, asOf: "2026-10-18")
    #expect(lines.map(\.text) == [PlanLines.reply(#"{"revision":2,"ignored":true}"#)])
  }

  @Test(arguments: [(noon, "2026-10-19"), ("2026-10-19", noon)])
  func `a day does not hide the time of that day that is known`(first: String, second: String) throws {
    let rig = PlanRig()
    _ = try set(rig, PlanLines.plus, asOf: first)
    _ = try set(rig, PlanLines.plus, asOf: second)
    let lines = try set(rig, PlanLines.top, asOf: "2026-10-19T08:00:00Z")
    #expect(lines.last?.at("result.ignored") == "true", "noon is the newest so far")
  }

  @Test func `after a null without a time, every time counts again`() throws {
    let rig = PlanRig()
    _ = try set(rig, PlanLines.plus, asOf: Self.noon)
    _ = try set(rig, "null", asOf: nil)
    let lines = try set(rig, PlanLines.plus, asOf: "2026-01-01")
    #expect(lines.last?.at("result") == #"{"revision":3}"#)
    #expect(try rig.shown("state.summary.asOf") == "\"2026-01-01\"")
  }

  @Test func `a null that was read later than a plan wins over it`() throws {
    let rig = PlanRig()
    _ = try set(rig, "null", asOf: Self.noon)
    let lines = try set(rig, PlanLines.plus, asOf: "2026-10-19T11:00:00Z")
    #expect(lines.last?.at("result.ignored") == "true")
    #expect(try rig.shown("state.loading") == "true")
  }

  // MARK: What is shown of it

  @Test func `a newer time of the same plan changes the summary only, and clears nothing`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    try rig.call("plan.upgrade")
    handler.fail(ActionFailure(message: "Card declined."))
    _ = rig.take(3)
    let lines = try set(rig, PlanLines.plus, asOf: Self.noon)
    #expect(try lines[0].json["params"]?["state"]?.members.map(\.name) == ["summary"])
    #expect(lines[0].at("params.state.summary.asOf") == "\"\(Self.noon)\"")
    #expect(lines[0].at("params.motion") == nil)
    #expect(try rig.shown("state.upgrade.phase") == "\"failed\"")
  }

  @Test(arguments: [nil, noon])
  func `the same plan at the same time, or without one, changes nothing`(asOf: String?) throws {
    let rig = PlanRig()
    _ = try set(rig, PlanLines.plus, asOf: Self.noon)
    #expect(try set(rig, PlanLines.plus, asOf: asOf).map(\.text) == [PlanLines.reply(#"{"revision":1}"#)])
    #expect(try rig.shown("state.summary.asOf") == "\"\(Self.noon)\"")
  }

  @Test func `a plan that an upgrade brings was read at no time that is known`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    _ = try set(rig, PlanLines.plus, asOf: Self.noon)
    try rig.call("plan.upgrade")
    handler.succeed(with: PlanUsage.top.jsonText)
    _ = rig.take(3)
    #expect(try rig.shown("state.summary.asOf") == "null")
    #expect(try set(rig, PlanLines.plus, asOf: "2026-10-18").last?.at("result.ignored") == "true")
  }
}
