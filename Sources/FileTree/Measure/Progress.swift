import CLinux
import Glibc

/// Says how far a measurement is, at most every 100 ms.
final class Progress {
  private let report: (Int) -> Void
  private var shown = now

  init(_ report: @escaping (Int) -> Void) { self.report = report }

  func show(_ count: Int) {
    let now = Self.now
    guard now - shown >= 100_000_000 else { return }
    shown = now
    report(count)
  }

  /// In nanoseconds.
  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
