import AccountModel
import RPCShell

/// What the plan block does because time passes: checkmarks end, days begin.
extension PlanPlugin {
  /// A checkmark that stays for a moment.
  struct Hold {
    let action: PlanAction
    let task: Task<Void, Never>
  }

  // MARK: Holds

  /// Keeps the checkmark of an action for a moment; while the session ends, for none.
  func startHold(of action: PlanAction) {
    endHold(of: action)
    let length = isSettling ? .zero : action == .restore ? settings.restoreHold : settings.upgradeHold
    let clock = host.clock
    let task = Task(executorPreference: executor) {
      try? await clock.sleep(for: length)
      await self.holdIsOver(action)
    }
    holds.append(Hold(action: action, task: task))
  }

  /// Drops a hold whose end would come too late.
  func endHold(of action: PlanAction) {
    guard let at = holds.firstIndex(where: { $0.action == action }) else { return }
    holds.remove(at: at).task.cancel()
  }

  /// Asked on the actor, so that no new attempt comes between the question and the end.
  private func holdIsOver(_ action: PlanAction) {
    guard !Task.isCancelled else { return }
    endHold(of: action)
    state[action] = .idle
    if action == .upgrade { state.acceptedOffer = nil }
    publish(StateFeed.Transition(cause: action.rawValue))
  }

  // MARK: Days

  /// Days begin, and clocks are set forward and back, at these seconds only, in every zone there is today.
  private static let quarterOfHour = 900.0

  /// Has texts that depend on the day follow it while nobody asks. The time of day is looked at again each quarter of an
  /// hour, because it may jump (a machine that slept, a clock that was set) where the clock that is waited on does not.
  func watchDay() {
    let clock = host.clock
    let left = Self.quarterOfHour - host.now().truncatingRemainder(dividingBy: Self.quarterOfHour)
    dayWatch = Task(executorPreference: executor) {
      guard (try? await clock.sleep(for: .seconds(left))) != nil else { return }
      await self.lookAtDay()
    }
  }

  private func lookAtDay() {
    guard !Task.isCancelled else { return }
    watchDay()
    prepare()
  }
}
