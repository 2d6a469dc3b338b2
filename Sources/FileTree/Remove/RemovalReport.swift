/// What a removal came to.
public struct RemovalReport: Sendable, Equatable {
  /// Bytes that are free now: the blocks of files whose last name went, and of folders.
  public var freed = 0
  /// Bytes of files that are gone, but that some process still holds open.
  public var stillOpen = 0
  /// Bytes of what was left alone on purpose.
  public var kept = 0
  /// Bytes of what could not be removed.
  public var failed = 0
  public var removedCount = 0
  public var keptCount = 0
  public var failedCount = 0
  /// The first of what stayed, and why.
  public var problems: [RemovalProblem] = []
  /// Why nothing could be done at all: `errno`.
  public var failure: Int32?
  /// Whether it was told to stop.
  public var isStopped = false
  /// Where things are that could not go back to their place.
  public var leftInTrash: [UInt8]?

  public init() {}

  /// Problems that are kept.
  public static let problemLimit = 100

  /// Whether everything went.
  public var isComplete: Bool { keptCount == 0 && failedCount == 0 && failure == nil && !isStopped }

  /// Adds what happened at another place.
  public mutating func add(_ other: RemovalReport) {
    freed = freed.clampedSum(other.freed)
    stillOpen = stillOpen.clampedSum(other.stillOpen)
    kept = kept.clampedSum(other.kept)
    failed = failed.clampedSum(other.failed)
    removedCount += other.removedCount
    keptCount += other.keptCount
    failedCount += other.failedCount
    problems = Array((problems + other.problems).prefix(Self.problemLimit))
    failure = failure ?? other.failure
    isStopped = isStopped || other.isStopped
    leftInTrash = leftInTrash ?? other.leftInTrash
  }

  /// Notes something that stays.
  mutating func note(_ reason: RemovalProblem.Reason, bytes: Int, _ path: @autoclosure () -> [UInt8]) {
    if case .failed = reason {
      failedCount += 1
      failed = failed.clampedSum(bytes)
    } else {
      keptCount += 1
      kept = kept.clampedSum(bytes)
    }
    if problems.count < Self.problemLimit { problems.append(RemovalProblem(path: path(), reason: reason)) }
  }
}

/// Something that stays.
public struct RemovalProblem: Sendable, Equatable {
  /// Why it stays.
  public enum Reason: Sendable, Equatable {
    /// Somebody holds a lock on it.
    case locked
    /// A socket or a device.
    case endpoint
    /// Something is mounted there.
    case mount
    /// The system refused, with `errno`.
    case failed(Int32)
  }

  /// From the root on; bytes, since a name need not be UTF-8.
  public var path: [UInt8]
  public var reason: Reason

  public init(path: [UInt8], reason: Reason) {
    self.path = path
    self.reason = reason
  }
}

/// What a removal tells, and is told, on its way.
public struct RemovalControl {
  /// Asked often.
  public var isStopped: () -> Bool
  /// Takes entries and bytes so far, at most every 100 ms.
  public var progress: (_ entries: Int, _ bytes: Int) -> Void
  /// Called when a folder that is cleared is empty and can be used again, though not all bytes are free yet.
  public var usable: () -> Void = {}
  /// Called after each step that changes something on disk, for tests that end the process there.
  public var step: () -> Void

  public init(
    isStopped: @escaping () -> Bool = { false },
    progress: @escaping (_ entries: Int, _ bytes: Int) -> Void = { _, _ in }, step: @escaping () -> Void = {}
  ) {
    self.isStopped = isStopped
    self.progress = progress
    self.step = step
  }
}

extension Int {
  /// Stops at the largest number.
  func clampedSum(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
