import Glibc

/// What is mounted where, as this process sees it (/proc/self/mountinfo, proc(5)).
public struct MountTable: Sendable {
  /// One mount. Bytes: a path need not be UTF-8.
  public struct Mount: Sendable {
    /// The directory of the file system that is seen there.
    public let root: [UInt8]
    /// Where it is seen.
    public let point: [UInt8]
  }

  private var mounts: [UInt64: Mount] = [:]

  /// Reads the table; empty where that cannot be done.
  public init() {
    for line in readWhole("/proc/self/mountinfo").split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard words.count > 4, let id = UInt64(text: words[0]) else { continue }
      mounts[id] = Mount(root: Self.unescaped(words[3]), point: Self.unescaped(words[4]))
    }
  }

  /// - Parameter id: as in ``FileStatus/mount``.
  public subscript(id: UInt64) -> Mount? { mounts[id] }

  /// The entries of a directory that are mount points or have some below them.
  ///
  /// These are never moved: a mount cannot be put back over what has come to its place meanwhile.
  func entries(of directory: Int32) -> Set<[UInt8]> {
    guard let path = TreeRoot.path(of: directory) else { return [] }
    let prefix = path == [UInt8(ascii: "/")] ? path : path + [UInt8(ascii: "/")]
    let below = mounts.values.filter { $0.point.starts(with: prefix) }
    return Set(below.map { Array($0.point.dropFirst(prefix.count).prefix { $0 != UInt8(ascii: "/") }) })
  }

  /// Blanks, tabs, line ends and backslashes stand there as `\040` and so on.
  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3, let value = UInt64(text: digits, radix: 8) {
        result.append(UInt8(truncatingIfNeeded: value))
        rest = rest.dropFirst(3)
      } else {
        result.append(byte)
      }
    }
    return result
  }
}
