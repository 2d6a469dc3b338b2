public import AccountModel
public import RPCShell

/// The built-in adapter for a plan's actions: a catalogue of plans to climb and to price, a store to read again, and a page where
/// subscriptions are managed.
public struct LocalAccount: UpgradePreviewing {
  /// For error data.
  public let adapter = "local"
  /// The plans that can be had, the lowest first; nil where the store is asked for them.
  private let catalogue: [PlanUsage]?
  private let sample: [PlanUsage]
  private let manageURL: String?
  private let store: any AccountStore

  /// - Parameters:
  ///   - catalogue: the plans that can be had, the lowest first; nil takes those that another session was told.
  ///   - sample: what counts where nobody was told any.
  ///   - manageURL: the page that the host opens to manage a subscription.
  ///   - store: what onRestore reads again.
  public init(
    catalogue: [PlanUsage]?, orSample sample: [PlanUsage] = [], manageURL: String? = nil, store: any AccountStore
  ) {
    self.catalogue = catalogue
    self.sample = sample
    self.manageURL = manageURL
    self.store = store
  }

  /// Answers onUpgrade with the catalogue's entry after the plan of the call, onManage with the page, onRestore with the
  /// plan that is kept.
  /// - Throws: ``ActionFailure`` where no entry follows the plan, where no page is known, where the store cannot be read,
  ///   and for other actions.
  public func run(
    _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult {
    try Task.checkCancellation()
    switch call.action {
    case .onUpgrade: return try await upgrade(call)
    case .onManage: return try manage()
    case .onRestore: return try await restore()
    case .onClearCache, .onRemove: throw ActionFailure(message: nil)
    }
  }

  private func upgrade(_ call: ActionCall) async throws -> ActionResult {
    var result = ActionResult()
    result.plan = try await next(call).jsonText
    return result
  }

  /// Prices the catalogue's entry after the plan of the call: paid in full at once, and again when it renews.
  /// - Throws: as for onUpgrade.
  public func previewUpgrade(_ call: ActionCall, host: PluginHost) async throws -> JSONText {
    try Task.checkCancellation()
    let next = try await next(call)
    var preview = UpgradePreview(dueNow: next.price)
    preview.name = next.name
    switch next.status {
    case .renews(let date): preview.nextCharge = UpgradePreview.Charge(price: next.price, on: date)
    case .trial(let date):
      preview.dueNow = .free
      preview.nextCharge = UpgradePreview.Charge(price: next.price, on: date)
    case .ends, .paymentIssue, .noRenewal: break
    }
    return preview.jsonText
  }

  /// The plan that follows the one of a call.
  private func next(_ call: ActionCall) async throws -> PlanUsage {
    guard let text = call.details.first(where: { $0.name == "plan" })?.value else { throw ActionFailure(message: nil) }
    let current = try PlanUsage(checking: JSONDocument(parsing: text).view, path: "plan")
    if let catalogue { return try Self.plan(above: current, in: catalogue) }
    return try Self.plan(above: current, in: try await kept(store.catalogue()) ?? sample)
  }

  private func kept<Value>(_ value: Eventual<Result<Value, StoreFailure>>) async throws(ActionFailure) -> Value {
    do throws(StoreFailure) { return try await value.get().get() } catch {
      throw ActionFailure(message: error.message, data: [RPCError.Member("file", .string(error.file))], kind: .store)
    }
  }

  private func manage() throws(ActionFailure) -> ActionResult {
    guard let manageURL else {
      throw ActionFailure(
        message: "There is no page to manage this subscription: no manageURL is configured", kind: .notAvailable)
    }
    var result = ActionResult(outcome: .presented)
    result.url = manageURL
    return result
  }

  private func restore() async throws -> ActionResult {
    var result = ActionResult()
    result.plan = try await kept(store.load()).plan?.jsonText
    return result
  }

  /// The next plan, with what was used so far and the date of the current one.
  static func plan(above current: PlanUsage, in catalogue: [PlanUsage]) throws(ActionFailure) -> PlanUsage {
    guard let at = catalogue.firstIndex(where: { $0.name.isExactly(current.name) }), at + 1 < catalogue.count
    else {
      throw ActionFailure(message: "No plan follows \(current.name.plainLine.shortened) in the catalogue.")
    }
    var next = catalogue[at + 1]
    if let date = current.status.date { next.status = next.status.dated(date) }
    let used = Dictionary((current.meters.value ?? []).map { (ExactText($0.id), $0.used) }) { first, _ in first }
    if let meters = next.meters.value {
      next.meters = .value(
        meters.map { meter in
          var meter = meter
          if let amount = used[ExactText(meter.id)] { meter.used = amount }
          return meter
        })
    }
    return next
  }
}
