import AccountModel
import RPCShell

/// An action that is being worked on, and the calls that wait for its answer beside the one that started it.
struct ActionRun {
  typealias Answer = Result<JSONText, RPCError>

  /// What it is at.
  enum Step {
    /// Its intent is being written down.
    case starting
    /// Its handler is at work.
    case working
    /// Its end is being written down.
    case ending
  }

  let action: PlanAction
  /// What the journal knows it by.
  private(set) var intent: Intent
  /// What it takes for granted.
  private(set) var basis: IntentBasis
  /// Tells this run from others.
  let number: Int
  /// The plan that it started from.
  let plan: PlanUsage
  let binding: ActionBinding
  /// Of the call that started it.
  let context: CallContext
  var step = Step.starting
  /// Whether it was shown as working.
  var isShown = false
  private var joined: [(ticket: Int, call: CheckedContinuation<Answer, Never>)] = []

  init(
    _ action: PlanAction, _ intent: Intent, on basis: IntentBasis, number: Int, plan: PlanUsage,
    binding: ActionBinding, context: CallContext
  ) {
    self.action = action
    self.intent = intent
    self.basis = basis
    self.number = number
    self.plan = plan
    self.binding = binding
    self.context = context
  }

  /// Says whether it was told to stop: then nobody joins it any more.
  var stop: StopSignal { context.stop }

  /// Makes it the next try of an attempt that the journal knows.
  mutating func goOn(withKey key: String) {
    intent.key = key
    basis.isKeyNew = false
  }

  /// - Parameter ticket: tells the call from others.
  mutating func join(_ ticket: Int, _ call: CheckedContinuation<Answer, Never>) { joined.append((ticket, call)) }

  /// Answers one call before the others; does nothing when it was answered.
  mutating func leave(_ ticket: Int, with answer: Answer) {
    guard let at = joined.firstIndex(where: { $0.ticket == ticket }) else { return }
    joined.remove(at: at).call.resume(returning: answer)
  }

  /// Gives the calls that joined the answer of the first, in the order in which they came.
  func answer(_ answer: Answer) {
    for (_, call) in joined { call.resume(returning: answer) }
  }
}
