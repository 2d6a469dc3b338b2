public import AccountModel
public import RPCShell

/// The built-in adapter for a plan's actions: goes up one step in a catalogue of plans.
public struct LocalAccount: ActionHandler {
  /// For error data.
  public let adapter = "local"
  /// The plans that can be had, the lowest first.
  private let catalogue: @Sendable () throws -> [PlanUsage]

  /// - Parameter catalogue: the plans that can be had, the lowest first; asked at each upgrade.
  public init(catalogue: @escaping @Sendable () throws -> [PlanUsage]) { self.catalogue = catalogue }

  /// Answers onUpgrade with the catalogue's entry after the plan of the call.
  /// - Throws: ``ActionFailure`` where no entry follows it, and for other actions.
  public func run(
    _ call: ActionCall, progress: @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult {
    try Task.checkCancellation()
    guard call.action == .onUpgrade, let text = call.details.first(where: { $0.name == "plan" })?.value else {
      throw ActionFailure(message: nil)
    }
    let current = try PlanUsage(checking: JSONDocument(parsing: text).view, path: "plan")
    var result = ActionResult()
    result.plan = try Self.plan(above: current, in: catalogue()).jsonText
    return result
  }

  /// The next plan, with what was used so far and the date of the current one.
  static func plan(above current: PlanUsage, in catalogue: [PlanUsage]) throws(ActionFailure) -> PlanUsage {
    guard let at = catalogue.firstIndex(where: { $0.name == current.name }), at + 1 < catalogue.count else {
      throw ActionFailure(message: "No plan follows \(current.name) in the catalogue.")
    }
    var next = catalogue[at + 1]
    if let date = current.status.date { next.status = next.status.dated(date) }
    let used = Dictionary(uniqueKeysWithValues: (current.meters.value ?? []).map { ($0.id, $0.used) })
    if let meters = next.meters.value {
      next.meters = .value(
        meters.map { meter in
          var meter = meter
          if let amount = used[meter.id] { meter.used = amount }
          return meter
        })
    }
    return next
  }
}
