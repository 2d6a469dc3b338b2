/// One thing whose size is wanted by itself.
public struct TreeUnit: Sendable {
  let directory: Int32
  /// Ends with a NUL; nil for everything in the directory.
  let name: [CChar]?
  /// As warnings begin.
  let path: [UInt8]

  /// What is in a directory. The directory's own blocks do not count: nothing in it is 0 bytes.
  ///
  /// - Parameters:
  ///   - directory: an open descriptor, which stays the caller's and must stay open.
  ///   - path: how warnings name it.
  public static func content(of directory: Int32, path: String) -> TreeUnit {
    TreeUnit(directory: directory, name: nil, path: Array(path.utf8))
  }

  /// One entry of a directory and all that is in it. One that is gone has no entries and no bytes.
  ///
  /// - Parameters:
  ///   - name: without a NUL; need not be UTF-8.
  ///   - directory: an open descriptor, which stays the caller's and must stay open.
  ///   - path: how warnings name the directory.
  public static func entry(_ name: [UInt8], of directory: Int32, path: String) -> TreeUnit {
    TreeUnit(directory: directory, name: name.map { CChar(bitPattern: $0) } + [0], path: Array(path.utf8))
  }
}

/// What a unit takes.
///
/// A sum that an `Int` cannot say is the largest there is: sparse files of 8 EiB exist.
public struct TreeSizes: Sendable, Equatable {
  /// Bytes on disk. An inode with several names counts once, in the first unit that has one of them. Extents that files
  /// share otherwise (reflinks) count in each.
  public var allocated = 0
  /// Bytes as a reader of the files counts them; the targets of links as long as they are written.
  public var apparent = 0
  /// Bytes on disk of what has no name outside of this unit: what removing it would free.
  public var reclaimable = 0
  /// Names that were seen, those of directories included.
  public var entries = 0
  /// Whether a file here has a name outside of this unit, too.
  public var hasSharedLinks = false

  /// Nothing.
  public init() {}

  /// Adds what another unit of the same measure takes.
  public static func += (sizes: inout TreeSizes, more: TreeSizes) {
    sizes.allocated.add(more.allocated)
    sizes.apparent.add(more.apparent)
    sizes.reclaimable.add(more.reclaimable)
    sizes.entries.add(more.entries)
    sizes.hasSharedLinks = sizes.hasSharedLinks || more.hasSharedLinks
  }
}

extension Int {
  /// Adds what is not negative, up to the largest there is.
  @inline(__always)
  mutating func add(_ more: Int) {
    let (sum, isOver) = addingReportingOverflow(more)
    self = isOver ? .max : sum
  }
}

/// A place that could not be looked at: the sizes are too small by what is there.
public struct TreeWarning: Sendable, Equatable {
  /// The unit's path and what comes below it, in bytes, which need not be UTF-8.
  public var path: [UInt8]
  /// `errno`.
  public var code: Int32

  /// A warning about one place.
  public init(path: [UInt8], code: Int32) {
    self.path = path
    self.code = code
  }

  static func precedes(_ one: TreeWarning, _ other: TreeWarning) -> Bool {
    one.path == other.path ? one.code < other.code : one.path.lexicographicallyPrecedes(other.path)
  }
}
