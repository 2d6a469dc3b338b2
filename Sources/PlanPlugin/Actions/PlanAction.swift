import AccountModel
import RPCShell

/// What a person can do about a plan. The raw value is the method's last part, the section's name and the event's cause.
enum PlanAction: String, Sendable, CaseIterable {
  case upgrade, manage, restore

  /// What the handler is asked to do.
  var hostAction: HostAction {
    switch self {
    case .upgrade: .onUpgrade
    case .manage: .onManage
    case .restore: .onRestore
    }
  }

  /// The action that a handler was asked to do.
  init?(_ hostAction: HostAction) {
    guard let action = Self.allCases.first(where: { $0.hostAction == hostAction }) else { return nil }
    self = action
  }

  /// What the person reads where a failure says nothing of its own.
  var failureText: String {
    switch self {
    case .upgrade: "The upgrade didn't go through. Try again."
    case .manage: "Couldn't open subscription management. Try again."
    case .restore: "Couldn't reach the App Store. Try again."
    }
  }

  /// What the person reads where its intent could not be written down, with the reason behind it.
  var notStartedText: String {
    switch self {
    case .upgrade: "The upgrade wasn't started."
    case .manage: "Subscription management wasn't opened."
    case .restore: "The restore wasn't started."
    }
  }

  /// What stands under it after a session ended in its midst.
  var interruptedText: String { "The \(rawValue) was interrupted. Try again to finish it." }

  /// What it is about, by which a retry is told from another wish: the offer, of an upgrade.
  func digest(of plan: PlanUsage) -> String {
    guard self == .upgrade else { return hostAction.rawValue }
    return JSONText { writer in
      writer.array { parts in
        parts.string(hostAction.rawValue)
        parts.string(plan.name)
        parts.string(plan.upgrade.value?.title ?? "")
      }
    }.description
  }

  /// The label of its row. An upgrade's button has the plan's own words instead.
  var label: String {
    switch self {
    case .upgrade: "Upgrade"
    case .manage: "Manage subscription"
    case .restore: "Restore purchases"
    }
  }

  /// Those that it does not start beside: two that may change what is paid for exclude each other.
  var rivals: [PlanAction] {
    switch self {
    case .upgrade: [.upgrade, .restore]
    case .manage: [.manage]
    case .restore: [.restore, .upgrade]
    }
  }

  /// `An upgrade is already running`
  var busyText: String {
    switch self {
    case .upgrade: "An upgrade is already running"
    case .manage: "Subscription management is already opening"
    case .restore: "A restore is already running"
    }
  }

  /// The first member of every error's data.
  var errorData: [RPCError.Member] { [RPCError.Member("action", .string(rawValue))] }
}
