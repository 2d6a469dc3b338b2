import Glibc

/// A moment of the monotonic clock (clock_gettime(2), CLOCK_MONOTONIC) in nanoseconds.
///
/// Not `ContinuousClock.Instant`: types that hold one are laid out at run time, which start-up and every access pay for.
public struct MonotonicTime: InstantProtocol {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Durations beyond 292 years end there.
  public func advanced(by duration: Duration) -> MonotonicTime {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = nanoseconds.addingReportingOverflow(whole)
    guard !overflow, !carry else { return MonotonicTime(nanoseconds: seconds < 0 ? .min : .max) }
    let (moment, wrapped) = sum.addingReportingOverflow(attoseconds / 1_000_000_000)
    return MonotonicTime(nanoseconds: wrapped ? (sum < 0 ? .min : .max) : moment)
  }

  public func duration(to other: MonotonicTime) -> Duration { .nanoseconds(other.nanoseconds &- nanoseconds) }

  public static func < (one: MonotonicTime, other: MonotonicTime) -> Bool { one.nanoseconds < other.nanoseconds }
}
