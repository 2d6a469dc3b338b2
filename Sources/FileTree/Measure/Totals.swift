import CLinux
import Glibc

/// What all threads of a measurement have found, behind a lock that they take for files with several names and at the end
/// of a job.
final class Totals: @unchecked Sendable {
  private let lock = Lock()
  private var sizes: [TreeSizes]
  private var reclaimable = 0
  private var links = LinkTable()
  private var warnings = Warnings()

  init(units: Int) { sizes = Array(repeating: TreeSizes(), count: units) }

  /// Adds what a job has found in a unit; what of it is reclaimable is so for all units together.
  func add(_ more: TreeSizes, warnings: borrowing Warnings, unit: Int) {
    lock.withLock {
      sizes[unit] += more
      reclaimable.add(more.reclaimable)
      self.warnings.add(warnings)
    }
  }

  /// Counts one more name of a file that has several.
  func addLink(_ status: cl_status, unit: Int) {
    lock.withLock {
      let (link, other) = links.see(status, unit: Int32(unit))
      if let other { sizes[Int(other)].hasSharedLinks = true }
      if link.isShared { sizes[unit].hasSharedLinks = true }
      if link.isWhole {
        settle(link)
        reclaimable.add(link.allocated)
        if !link.isShared { sizes[Int(link.unit)].reclaimable.add(link.allocated) }
      }
    }
  }

  private func settle(_ link: LinkTable.Link) {
    sizes[Int(link.unit)].allocated.add(link.allocated)
    sizes[Int(link.unit)].apparent.add(link.apparent)
  }

  /// The end: files that have names elsewhere belong to the first unit that has one, and removing that frees nothing.
  func finish() -> TreeMeasure {
    lock.withLock {
      links.forEach { link in
        settle(link)
        sizes[Int(link.unit)].hasSharedLinks = true
      }
      return TreeMeasure(
        units: sizes, reclaimable: reclaimable, warnings: warnings.first, warningCount: warnings.count)
    }
  }
}

/// The first warnings in the order of their paths, and how many there are.
struct Warnings {
  private static let limit = 100
  private var all: [TreeWarning] = []
  private(set) var count = 0

  var first: [TreeWarning] { Array(all.sorted(by: TreeWarning.precedes).prefix(Self.limit)) }

  mutating func add(_ warning: TreeWarning) {
    count += 1
    all.append(warning)
    if all.count >= 2 * Self.limit { all = first }
  }

  mutating func add(_ others: borrowing Warnings) {
    guard others.count > 0 else { return }
    count += others.count
    all += others.all
    all = first
  }
}

/// A POSIX mutex.
final class Lock: @unchecked Sendable {
  fileprivate(set) var mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() { pthread_mutex_init(mutex, nil) }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  @inline(__always)
  func withLock<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
