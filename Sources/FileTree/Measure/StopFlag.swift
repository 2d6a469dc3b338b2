private import Synchronization

/// Says from any thread that work should end.
public final class StopFlag: Sendable {
  private let flag = Atomic(false)

  /// Nobody has said so yet.
  public init() {}

  /// Whether it was said.
  @inline(__always)
  public var isStopped: Bool { flag.load(ordering: .relaxed) }

  /// Says so; to say it again changes nothing.
  public func stop() { flag.store(true, ordering: .relaxed) }
}
