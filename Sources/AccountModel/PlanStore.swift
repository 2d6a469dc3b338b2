/// Where the plan of an account is kept: the seam behind which memory, a file or a server stands.
///
/// Both are called on the session's thread, and must not wait.
public protocol PlanStore: Sendable {
  /// The plan as it was kept last; nil while nothing is known.
  func plan() -> PlanUsage?
  /// Keeps a plan that the host handed over or an action brought.
  func keep(_ plan: PlanUsage)
}
