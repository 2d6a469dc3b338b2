import AccountModel
import RPCShell

/// All that the plan block knows. What it shows is a function of this, the time and how the person reads.
struct PlanState: Sendable {
  /// nil while nothing is known.
  var plan: PlanUsage?
  /// A plan is shown and a newer one is being read.
  var isRefreshing = false
  var upgrade = ActionPhase.idle
  /// The offer that was accepted: shown until the checkmark has been held, whatever the plan says by then.
  var acceptedOffer: Upgrade?
  var restore = ActionPhase.idle
  /// Actions for which an adapter was bound, so that the built-in one does not count.
  var customActions: Set<HostAction> = []

  /// - Parameters:
  ///   - now: seconds since 1970-01-01T00:00:00Z.
  ///   - cache: keeps what was formatted for the next call.
  func snapshot(now: Double, _ environment: Environment, cache: inout PlanTextCache) -> StateSnapshot {
    let texts = plan.map { cache.texts(for: $0, now: now, environment) }
    let offer = plan == nil ? nil : acceptedOffer ?? plan?.upgrade.value
    return StateSnapshot(
      sections: [
        StateSection("plan", texts?.plan ?? .null),
        StateSection("loading", .bool(plan == nil)),
        StateSection("refreshing", .bool(isRefreshing)),
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
    let isCustom = customActions.contains(.onManage)
    return JSONText { writer in
      writer.object { section in
        section.member("label", "Manage subscription")
        section.member("visible", plan.map { $0.status != .noRenewal || isCustom } ?? false)
        section.member("custom", isCustom)
      }
    }
  }

  private var restoreSection: JSONText {
    JSONText { writer in
      writer.object { section in
        section.member("label", "Restore purchases")
        section.member("custom", customActions.contains(.onRestore))
        restore.writeMembers(to: &section)
      }
    }
  }
}

extension JSONText {
  fileprivate static func bool(_ value: Bool) -> JSONText { JSONText { $0.bool(value) } }
}
