import CLinux
import Glibc
private import Synchronization

/// Runs everything of one session on one thread: the plugins' actors, their tasks and their timers.
///
/// The thread that calls ``bind()`` owns it; that thread waits for descriptors and runs what is due with
/// ``runJobs()``. Enqueuing and scheduling are allowed from any thread: the only lock of the shell guards the two lists
/// that they share, and an eventfd wakes the owner.
public final class LoopExecutor: SerialExecutor, TaskExecutor, Sendable {
  private struct Queue {
    var jobs: [UnownedJob] = []
    /// Sorted, the next one last.
    var timers: [Timer] = []
  }

  private struct Timer {
    var deadline: MonotonicTime
    var id: UInt64
    var end: @Sendable (TimerEnd) -> Void
  }

  enum TimerEnd { case fired, cancelled }

  private let queue = Locked(Queue())
  /// Jobs and timers that are there: while it is 0, the owner need not take the lock to know that nothing is due.
  private let outstanding = Atomic<Int>(0)
  private let owner = Atomic<UInt>(0)
  private let lastTimer = Atomic<UInt64>(0)
  private let wakeDescriptor: Int32
  let watches = DescriptorWatches()

  public init() { wakeDescriptor = cl_eventfd() }

  deinit { close(wakeDescriptor) }

  /// Whether the process had a descriptor left for other threads to wake the owner.
  var canBeWoken: Bool { wakeDescriptor >= 0 }

  // MARK: The owner's side

  /// Makes the calling thread the owner.
  public func bind() { owner.store(UInt(pthread_self()), ordering: .releasing) }

  /// Waits until one of the descriptors is ready, a job was enqueued or a timer is due. What ``watch(_:for:_:)`` asked for
  /// is called here.
  ///
  /// - Parameter isBusy: only looks, since there is more to do.
  func wait(for set: inout PollSet, isBusy: Bool) {
    set.wake = PollSet.entry(wakeDescriptor, POLLIN)
    set.watches = PollSet.entry(watches.descriptor, POLLIN)
    set.wait(milliseconds: isBusy ? 0 : timeout())
    if set.watches.revents != 0 { watches.callReady() }
    if set.wake.revents != 0 {
      var count: UInt64 = 0
      read(wakeDescriptor, &count, 8)
    }
  }

  /// Milliseconds until the next timer, rounded up; -1 without one, 0 when jobs are there.
  private func timeout() -> Int32 {
    guard outstanding.load(ordering: .acquiring) > 0 else { return -1 }
    let next: MonotonicTime? = queue.withLock { $0.jobs.isEmpty ? $0.timers.last?.deadline : .now }
    guard let next else { return -1 }
    let left = next.nanoseconds.subtractingReportingOverflow(MonotonicTime.now.nanoseconds).partialValue
    return left <= 0 ? 0 : Int32(min((left + 999_999) / 1_000_000, 3_600_000))
  }

  /// Runs the timers that are due and the jobs that are there; jobs that those enqueue wait for the next call.
  /// - Returns: whether there were any.
  @discardableResult
  public func runJobs() -> Bool {
    guard outstanding.load(ordering: .acquiring) > 0 else { return false }
    let (jobs, due) = queue.withLock { queue in
      var due: [Timer] = []
      if !queue.timers.isEmpty {
        let now = MonotonicTime.now
        while let next = queue.timers.last, next.deadline <= now { due.append(queue.timers.removeLast()) }
      }
      let jobs = queue.jobs
      queue.jobs = []
      return (jobs, due)
    }
    outstanding.subtract(jobs.count + due.count, ordering: .releasing)
    for timer in due { timer.end(.fired) }
    for job in jobs {
      job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
    return !jobs.isEmpty || !due.isEmpty
  }

  /// Whether there is anything that ``runJobs()`` would run.
  var hasDue: Bool {
    queue.withLock { queue in !queue.jobs.isEmpty || queue.timers.last.map { $0.deadline <= .now } ?? false }
  }

  // MARK: Any thread's side

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    wake { $0.jobs.append(job) }
  }

  /// A name for a timer, to schedule and to cancel it by.
  func makeTimer() -> UInt64 { lastTimer.add(1, ordering: .relaxed).newValue }

  /// Calls `end` once: on the owner's thread at a time, or on the thread that cancels the timer before.
  func schedule(_ timer: UInt64, at deadline: MonotonicTime, end: @escaping @Sendable (TimerEnd) -> Void) {
    wake { queue in
      let at = queue.timers.firstIndex { $0.deadline < deadline } ?? queue.timers.endIndex
      queue.timers.insert(Timer(deadline: deadline, id: timer, end: end), at: at)
    }
  }

  /// Takes a timer back, if it is scheduled and has not fired.
  func cancel(timer: UInt64) {
    let taken: Timer? = queue.withLock { queue in
      queue.timers.firstIndex { $0.id == timer }.map { queue.timers.remove(at: $0) }
    }
    guard let taken else { return }
    outstanding.subtract(1, ordering: .releasing)
    taken.end(.cancelled)
  }

  /// Adds one job or timer. The owner looks before it waits, so only other threads need to wake it.
  private func wake(_ add: (inout Queue) -> Void) {
    queue.withLock { queue in add(&queue) }
    outstanding.add(1, ordering: .releasing)
    guard !isOwner else { return }
    var one: UInt64 = 1
    write(wakeDescriptor, &one, 8)
  }

  // MARK: Isolation

  private var isOwner: Bool { owner.load(ordering: .acquiring) == UInt(pthread_self()) }

  public func isIsolatingCurrentContext() -> Bool? { isOwner }

  public func checkIsolated() { precondition(isOwner, "not on the session's thread") }
}
