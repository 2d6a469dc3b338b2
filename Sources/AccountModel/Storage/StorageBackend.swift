public import RPCShell

/// Measures what an app keeps on disk: the seam behind which the file system stands.
///
/// All functions may be called on the session's thread and do their waiting elsewhere. Cancelling the task of a call ends
/// it at once, with `CancellationError`.
public protocol StorageBackend: Sendable {
  /// Whether ``waitForChange()`` notices what others change.
  var isWatching: Bool { get }

  /// Measures everything anew.
  ///
  /// - Parameter progress: called on the session's thread, at most every 100 ms.
  /// - Throws: ``StorageFailure`` where a root cannot be read: that is never no bytes.
  func measure(progress: @escaping @Sendable (ActionProgress) -> Void) async throws -> StorageMeasure

  /// Brings the newest measure up to date after a change, at a cost that follows the change where that is possible.
  ///
  /// - Parameter download: the id of one that was removed, or tried to be; nil looks at what was noticed.
  /// - Throws: ``StorageFailure``.
  func update(after download: String?) async throws -> StorageUpdate

  /// Waits until something has changed since the newest measure or update.
  func waitForChange() async throws

  /// What a removal would take, without touching anything.
  /// - Throws: ``StorageFailure`` where that cannot be said.
  func preview(_ target: RemovalTarget) async throws -> RemovalPreview
}

/// What is to be removed.
public enum RemovalTarget: Sendable, Equatable {
  case cache
  case download(id: String)
}

/// All that a measure comes to.
public struct StorageMeasure: Sendable, Equatable {
  /// Bytes on disk; free space is not measured.
  public var usage: StorageUsage
  public var totals: StorageTotals

  public init(usage: StorageUsage, totals: StorageTotals) {
    self.usage = usage
    self.totals = totals
  }
}

/// What a measure says beside the parts.
public struct StorageTotals: Sendable, Equatable {
  /// Bytes as a reader of the files counts them.
  public var apparentBytes: Int
  /// Bytes of files that have no name outside of what was measured: what removing everything would free.
  public var reclaimableBytes: Int
  /// What could not be looked at, the first of it: the figures are too small by that.
  public var warnings: [StorageWarning]
  /// Whether everything was looked at.
  public var isComplete: Bool

  public init(
    apparentBytes: Int, reclaimableBytes: Int, warnings: [StorageWarning] = [], isComplete: Bool = true
  ) {
    self.apparentBytes = apparentBytes
    self.reclaimableBytes = reclaimableBytes
    self.warnings = warnings
    self.isComplete = isComplete
  }
}

/// A place that could not be looked at, and why.
public struct StorageWarning: Sendable, Equatable {
  /// As a person reads it: bytes that are not UTF-8 are replaced.
  public var path: String
  /// `Permission denied`
  public var message: String

  public init(path: String, message: String) {
    self.path = path
    self.message = message
  }
}

/// What changed since the newest measure.
public enum StorageUpdate: Sendable, Equatable {
  /// The change could not be told apart: all of it.
  case whole(StorageMeasure)
  case parts(StorageChanges)
}

/// Changes to a usage, with what they are not about left out.
public struct StorageChanges: Sendable, Equatable {
  /// Downloads as they are now; an unknown id is a new one, which comes last.
  public var downloads: [Download] = []
  /// Ids of downloads that are gone.
  public var removed: [String] = []
  public var cache: Int?
  public var photos: Int?
  public var other: Int?
  public var totals: StorageTotals

  public init(totals: StorageTotals) { self.totals = totals }
}

/// What a removal would take.
public struct RemovalPreview: Sendable, Equatable {
  /// Bytes that would be free.
  public var bytes: Int
  /// Everything that would go.
  public var entries: [Entry]
  /// What would stay, and why.
  public var kept: [StorageWarning]

  public init(bytes: Int, entries: [Entry], kept: [StorageWarning] = []) {
    self.bytes = bytes
    self.entries = entries
    self.kept = kept
  }

  /// A file, a link or a directory (whose path ends with `/`).
  public struct Entry: Sendable, Equatable {
    /// Absolute, as a person reads it.
    public var path: String
    /// The path's bytes where they are not UTF-8.
    public var exactPath: [UInt8]?
    /// Bytes that would be free; 0 for what has other names.
    public var bytes: Int

    public init(path: String, exactPath: [UInt8]? = nil, bytes: Int) {
      self.path = path
      self.exactPath = exactPath
      self.bytes = bytes
    }
  }
}
