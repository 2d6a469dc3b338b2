import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// The host's own plan: what is taken over, and what that shows.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanSetTests {
  private static let hero = [
    PlanLines.move("storage", "0", "0.82", "hero"), PlanLines.move("exports", "0", "0.412", "hero"),
  ]
  private static let loading =
    #""plan":null,"loading":true,"summary":null,"usage":null,"upgrade":null,"manage":{"label":"Manage subscription","visible":false,"custom":false}"#

  /// Studio at rest, in place of Plus.
  private static let studio = PlanLines.done
    .replacing(#""revision":2,"cause":"upgrade""#, with: #""revision":1,"cause":"set""#)
    .replacing(PlanLines.upgradeSection("done"), with: #""upgrade":null"#)
    .replacing(#","feedback":"success","announcement":{"text":"Upgrade complete","politeness":"polite"}"#, with: "")

  private func set(_ rig: PlanRig, _ plan: String, id: String? = "1") throws {
    try rig.call("plan.set", id: id, params: #"{"plan":\#(plan)}"#)
  }

  // MARK: A plan

  @Test func `another plan shows everywhere in one event, before the reply, and is kept`() throws {
    let rig = PlanRig()
    try set(rig, PlanLines.top)
    #expect(rig.take(2) == [Self.studio, PlanLines.reply(#"{"revision":1}"#)])
    #expect(rig.keptPlan == .top)
    #expect(try rig.shown("revision") == "1")
    #expect(try rig.shown("state.plan") == PlanLines.top)
  }

  @Test(arguments: [
    PlanLines.plus, PlanLines.plus(storage: "8.20"), PlanLines.plus(storage: "8.2e0"),
    PlanLines.plus.replacing(#"{"name":"Plus",""#, with: #"{ "name" : "Plus" , ""#),
  ])
  func `the plan that is shown already is no event, however its numbers are written`(plan: String) throws {
    let rig = PlanRig()
    for _ in 1...2 {
      try set(rig, plan)
      #expect(rig.take(1) == [PlanLines.reply(#"{"revision":0}"#)])
    }
    #expect(rig.keptPlan == .plus)
    #expect(try rig.shown("state.plan") == PlanLines.plus)
  }

  @Test(arguments: ["1", "\"a\"", "\"\"", "1.0", "12345678901234567890123"])
  func `the event names the request as it was sent`(id: String) throws {
    let rig = PlanRig()
    try set(rig, PlanLines.top, id: id)
    let lines = rig.take(2)
    #expect(lines[0] == Self.studio.replacing(#""requestId":1,"#, with: #""requestId":\#(id),"#))
    #expect(lines[1] == PlanLines.reply(#"{"revision":1}"#, id: id))
  }

  @Test func `a notification is an event without a request, and nothing else`() throws {
    let rig = PlanRig()
    try set(rig, PlanLines.top, id: nil)
    #expect(rig.take(1) == [Self.studio.replacing(#""requestId":1,"#, with: "")])
  }

  @Test(
    arguments: [
      (PlanLines.plus(storage: "8.6"), [PlanLines.move("storage", "0.82", "0.86").dropLast() + #","then":"level"}"#]),
      (PlanLines.plus(storage: "8.3"), [PlanLines.move("storage", "0.82", "0.83")]),
      (PlanLines.plus(storage: "8.20001"), []),
      (PlanLines.plus(storage: "12"), [PlanLines.move("storage", "0.82", "1").dropLast() + #","then":"level"}"#]),
      (PlanLines.plus.replacing(#""id":"storage""#, with: #""id":"disk""#), [PlanLines.move("disk", "0", "0.82")]),
      (PlanLines.plus.replacing(#""limit":10,"#, with: #""limit":null,"#), []),
      (PlanLines.plus.replacing("Upgrade to Studio", with: "Go up"), []),
      (PlanLines.plan(), [PlanLines.snappy("upgrade")]),
    ] as [(String, [String])])
  func `only what moves is listed as moving`(plan: String, motion: [String]) throws {
    let rig = PlanRig()
    try set(rig, plan)
    let event = try #require(rig.received(2).first)
    #expect(event.at("params.motion") == (motion.isEmpty ? nil : "[\(motion.joined(separator: ","))]"))
    #expect(event.at("params.feedback") == nil)
    #expect(event.at("params.announcement") == nil)
  }

  @Test func `only the sections that changed are sent`() throws {
    let rig = PlanRig()
    try set(rig, PlanLines.plus(storage: "8.3"))
    #expect(try rig.received(2)[0].json["params"]?["state"]?.members.map(\.name) == ["plan", "usage"])
    try set(rig, PlanLines.plus(storage: "8.3").replacing("Upgrade to Studio", with: "Go up"))
    #expect(try rig.received(2)[0].json["params"]?["state"]?.members.map(\.name) == ["plan", "upgrade"])
  }

  // MARK: Loading

  @Test func `null is loading again, and the plan that was kept stays kept`() throws {
    let rig = PlanRig()
    try set(rig, "null")
    #expect(
      rig.take(2) == [
        PlanLines.event(1, "set", [Self.loading], motion: [PlanLines.snappy("upgrade")]),
        PlanLines.reply(#"{"revision":1}"#),
      ])
    #expect(rig.keptPlan == .plus)
    try set(rig, "null")
    #expect(rig.take(1) == [PlanLines.reply(#"{"revision":1}"#)])
  }

  @Test func `the plan that ends loading fills the meters from nothing, and nothing else moves`() throws {
    let rig = PlanRig(plan: nil)
    try set(rig, PlanLines.plus)
    let event = try #require(rig.received(2).first)
    #expect(event.at("params.motion") == "[\(Self.hero.joined(separator: ","))]")
    #expect(
      try event.json["params"]?["state"]?.members.map(\.name)
        == ["plan", "loading", "summary", "usage", "upgrade", "manage"])
    #expect(event.at("params.state.loading") == "false")
    #expect(event.at("params.feedback") == nil)
    #expect(rig.keptPlan == .plus)
  }

  @Test func `each end of loading fills the meters`() throws {
    let rig = PlanRig()
    for _ in 1...2 {
      try set(rig, "null")
      try set(rig, PlanLines.plus)
      #expect(rig.received(4)[2].at("params.motion") == "[\(Self.hero.joined(separator: ","))]")
    }
  }

  @Test func `with less motion the meters are there at once`() throws {
    let rig = PlanRig(plan: nil, environment: Environment(reduceMotion: true))
    try set(rig, PlanLines.plus)
    let motion = [
      PlanLines.move("storage", "0.82", "0.82", "fade"), PlanLines.move("exports", "0.412", "0.412", "fade"),
    ]
    #expect(rig.received(2)[0].at("params.motion") == "[\(motion.joined(separator: ","))]")
  }

  // MARK: Refreshing

  @Test func `a reload keeps what is shown`() throws {
    let rig = PlanRig()
    try rig.call("plan.set", params: #"{"refreshing":true}"#)
    #expect(
      rig.take(2) == [PlanLines.event(1, "set", [#""refreshing":true"#]), PlanLines.reply(#"{"revision":1}"#)])
    #expect(try rig.shown("state.loading") == "false")
    #expect(try rig.shown("state.summary.name") == "\"Plus\"")
    try set(rig, PlanLines.plus)
    #expect(
      rig.take(2) == [PlanLines.event(2, "set", [#""refreshing":false"#]), PlanLines.reply(#"{"revision":2}"#)])
  }

  /// What is sent while a plan is shown and another may be on its way; what is said of it then.
  @Test(
    arguments: [
      (false, #"{"refreshing":false}"#, false, 0), (false, #"{"refreshing":true}"#, true, 1),
      (true, #"{"refreshing":true}"#, true, 0), (true, #"{"refreshing":false}"#, false, 1),
      (false, #"{"plan":\#(PlanLines.plus),"refreshing":true}"#, true, 1),
      (true, #"{"plan":\#(PlanLines.plus),"refreshing":true}"#, true, 0),
      (true, #"{"plan":\#(PlanLines.plus),"refreshing":null}"#, false, 1),
      (true, #"{"plan":\#(PlanLines.top)}"#, false, 1),
      (true, #"{"plan":null}"#, false, 1), (true, #"{"plan":null,"refreshing":true}"#, false, 1),
    ] as [(Bool, String, Bool, Int)])
  func `whatever comes next says whether another plan is on its way`(
    before: Bool, params: String, after: Bool, events: Int
  ) throws {
    let rig = PlanRig()
    try rig.call("plan.set", params: #"{"refreshing":\#(before)}"#)
    _ = rig.take(1)
    try rig.call("plan.set", params: params)
    #expect(rig.received(1).count == events + 1)
    #expect(try rig.shown("state.refreshing") == "\(after)")
  }

  @Test func `what is being read while nothing is known is loading`() throws {
    let rig = PlanRig(plan: nil)
    try rig.call("plan.set", params: #"{"refreshing":true}"#)
    #expect(rig.take(1) == [PlanLines.reply(#"{"revision":0}"#)])
    try set(rig, PlanLines.plus)
    #expect(try rig.received(2)[0].json["params"]?["state"]?["refreshing"] == nil)
  }

  @Test func `an upgrade leaves a reload going`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    try rig.call("plan.set", params: #"{"refreshing":true}"#)
    try rig.call("plan.upgrade")
    handler.succeed(with: PlanUsage.top.jsonText)
    _ = rig.take(5)
    #expect(try rig.shown("state.refreshing") == "true")
  }
}
