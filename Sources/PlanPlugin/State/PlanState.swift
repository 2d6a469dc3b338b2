import AccountModel
import RPCShell

/// All that the plan block knows. What it shows is a function of this, the time and how the person reads.
struct PlanState: Sendable {
  /// nil while nothing is known.
  private(set) var plan: PlanUsage?
  /// The plan as JSON. Plans are told apart by it, since strings that only look the same would count as equal.
  private var planText = JSONText.null
  /// When the plan was read, where whoever handed it over said so.
  private(set) var asOf: DateValue?
  /// The newest of those times since anything was known: what is older is not news.
  private var newestAsOf: DateValue?
  /// The plan is the last good copy: what is known now could not be read.
  var isStale = false
  private var alertWatch = AlertWatch()
  /// What is to be told with the next event.
  private var alerts: [StateEvent.Alert] = []
  /// A newer plan is being read.
  var isRefreshing = false
  var upgrade = ActionPhase.idle
  /// The offer that was accepted: shown until its checkmark has been held or its message is gone, whatever the plan says
  /// by then.
  var acceptedOffer: Upgrade?
  var restore = ActionPhase.idle
  /// Whether somebody else than the built-in adapter does these.
  var isManageCustom = false
  var isRestoreCustom = false

  /// The phase of an action; managing a subscription has none.
  subscript(action: PlanAction) -> ActionPhase {
    get {
      switch action {
      case .upgrade: upgrade
      case .restore: restore
      case .manage: .idle
      }
    }
    set {
      switch action {
      case .upgrade: upgrade = newValue
      case .restore: restore = newValue
      case .manage: return
      }
    }
  }

  // MARK: Changes

  /// Takes over a value of the plan. When it differs from the one before, what the person was told of the last attempts
  /// is over.
  ///
  /// - Parameters:
  ///   - asOf: when it was read, where somebody says so.
  ///   - day: the day of an instant in the person's time zone.
  mutating func take(
    _ plan: PlanUsage?, asOf: DateValue? = nil, day: (Int) -> Day = { Day(at: $0, secondsFromUTC: 0) }
  ) {
    let text = plan?.jsonText ?? .null
    let isNew = text != planText
    if isNew || asOf != nil { self.asOf = plan == nil ? nil : asOf }
    // Without a plan and a time everything is open again.
    newestAsOf = plan == nil ? asOf : newest(asOf, day)
    guard isNew else { return }
    self.plan = plan
    planText = text
    alerts.absorb(alertWatch.take(plan))
    dismiss(.upgrade)
    dismiss(.restore)
    // A checkmark belongs to the plan that it came with.
    guard plan == nil, upgrade == .done else { return }
    upgrade = .idle
    acceptedOffer = nil
  }

  /// What was known so far is as of now, if anybody says when plans were read.
  /// - Parameter now: seconds since 1970-01-01T00:00:00Z.
  mutating func noteNewest(at now: Double, day: (Int) -> Day) {
    if let newestAsOf { self.newestAsOf = newestAsOf.later(DateValue(at: now), day: day) }
  }

  /// The thresholds that meters have passed since this was asked last.
  mutating func takeAlerts() -> [StateEvent.Alert] {
    defer { alerts = [] }
    return alerts
  }

  private func newest(_ asOf: DateValue?, _ day: (Int) -> Day) -> DateValue? {
    guard let asOf, let newestAsOf else { return asOf ?? newestAsOf }
    return newestAsOf.later(asOf, day: day)
  }

  /// Whether a value that was read then is older than what was known already.
  /// - Parameter day: the day of an instant in the person's time zone.
  func isOlder(_ asOf: DateValue, day: (Int) -> Day) -> Bool {
    newestAsOf.map { asOf.isEarlier(than: $0, day: day) } ?? false
  }

  /// Whether this plan is the one that is known already.
  func shows(_ plan: PlanUsage) -> Bool { plan.jsonText == planText }

  /// Clears the message of an attempt that failed or waits for approval.
  mutating func dismiss(_ action: PlanAction) {
    guard self[action].isLasting else { return }
    self[action] = .idle
    if action == .upgrade { acceptedOffer = nil }
  }

  // MARK: What is shown

  /// - Parameters:
  ///   - now: seconds since 1970-01-01T00:00:00Z.
  ///   - cache: keeps what was formatted for the next call.
  func snapshot(now: Double, _ environment: Environment, cache: inout PlanTextCache) -> StateSnapshot {
    let texts = plan.map { cache.texts(for: $0, planText, asOf: asOf, isStale: isStale, now: now, environment) }
    let offer = plan == nil ? nil : acceptedOffer ?? plan?.upgrade.value
    return StateSnapshot(
      sections: [
        StateSection("plan", planText),
        StateSection("loading", .bool(plan == nil)),
        StateSection("refreshing", .bool(isRefreshing && plan != nil)),
        StateSection("summary", texts?.summary ?? .null),
        StateSection("usage", texts?.usage ?? .null),
        StateSection("upgrade", offer.map(upgradeSection) ?? .null),
        StateSection("manage", manageSection),
        StateSection("restore", restoreSection),
        StateSection("locale", .string(environment.locale)),
        StateSection("timeZone", .string(environment.timeZone)),
      ],
      figures: texts?.figures ?? [],
      phases: [
        StateSnapshot.Phase(target: "upgrade", value: offer == nil ? nil : upgrade.name.rawValue),
        StateSnapshot.Phase(target: "restore", value: restore.name.rawValue),
      ],
      isLoading: plan == nil)
  }

  /// Whether there is a subscription to manage, or somebody else than the built-in adapter who knows better.
  var isManageVisible: Bool { plan.map { $0.status != .noRenewal || isManageCustom } ?? false }

  private func upgradeSection(_ offer: Upgrade) -> JSONText {
    JSONText { writer in
      writer.object { section in
        section.member("title", offer.title)
        section.member("detail", offer.detail.value)
        upgrade.writeMembers(to: &section)
      }
    }
  }

  private var manageSection: JSONText {
    JSONText { writer in
      writer.object { section in
        section.member("label", PlanAction.manage.label)
        section.member("visible", isManageVisible)
        section.member("custom", isManageCustom)
      }
    }
  }

  private var restoreSection: JSONText {
    JSONText { writer in
      writer.object { section in
        section.member("label", PlanAction.restore.label)
        section.member("custom", isRestoreCustom)
        restore.writeMembers(to: &section)
      }
    }
  }
}

extension JSONText {
  fileprivate static func bool(_ value: Bool) -> JSONText { JSONText { $0.bool(value) } }
}
