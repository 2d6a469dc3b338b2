import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// `alerts` of a meter: which plan tells of which threshold.
@Suite(.timeLimit(.usualMinutes(1)))
struct PlanAlertTests {
  /// A meter in the course of its plans, and what each tells.
  struct Course: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var plans: [(plan: String, told: String?)]

    init(_ testDescription: String, _ plans: [(String, String?)]) {
      self.testDescription = testDescription
      self.plans = plans.map { (plan: $0.0, told: $0.1) }
    }
  }

  private static let three = "[0.5,0.75,0.85]"

  /// What is kept, in a plan that renews.
  private static func kept(
    _ used: String, of limit: String = "100", _ alerts: String = three, renews: String = "2026-11-02"
  ) -> String {
    PlanLines.plan(
      PlanLines.meter(used, of: limit, #""alerts":\#(alerts)"#), status: #"{"renews":"\#(renews)"}"#)
  }

  /// An allowance.
  private static func spent(
    _ used: String, of limit: String = "100", _ alerts: String = three, resets: String = "2026-11-02"
  ) -> String {
    PlanLines.plan(PlanLines.meter(used, of: limit, #""resets":"\#(resets)","alerts":\#(alerts)"#))
  }

  /// What is kept, in a plan without a date.
  private static func dateless(_ used: String, of limit: String = "100", _ alerts: String = three) -> String {
    PlanLines.plan(PlanLines.meter(used, of: limit, #""alerts":\#(alerts)"#))
  }

  private static let crossings = [
    Course("the highest of those that are passed", [(kept("40"), nil), (kept("90"), "0.85")]),
    Course("one after the other", [(kept("40"), nil), (kept("60"), "0.5"), (kept("80"), "0.75"), (kept("81"), nil)]),
    Course("the border belongs to what is above it", [(kept("84.9"), nil), (kept("85"), "0.85")]),
    Course("what is reached when it is first known", [(kept("90"), nil), (kept("91"), nil)]),
    Course("in any order and more than once", [(kept("40", "[1,0.5,0.5]"), nil), (kept("70", "[1,0.5,0.5]"), "0.5")]),
    Course("past the limit", [(kept("99", "[1]"), nil), (kept("150", "[1]"), "1")]),
    Course(
      "as it was given", [(kept("8", of: "10", #"["0.850"]"#), nil), (kept("9", of: "10", #"["0.850"]"#), #""0.850""#)]),
    Course("nothing has no border", [(kept("0", "[0]"), nil), (kept("1", "[0]"), nil)]),
    Course(
      "where binary numbers are off",
      [(kept("5", of: "5.9", "[0.85]"), nil), (kept("5.015", of: "5.9", "[0.85]"), "0.85")]),
    Course(
      "numbers that only strings hold",
      [
        (kept(#""8.4999999999999999999999999999999999999""#, of: "10"), nil), (kept("8.5", of: "10"), "0.85"),
      ]),
    Course("without alerts nothing", [(kept("40", "[]"), nil), (kept("90", "[]"), nil)]),
    Course(
      "somebody begins to watch what is full",
      [(kept("90", "[]"), nil), (kept("90"), nil), (kept("100", "[0.5,1]"), "1")]),
    Course(
      "a share that is asked for later, and was passed before",
      [(kept("80", "[0.9]"), nil), (kept("82", "[0.75,0.9]"), nil), (kept("90", "[0.75,0.9]"), "0.9")]),
  ]

  private static let limits = [
    Course("without a limit nothing", [(kept("1", of: "null"), nil), (kept("999", of: "null"), nil)]),
    Course("a limit that comes", [(kept("90", of: "null"), nil), (kept("90"), "0.85")]),
    Course("a limit that goes", [(kept("40"), nil), (kept("90", of: "null"), nil)]),
    Course(
      "a limit of nothing is reached", [(kept("0", of: "0", "[0.5,1]"), nil), (kept("1", of: "0", "[0.5,1]"), nil)]),
    Course(
      "a limit that becomes nothing", [(kept("0", of: "10", "[0.5,1]"), nil), (kept("0", of: "0", "[0.5,1]"), "1")]),
    Course(
      "an allowance of nothing, anew", [(spent("0", of: "0"), nil), (spent("0", of: "0", resets: "2026-12-02"), nil)]),
    Course("a lower limit", [(kept("40"), nil), (kept("40", of: "50"), "0.75")]),
    Course(
      "a higher limit makes room, which fills again",
      [(kept("40"), nil), (kept("90"), "0.85"), (kept("90", of: "1000"), nil), (kept("900", of: "1000"), "0.85")]),
    Course(
      "a limit that is a little higher",
      [(kept("40"), nil), (kept("90"), "0.85"), (kept("90", of: "101"), nil), (kept("99", of: "101"), nil)]),
    Course(
      "the same limit, written differently",
      [(kept("40"), nil), (kept("90"), "0.85"), (kept("80", of: #""100.0""#), nil), (kept("90"), nil)]),
  ]

  private static let periods = [
    Course(
      "once in a period, even if it falls back",
      [(kept("40"), nil), (kept("90"), "0.85"), (kept("10"), nil), (kept("90"), nil), (kept("60"), nil)]),
    Course(
      "an allowance starts again from nothing",
      [
        (spent("40"), nil), (spent("90"), "0.85"), (spent("5", resets: "2026-12-02"), nil),
        (spent("55", resets: "2026-12-02"), "0.5"), (spent("90", resets: "2026-12-02"), "0.85"),
      ]),
    Course(
      "an allowance whose start nobody saw",
      [(spent("40"), nil), (spent("90"), "0.85"), (spent("95", resets: "2026-12-02"), "0.85")]),
    Course(
      "what is kept does not start again when the plan renews",
      [(kept("40"), nil), (kept("90"), "0.85"), (kept("91", renews: "2026-12-02"), nil)]),
    Course(
      "what fell back may be told again when the plan has renewed",
      [
        (kept("40"), nil), (kept("90"), "0.85"), (kept("70"), nil), (kept("70", renews: "2026-12-02"), nil),
        (kept("90", renews: "2026-12-02"), "0.85"),
      ]),
    Course(
      "without a date falling back ends the period",
      [
        (dateless("40"), nil), (dateless("90"), "0.85"), (dateless("89"), nil), (dateless("80"), nil),
        (dateless("85"), "0.85"), (dateless("60"), nil), (dateless("76"), "0.75"),
      ]),
    Course(
      "a moment that is counted anew with each answer",
      [
        (spent("40", resets: "2026-11-02T09:00:00Z"), nil), (spent("90", resets: "2026-11-02T09:00:01.5Z"), "0.85"),
        (spent("91", resets: "2026-11-02T10:59:59+02:00"), nil), (spent("91", resets: "2026-11-02T10:00:00Z"), "0.85"),
      ]),
    Course(
      "a period is about the moment that named it first",
      [
        (spent("40", resets: "2026-11-02T09:00:00Z"), nil), (spent("90", resets: "2026-11-02T09:40:00Z"), "0.85"),
        (spent("90", resets: "2026-11-02T10:20:00Z"), "0.85"),
      ]),
    Course(
      "a meter that was away is known anew", [(kept("40"), nil), (PlanLines.plan(), nil), (kept("90"), nil)]),
    Course("a plan that was away is known anew", [(kept("40"), nil), ("null", nil), (kept("90"), nil)]),
  ]

  @Test(arguments: crossings + limits + periods)
  func `a threshold is told when it is passed, once in a period`(course: Course) throws {
    let rig = PlanRig(plan: nil)
    for (at, step) in course.plans.enumerated() {
      try rig.call("plan.set", params: #"{"plan":\#(step.plan)}"#)
      let told = rig.received().compactMap { $0.at("params.alerts") }
      #expect(told == step.told.map { [#"[{"meter":"m","threshold":\#($0)}]"#] } ?? [], "plan \(at)")
    }
  }

  private static func twoMeters(_ storage: String, _ exports: String) -> String {
    let list = [
      #"{"id":"exports","label":"E","used":\#(exports),"limit":10,"alerts":[0.5]}"#,
      #"{"id":"other","label":"O","used":\#(storage),"limit":10}"#,
      #"{"id":"storage","label":"S","used":\#(storage),"limit":10,"alerts":[0.5]}"#,
    ]
    return PlanLines.plan(#""meters":[\#(list.joined(separator: ","))]"#)
  }

  @Test func `each meter tells its own, in their order`() throws {
    let rig = PlanRig(plan: nil)
    for (storage, exports) in [("1", "1"), ("6", "7")] {
      try rig.call("plan.set", params: #"{"plan":\#(Self.twoMeters(storage, exports))}"#)
    }
    #expect(
      rig.received(4)[2].at("params.alerts")
        == #"[{"meter":"exports","threshold":0.5},{"meter":"storage","threshold":0.5}]"#)
  }

  @Test func `nothing is felt or heard of it, and it is told with what moves`() throws {
    let rig = PlanRig(plan: nil)
    for used in ["40", "90"] { try rig.call("plan.set", params: #"{"plan":\#(Self.kept(used))}"#) }
    let event = try rig.received(4)[2].json["params"]
    #expect(event?.members.map(\.name) == ["revision", "cause", "requestId", "state", "motion", "alerts"])
  }

  @Test func `the account that a session starts with is known`() throws {
    let rig = PlanRig(plan: try .read(Self.kept("40")))
    try rig.call("plan.set", params: #"{"plan":\#(Self.kept("90"))}"#)
    #expect(rig.received(2)[0].at("params.alerts") == #"[{"meter":"m","threshold":0.85}]"#)
    try rig.call("plan.set", params: #"{"refreshing":true}"#)
    #expect(rig.received(2)[0].at("params.alerts") == nil, "told once")
  }

  @Test(arguments: ["plan.upgrade", "plan.restore"])
  func `what an action brings tells with the event that has the plan`(method: String) throws {
    let handler = ScriptedHandler()
    var plan = try PlanUsage.read(Self.kept("40"))
    plan.upgrade = .value(Upgrade(title: "Up"))
    let rig = PlanRig(plan: plan, handler: handler, restore: handler)
    try rig.call(method)
    handler.succeed(with: try PlanUsage.read(Self.kept("90")).jsonText)
    let events = rig.received(3).filter { $0.at("params.alerts") != nil }
    #expect(events.count == 1)
    #expect(events.first?.at("params.state.plan") != nil)
  }

  @Test func `an alert is merged with what is not read yet`() throws {
    func event(_ revision: Int, _ alerts: [StateEvent.Alert]) -> StateEvent {
      let empty = StateSnapshot(sections: [])
      return StateEvent(plugin: "plan", revision: revision, cause: "set", from: empty, to: empty, alerts: alerts)
    }
    func alert(_ meter: String, _ threshold: String) -> StateEvent.Alert {
      .init(meter: meter, threshold: DecimalNumber(number: threshold)!.jsonText)
    }
    var merged = event(1, [alert("a", "0.5"), alert("b", "0.5")])
    merged.absorb(event(2, []))
    merged.absorb(event(3, [alert("a", "0.85"), alert("c", "1")]))
    #expect(merged.alerts == [alert("b", "0.5"), alert("a", "0.85"), alert("c", "1")])
  }
}
