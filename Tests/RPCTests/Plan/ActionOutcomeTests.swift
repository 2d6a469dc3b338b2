import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// What a person sees, feels and hears of an action's end.
struct ActionOutcomeTests {
  private func outcome(_ action: PlanAction, _ end: HandlerEnd) -> ActionOutcome {
    ActionOutcome(action, end, plan: nil, adapter: "exec", timeout: 60)
  }

  private static func result(_ outcome: ActionResult.Outcome = .completed, restored: Int? = nil) -> HandlerEnd {
    var result = ActionResult(outcome: outcome)
    result.restored = restored
    return .succeeded(result)
  }

  private static func failure(_ message: String?, _ kind: ActionFailure.Kind = .failed) -> HandlerEnd {
    .failed(ActionFailure(message: message, kind: kind))
  }

  @Test(
    arguments: [
      (PlanAction.upgrade, result(), ActionPhase.done, "Upgrade complete"),
      (.restore, result(), .restored, "Purchases restored"),
      (.restore, result(restored: 1), .restored, "Purchases restored"),
      (.restore, result(restored: 12), .restored, "Purchases restored"),
    ] as [(PlanAction, HandlerEnd, ActionPhase, String)])
  func `a success is felt and announced politely`(
    action: PlanAction, end: HandlerEnd, phase: ActionPhase, spoken: String
  ) {
    let outcome = outcome(action, end)
    #expect(outcome.phase == phase)
    #expect(outcome.feedback == .success)
    #expect(outcome.announcement == .init(spoken, .polite))
  }

  @Test(
    arguments: [
      (PlanAction.restore, result(restored: 0), ActionPhase.nothingToRestore, "Nothing to restore"),
      (.upgrade, result(.pending), .pending, "Waiting for approval"),
      (.upgrade, result(.presented), .pending, "Waiting for approval"),
      (.restore, result(.pending), .pending, "Waiting for approval"),
    ] as [(PlanAction, HandlerEnd, ActionPhase, String)])
  func `what is neither good nor bad is announced and not felt`(
    action: PlanAction, end: HandlerEnd, phase: ActionPhase, spoken: String
  ) {
    let outcome = outcome(action, end)
    #expect(outcome.phase == phase && outcome.phase.tone == .secondary)
    #expect(outcome.feedback == nil)
    #expect(outcome.announcement == .init(spoken, .polite))
  }

  private static let upgradeText = "The upgrade didn't go through. Try again."
  private static let restoreText = "Couldn't reach the App Store. Try again."

  @Test(
    arguments: [
      (PlanAction.upgrade, failure("Card declined."), "Card declined."), (.upgrade, failure(nil), upgradeText),
      (.upgrade, failure(""), upgradeText), (.upgrade, failure(" \u{1B}[0m\r\n"), upgradeText),
      (.upgrade, failure("\u{1B}[31mCard\ndeclined.\u{7}\r\n"), "Card declined."),
      (.upgrade, failure("Karte „abgelehnt“ 🚫\u{2028}Bitte"), "Karte „abgelehnt“ 🚫 Bitte"),
      (.upgrade, failure("secret", .handlerGone), upgradeText),
      (.upgrade, failure("Not here", .notAvailable), "Not here"),
      (.upgrade, .stopped(.timeLimit), upgradeText), (.restore, failure(nil), restoreText),
      (.restore, failure("Signed out."), "Signed out."), (.restore, failure(nil, .handlerGone), restoreText),
      (.restore, .stopped(.timeLimit), restoreText),
    ] as [(PlanAction, HandlerEnd, String)])
  func `a failure says its own text or the action's, is felt, and interrupts`(
    action: PlanAction, end: HandlerEnd, text: String
  ) {
    let outcome = outcome(action, end)
    #expect(outcome.phase == .failed(text) && outcome.phase.tone == .danger)
    #expect(outcome.feedback == .error)
    #expect(outcome.announcement == .init(text, .assertive))
    // A time limit says so to the host; the person reads the action's text.
    if case .stopped = end {
      #expect(outcome.error?.message == "timed out")
    } else {
      #expect(outcome.error?.message == text)
    }
  }

  @Test(
    arguments: [.backedOut, .stopped(.cancelled), .stopped(.drained)] as [HandlerEnd],
    [PlanAction.upgrade, .restore, .manage])
  func `who backs out or cancels is left in peace`(end: HandlerEnd, action: PlanAction) {
    let outcome = outcome(action, end)
    #expect(outcome.phase == .idle)
    #expect(outcome.feedback == nil && outcome.announcement == nil)
    if case .backedOut = end { #expect(outcome.result == []) } else { #expect(outcome.error != nil) }
  }

  @Test(
    arguments: [
      result(.presented), result(), result(.pending), failure("No"), failure(nil), failure(nil, .handlerGone),
      .stopped(.timeLimit),
    ] as [HandlerEnd])
  func `managing is neither felt nor announced`(end: HandlerEnd) {
    let outcome = outcome(.manage, end)
    #expect(outcome.feedback == nil && outcome.announcement == nil)
  }

  @Test(arguments: [
    (failure(nil), "Couldn't open subscription management. Try again."), (failure("No browser."), "No browser."),
  ])
  func `a page that cannot be opened is an error with a text`(end: HandlerEnd, text: String) {
    #expect(outcome(.manage, end).error?.message == text)
  }

  @Test func `only a restore says how many purchases came back`() {
    #expect(outcome(.restore, Self.result(restored: 3)).result == [.init("restored", JSONText(integer: 3))])
    #expect(outcome(.restore, Self.result(restored: 0)).result == [.init("restored", JSONText(integer: 0))])
    #expect(outcome(.restore, Self.result()).result == [])
    #expect(outcome(.upgrade, Self.result(restored: 3)).result == [])
  }
}

extension ActionOutcome {
  fileprivate var error: RPCError? {
    if case .error(let error) = answer { error } else { nil }
  }

  /// What the result says beside `outcome`.
  fileprivate var result: [RPCError.Member]? {
    if case .outcome(_, let more) = answer { more } else { nil }
  }
}
