import CLinux
import Glibc

/// What several units take, each by itself and together.
public struct TreeMeasure: Sendable, Equatable {
  /// In the order in which they were given.
  public var units: [TreeSizes]
  /// Bytes on disk of what has no name outside of all units together.
  public var reclaimable: Int
  /// The first places, by their paths, that could not be looked at.
  public var warnings: [TreeWarning]
  /// How many such places there are.
  public var warningCount: Int
  /// Whether everything was looked at. What is mounted in a tree is no part of it.
  public var isComplete: Bool { warningCount == 0 }

  /// Why nothing was measured.
  public enum Failure: Error, Equatable {
    /// The unit with this index cannot be opened or read: that is never no bytes.
    case unreadable(unit: Int, path: [UInt8], code: Int32)
    case stopped
  }

  /// Measures units, by descriptors alone: no link is followed, no mount is entered, however deep a tree is.
  ///
  /// What vanishes meanwhile is not counted; a file with several names counts in the first unit that has one, whatever
  /// the threads do. Some 30 descriptors are open at a time.
  ///
  /// - Parameters:
  ///   - units: none of them inside of another.
  ///   - threads: 1 or 2, the caller's own among them.
  ///   - stop: looked at before every entry.
  ///   - progress: called on the caller's thread with the entries so far, at most every 100 ms.
  public static func measure(
    _ units: [TreeUnit], threads: Int = 2, stop: StopFlag = StopFlag(), progress: ((Int) -> Void)? = nil
  ) throws(Failure) -> TreeMeasure {
    let run = MeasureRun(units, threads: max(1, min(threads, 2)), stop: stop)
    let helper = run.threads > 1 ? HelperThread(run) : nil
    MeasureWalker(run, progress: progress).work()
    helper?.join()
    run.queue.abandoned()?.discard()
    if let (unit, code) = run.queue.failure {
      throw .unreadable(unit: unit, path: units[unit].wholePath, code: code)
    }
    if stop.isStopped { throw .stopped }
    return run.totals.finish()
  }
}

/// What the threads of one measurement share.
final class MeasureRun: Sendable {
  let units: [TreeUnit]
  let threads: Int
  let stop: StopFlag
  let queue: WorkQueue
  let totals: Totals
  let seen = EntryCount()

  init(_ units: [TreeUnit], threads: Int, stop: StopFlag) {
    (self.units, self.threads, self.stop) = (units, threads, stop)
    queue = WorkQueue(units: units.count, threads: threads, stop: stop)
    totals = Totals(units: units.count)
  }
}

extension TreeUnit {
  /// Of the unit itself.
  var wholePath: [UInt8] {
    guard let name else { return path }
    return path + [UInt8(ascii: "/")] + name.dropLast().map { UInt8(bitPattern: $0) }
  }
}

/// A second thread, which handles no signals.
private struct HelperThread {
  private var thread = pthread_t()

  /// - Returns: nil, and the queue knows, where there can be none.
  init?(_ run: MeasureRun) {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, 256 << 10)

    let argument = Unmanaged.passRetained(run)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    let code = pthread_create(
      &thread, &attributes,
      { argument in
        let run = Unmanaged<MeasureRun>.fromOpaque(argument!).takeRetainedValue()
        MeasureWalker(run, progress: nil).work()
        return nil
      }, argument.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    if code != 0 {
      argument.release()
      run.queue.leave()
      return nil
    }
  }

  func join() { pthread_join(thread, nil) }
}
