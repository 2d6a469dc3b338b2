import AccountModel
import Testing

@testable import PlanPlugin
@testable import RPCShell

/// What moves between two states of the plan block.
struct PlanMotionTests {
  /// The `motion` of the event between two states, as JSON; empty where there is none or no event.
  private func motion(_ old: PlanState, _ new: PlanState, reduceMotion: Bool = false) throws -> String {
    var feed = StateFeed(plugin: "plan", initial: old.snapshot())
    let event = feed.move(to: new.snapshot(), .init(cause: "set"), reduceMotion: reduceMotion)
    return try event?.params.view["motion"]?.text.description ?? ""
  }

  private func metered(_ used: String, of limit: String = "10", warnAt: String = "0.85") throws -> PlanState {
    .showing(try .metered(#""used":\#(used),"limit":\#(limit),"warnAt":\#(warnAt)"#))
  }

  // MARK: Bars

  @Test func `bars fill in their order when the block first has a plan`() throws {
    #expect(
      try motion(PlanState(), .showing(.plus))
        == #"[{"target":"usage/storage","from":0,"to":0.82,"curve":"hero"},{"target":"usage/exports","from":0,"to":0.412,"curve":"hero"}]"#
    )
    let again = PlanState.showing(.plus) { $0.take(nil) }
    #expect(try motion(again, .showing(.plus)) == motion(PlanState(), .showing(.plus)))
  }

  @Test(arguments: [
    ("8.2", "8.4", #"[{"target":"usage/m","from":0.82,"to":0.84,"curve":"smooth"}]"#),
    ("8.4", "8.2", #"[{"target":"usage/m","from":0.84,"to":0.82,"curve":"smooth"}]"#),
    // The fill comes first, then colour and text.
    ("8.2", "8.6", #"[{"target":"usage/m","from":0.82,"to":0.86,"curve":"smooth","then":"level"}]"#),
    ("8.49", "8.5", #"[{"target":"usage/m","from":0.849,"to":0.85,"curve":"smooth","then":"level"}]"#),
    ("8.6", "9.996", #"[{"target":"usage/m","from":0.86,"to":0.9996,"curve":"smooth"}]"#),
    ("9.9", "10", #"[{"target":"usage/m","from":0.99,"to":1,"curve":"smooth","then":"level"}]"#),
    ("8.2", "12", #"[{"target":"usage/m","from":0.82,"to":1,"curve":"smooth","then":"level"}]"#),
    ("12", "0", #"[{"target":"usage/m","from":1,"to":0,"curve":"smooth","then":"level"}]"#),
    // A full bar stays where it is, and so does one whose change nobody sees.
    ("10", "12", ""), ("0.00001", "0.00002", ""), ("8.2", "8.2", ""), ("8.2", "\"8.2\"", ""),
  ])
  func `a bar moves to its new value, and colour and text follow the fill`(
    from: String, to: String, expected: String
  ) throws {
    #expect(try motion(metered(from), metered(to)) == expected)
  }

  @Test func `a level that changes without its bar needs no move`() throws {
    #expect(try motion(metered("8.2"), metered("8.2", warnAt: "0.8")) == "")
  }

  @Test func `a new limit moves the bar`() throws {
    #expect(
      try motion(metered("8.2"), metered("8.2", of: "100"))
        == #"[{"target":"usage/m","from":0.82,"to":0.082,"curve":"smooth"}]"#)
  }

  @Test func `a meter that is new or gets a limit comes from 0, one that leaves or loses it just goes`() throws {
    let comes = #"[{"target":"usage/m","from":0,"to":0.9,"curve":"smooth"}]"#
    #expect(try motion(.showing(.once), metered("9")) == comes)
    #expect(try motion(metered("9", of: "null"), metered("9")) == comes)
    #expect(try motion(.showing(.once), metered("0")) == "")
    #expect(try motion(metered("9"), .showing(.once)) == "")
    #expect(try motion(metered("9"), metered("9", of: "null")) == "")
  }

  // MARK: States

  @Test(arguments: [
    (PlanAction.upgrade, ActionPhase.working), (.upgrade, .done), (.upgrade, .failed("No")), (.upgrade, .pending),
    (.restore, .working), (.restore, .restored), (.restore, .nothingToRestore), (.restore, .failed("No")),
    (.restore, .pending),
  ])
  func `a change of phase cross-fades, there and back`(action: PlanAction, phase: ActionPhase) throws {
    let resting = PlanState.showing(.plus)
    let other = PlanState.showing(.plus) { $0[action] = phase }
    let snappy = #"[{"target":"\#(action.rawValue)","curve":"snappy"}]"#
    #expect(try motion(resting, other) == snappy)
    #expect(try motion(other, resting) == snappy)
    #expect(try motion(other, resting, reduceMotion: true) == snappy.replacing("snappy", with: "fade"))
  }

  @Test func `the button folds away and comes back`() throws {
    let top = try PlanUsage.read(
      PlanLines.plus.replacing(
        #","upgrade":{"title":"Upgrade to Studio","detail":"100 GB and more exports"}"#, with: ""))
    let snappy = #"[{"target":"upgrade","curve":"snappy"}]"#
    #expect(try motion(.showing(.plus), .showing(top)) == snappy)
    #expect(try motion(.showing(top), .showing(.plus)) == snappy)
  }

  @Test func `words, refreshing and progress alone move nothing`() throws {
    let resting = PlanState.showing(.plus)
    #expect(try motion(resting, .showing(.plus) { $0.isRefreshing = true }) == "")
    let renamed = try PlanUsage.read(PlanLines.plus.replacing("Plus", with: "More").replacing("9.99", with: "8.99"))
    #expect(try motion(resting, .showing(renamed)) == "")
    let working = PlanState.showing(.plus) { $0.upgrade = .working }
    let further = PlanState.showing(.plus) {
      $0.upgrade = .working
      $0.upgrade.report(ActionProgress(fraction: 0.5, message: "Half"))
    }
    #expect(try motion(working, further) == "")
  }

  // MARK: Less motion

  @Test func `with less motion bars are placed and states fade`() throws {
    #expect(
      try motion(PlanState(), .showing(.plus), reduceMotion: true)
        == #"[{"target":"usage/storage","from":0.82,"to":0.82,"curve":"fade"},{"target":"usage/exports","from":0.412,"to":0.412,"curve":"fade"}]"#
    )
    #expect(
      try motion(metered("8.2"), metered("8.6"), reduceMotion: true)
        == #"[{"target":"usage/m","from":0.86,"to":0.86,"curve":"fade","then":"level"}]"#)
    #expect(
      try motion(.showing(.plus), .showing(.top), reduceMotion: true)
        == #"[{"target":"usage/storage","from":0.082,"to":0.082,"curve":"fade"},{"target":"usage/exports","from":0.0824,"to":0.0824,"curve":"fade"},{"target":"upgrade","curve":"fade"}]"#
    )
  }

  @Test func `what is shown is the same with less motion`() {
    for state in [PlanState(), .showing(.plus), .showing(.top)] {
      #expect(state.snapshot(Environment(reduceMotion: true)) == state.snapshot())
    }
  }
}
