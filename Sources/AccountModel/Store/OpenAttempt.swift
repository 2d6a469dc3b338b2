public import RPCShell

/// An attempt that did not come to a known end: whoever tries again means the same, and gets the same key.
public struct OpenAttempt: Sendable, Equatable {
  /// How long that holds, in seconds.
  private static let lifetime = 86_400.0

  public var intent: Intent
  /// Its session is gone, and nobody wrote down how it ended.
  public var isInterrupted: Bool

  public init(_ intent: Intent, isInterrupted: Bool) {
    self.intent = intent
    self.isInterrupted = isInterrupted
  }

  /// Whether it still counts.
  /// - Parameter now: seconds since 1970-01-01T00:00:00Z.
  public func isFresh(_ now: Double) -> Bool { now - intent.time < Self.lifetime }
}

extension AccountRecord {
  /// The attempt at an action that is open.
  /// - Parameter now: seconds since 1970-01-01T00:00:00Z.
  public func openAttempt(at action: HostAction, now: Double) -> OpenAttempt? {
    let open: OpenAttempt
    if let intent = interrupted.last(where: { $0.action == action }) {
      open = OpenAttempt(intent, isInterrupted: true)
    } else if let newest = newest(action), newest.outcome == .failed {
      open = OpenAttempt(newest.intent, isInterrupted: false)
    } else {
      return nil
    }
    return open.isFresh(now) ? open : nil
  }
}
