import CLinux
import Glibc
private import Synchronization

/// A part of a measurement that one thread does from its beginning to its end.
struct Job {
  enum Work {
    /// All of the unit.
    case unit
    /// Names of directories, each ending with a NUL, that another thread has not come to.
    case directories(UnsafeMutableRawBufferPointer)
    /// A bufferful of entries of a wide directory, as read.
    case entries(UnsafeMutableRawBufferPointer)
  }

  var unit: Int
  /// The directory that the names are in, which is closed at the end of the job; -1 for all of the unit.
  var descriptor: Int32 = -1
  var path: [UInt8] = []
  /// How far below the unit that is.
  var depth = 0
  var work = Work.unit
}

/// Hands out units in their order, and parts of them that a busy thread gives away to one that has nothing to do.
final class WorkQueue: @unchecked Sendable {
  private let lock = Lock()
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let unitCount: Int
  private let stop: StopFlag
  private var isShared: Bool
  private var nextUnit = 0
  private var given: Job?
  private var working: Int
  private var failed: (unit: Int, code: Int32)?
  private let hungry = Atomic(false)
  private let minimum = Atomic(1)

  /// A job of fewer entries was not worth giving away.
  private static let worthwhile = 256

  init(units: Int, threads: Int, stop: StopFlag) {
    (unitCount, working, isShared, self.stop) = (units, threads, threads > 1, stop)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    changed.deallocate()
  }

  /// Whether a job would be taken: one waits at most, so that who comes back finds it.
  @inline(__always)
  var isHungry: Bool { hungry.load(ordering: .relaxed) }

  /// Directories to be seen between two gifts: more when gifts turn out small.
  var patience: Int { minimum.load(ordering: .relaxed) }

  /// The first unit that could not be begun, and why.
  var failure: (unit: Int, code: Int32)? { lock.withLock { failed } }

  /// - Returns: whether somebody will do it; if not, it remains the caller's.
  func give(_ job: Job) -> Bool {
    lock.withLock {
      guard given == nil, failed == nil else { return false }
      given = job
      hungry.store(false, ordering: .relaxed)
      pthread_cond_signal(changed)
      return true
    }
  }

  /// A thread that does not take part after all.
  func leave() {
    lock.withLock {
      working -= 1
      isShared = false
    }
  }

  func fail(unit: Int, code: Int32) {
    lock.withLock {
      if failed.map({ unit < $0.unit }) ?? true { failed = (unit, code) }
    }
  }

  func finished(entries: Int) {
    minimum.store(entries < Self.worthwhile ? min(2 * patience, 4_096) : max(patience / 2, 1), ordering: .relaxed)
  }

  /// Waits for the next job.
  ///
  /// - Parameter meanwhile: called every 100 ms; nil where there is nothing to do.
  /// - Returns: nil when there will be none.
  func next(_ meanwhile: (() -> Void)?) -> Job? {
    lock.withLock {
      working -= 1
      while true {
        let isOver = failed != nil || stop.isStopped
        if !isOver, let job = take() {
          working += 1
          return job
        }
        if isOver || working == 0 {
          pthread_cond_broadcast(changed)
          return nil
        }
        wait(meanwhile)
      }
    }
  }

  private func take() -> Job? {
    defer { hungry.store(isShared && nextUnit == unitCount && given == nil, ordering: .relaxed) }
    if let job = given {
      given = nil
      return job
    }
    guard nextUnit < unitCount else { return nil }
    nextUnit += 1
    return Job(unit: nextUnit - 1)
  }

  private func wait(_ meanwhile: (() -> Void)?) {
    guard let meanwhile else {
      pthread_cond_wait(changed, lock.mutex)
      return
    }
    var until = timespec()
    clock_gettime(CLOCK_REALTIME, &until)
    until.tv_nsec += 100_000_000
    if until.tv_nsec >= 1_000_000_000 {
      until.tv_sec += 1
      until.tv_nsec -= 1_000_000_000
    }
    pthread_cond_timedwait(changed, lock.mutex, &until)
    pthread_mutex_unlock(lock.mutex)
    meanwhile()
    pthread_mutex_lock(lock.mutex)
  }

  /// What nobody has come to, after a failure or a stop.
  func abandoned() -> Job? {
    lock.withLock {
      defer { given = nil }
      return given
    }
  }
}
