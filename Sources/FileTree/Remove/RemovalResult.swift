import CLinux
import Glibc

/// What a removal came to, or would.
public struct RemovalResult: Sendable {
  /// A number of entries and their bytes on disk.
  public struct Amount: Sendable, Equatable {
    public var entries = 0
    public var bytes = 0

    mutating func add(_ more: Int) {
      entries += 1
      bytes += more
    }
  }

  /// Gone, and their bytes are free: what has other names counts as an entry, with no bytes.
  public var freed = Amount()
  /// Gone, but a process holds them open: their bytes get free when it lets go.
  public var inUse = Amount()
  /// Left alone on purpose.
  public var kept = Amount()
  /// What could not be removed.
  public var failed = Amount()
  /// Why entries stayed, the first hundred of them.
  public var problems: [RemovalProblem] = []
  /// Paths of what could neither be removed nor put back: where it is now.
  public var leftInTrash: [[UInt8]] = []
  /// Whether it was stopped before its end.
  public var wasStopped = false
  /// Whether a trash was left alone since another process is at work in it.
  public var isBusy = false
  /// Whether the open files of all processes could be looked at. If not, some of what counts as freed may be in use.
  public var sawAllProcesses = true
  /// The root as it is now: clearing may have put a new directory in its place.
  public var root: TreeRoot

  init(root: TreeRoot) { self.root = root }

  /// Problems beyond these are only counted.
  static let problemLimit = 100
}

/// An entry that stayed.
public struct RemovalProblem: Sendable, Equatable {
  /// Below the root; empty for the root itself. Bytes: a name need not be UTF-8.
  public var path: [UInt8]
  public var reason: StayReason
}

/// Why an entry stays.
public enum StayReason: Sendable, Equatable {
  /// Something is mounted there.
  case mount
  /// A process holds a lock on it.
  case locked
  case socket
  case device
  /// Trying failed, or would, with this `errno`.
  case failed(Int32)

  /// Whether it stays against the caller's wish, and not to be on the safe side.
  public var isFailure: Bool {
    if case .failed = self { true } else { false }
  }
}

/// How a removal talks to who asked for it. The functions are called on the thread that removes.
public struct RemovalControl {
  /// Asked at every entry: whether to end now, and put back what is still there.
  public var shouldStop: () -> Bool
  /// Called at most every 100 ms with what is gone.
  public var progress: (RemovalResult.Amount) -> Void
  /// The names of files with several that previews have gone through: one control for the previews of several roots
  /// tells what removing them all would free.
  let previewed = PreviewedLinks()
  /// Called before every change to the file system: tests end the process here.
  package var beforeChange: (() -> Void)?
  /// Called when a root that is cleared is empty and can be used again, though its bytes are not free yet.
  package var whenUsable: (() -> Void)?
  /// Nanoseconds of a clock that never goes back.
  package var now: () -> Int = {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  public init(
    shouldStop: @escaping () -> Bool = { false }, progress: @escaping (RemovalResult.Amount) -> Void = { _ in }
  ) {
    self.shouldStop = shouldStop
    self.progress = progress
  }
}

/// How many names of each file with several were gone through.
final class PreviewedLinks {
  private var counts: [FileIdentity: UInt32] = [:]

  /// - Returns: how many it has been with this one.
  func add(_ file: FileIdentity) -> UInt32 {
    counts[file, default: 0] += 1
    return counts[file]!
  }
}

/// One entry as a preview sees it, valid during the call.
public struct RemovalPreviewEntry {
  /// Below the root. Bytes: a name need not be UTF-8.
  public let path: UnsafeRawBufferPointer
  public let kind: FileStatus.Kind
  /// Bytes that would be free; 0 for what has other names, and for what a process holds open.
  public let bytes: Int
  /// Why it stays; nil where it goes.
  public let reason: StayReason?
}
