import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// How the sections of actions follow their phases.
struct PlanPhaseTests {
  private static let members: [(ActionPhase, String)] = [
    (.idle, #""phase":"idle","progress":null,"message":null,"tone":null"#),
    (.working, #""phase":"working","progress":null,"message":null,"tone":null"#),
    (.done, #""phase":"done","progress":null,"message":null,"tone":null"#),
    (.failed("Card declined."), #""phase":"failed","progress":null,"message":"Card declined.","tone":"danger""#),
    (.pending, #""phase":"pending","progress":null,"message":"Waiting for approval","tone":"secondary""#),
    (.restored, #""phase":"done","progress":null,"message":"Purchases restored","tone":"success""#),
    (.nothingToRestore, #""phase":"done","progress":null,"message":"Nothing to restore","tone":"secondary""#),
  ]

  @Test(arguments: members)
  func `a section says where its action stands`(phase: ActionPhase, members: String) {
    let upgrading = PlanState.showing(.plus) { $0.upgrade = phase }
    #expect(
      upgrading.section("upgrade")
        == #"{"title":"Upgrade to Studio","detail":"100 GB and more exports",\#(members)}"#)
    #expect(upgrading.section("restore") == PlanState.showing(.plus).section("restore"))
    let restoring = PlanState.showing(.plus) { $0.restore = phase }
    #expect(restoring.section("restore") == #"{"label":"Restore purchases","custom":false,\#(members)}"#)
    #expect(restoring.section("upgrade") == PlanState.showing(.plus).section("upgrade"))
  }

  @Test(arguments: members)
  func `on the top plan there is no button, whatever the phase`(phase: ActionPhase, _: String) {
    let state = PlanState.showing(.top) { $0.upgrade = phase }
    #expect(state.section("upgrade") == "null")
    #expect(state.snapshot().phases.first == .init(target: "upgrade", value: nil))
  }

  @Test(arguments: [
    (#"{"title":"Go"}"#, #"{"title":"Go","detail":null,"#),
    (#"{"title":"Go","detail":null}"#, #"{"title":"Go","detail":null,"#),
    (#"{"title":"Jetzt „Größe“","detail":"a\"b"}"#, #"{"title":"Jetzt „Größe“","detail":"a\"b","#),
  ])
  func `the button has the plan's own words`(offer: String, start: String) throws {
    let plan = try PlanUsage.read(
      #"{"name":"P","price":{"free":true},"status":{"noRenewal":true},"upgrade":\#(offer)}"#)
    #expect(PlanState.showing(plan).section("upgrade")?.hasPrefix(start) == true)
  }

  @Test func `the accepted offer keeps its checkmark while the new plan is shown`() {
    var state = PlanState.showing(.plus)
    state.acceptedOffer = PlanUsage.plus.upgrade.value
    state.upgrade = .done
    state.take(.top)
    #expect(state.section("summary")?.hasPrefix(#"{"name":"Studio""#) == true)
    #expect(
      state.section("upgrade")
        == #"{"title":"Upgrade to Studio","detail":"100 GB and more exports","phase":"done","progress":null,"message":null,"tone":null}"#
    )
    state.upgrade = .idle
    state.acceptedOffer = nil
    #expect(state.section("upgrade") == "null")
  }

  // MARK: What ends a phase

  @Test(arguments: members.map(\.0))
  func `a new plan ends what was said of the last attempts, and nothing else`(phase: ActionPhase) {
    let lasting = phase.name == .failed || phase.name == .pending
    #expect(phase.isLasting == lasting)
    for action in [PlanAction.upgrade, .restore] {
      var state = PlanState.showing(.plus)
      state[action] = phase
      state.take(.plus)
      #expect(state[action] == phase)
      state.take(.once)
      #expect(state[action] == (lasting ? .idle : phase))
    }
  }

  @Test(arguments: members.map(\.0))
  func `waving a message away ends a failure and a wait, and nothing else`(phase: ActionPhase) {
    var state = PlanState.showing(.plus) {
      $0.upgrade = phase
      $0.restore = phase
    }
    state.dismiss(.upgrade)
    #expect(state.upgrade == (phase.isLasting ? .idle : phase) && state.restore == phase)
    state.dismiss(.manage)
    #expect(state.restore == phase)
  }

  // MARK: On the way

  @Test(
    arguments: [
      (0.4, "Waiting for the bank", "0.4", #""Waiting for the bank","tone":"secondary""#),
      (0, nil, "0", #"null,"tone":null"#), (1, nil, "1", #"null,"tone":null"#), (-0.5, nil, "0", #"null,"tone":null"#),
      (7, nil, "1", #"null,"tone":null"#), (.nan, nil, "null", #"null,"tone":null"#),
      (.infinity, nil, "null", #"null,"tone":null"#), (nil, "", "null", #"null,"tone":null"#),
      (nil, " \u{1B}[0m\n", "null", #"null,"tone":null"#),
      (nil, "One\nline\u{7} \u{1B}[31mred", "null", #""One line red","tone":"secondary""#),
    ] as [(Double?, String?, String, String)])
  func `a report shows how far it is, on one line`(
    fraction: Double?, message: String?, progress: String, shown: String
  ) {
    var phase = ActionPhase.working
    phase.report(ActionProgress(fraction: fraction, message: message))
    let state = PlanState.showing(.plus) { $0.upgrade = phase }
    #expect(
      state.section("upgrade")?.hasSuffix(#""phase":"working","progress":\#(progress),"message":\#(shown)}"#) == true)
  }

  @Test func `a report's message stays until the next one`() {
    var phase = ActionPhase.working
    phase.report(ActionProgress(fraction: 0.1, message: "Waiting for the bank"))
    phase.report(ActionProgress(fraction: 0.2))
    #expect(phase.progress == 0.2 && phase.message == "Waiting for the bank" && phase.tone == .secondary)
    phase.report(ActionProgress(fraction: nil, message: "Almost there"))
    #expect(phase.progress == nil && phase.message == "Almost there")
  }

  @Test func `an upgrade's checkmark stays for a moment, a restore's line for a few seconds`() {
    #expect(PlanPlugin.Settings().upgradeHold == .milliseconds(1200))
    #expect(PlanPlugin.Settings().restoreHold == .seconds(3))
  }
}
