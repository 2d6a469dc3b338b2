import Glibc

/// What is mounted below a directory, as this process sees it (/proc/self/mountinfo).
enum MountTable {
  /// The entries of a directory that are mount points or have some below them.
  ///
  /// These are never moved: a mount cannot be put back over what has come to its place meanwhile.
  static func entries(of directory: Int32) -> Set<[UInt8]> {
    guard let path = TreeRoot.path(of: directory) else { return [] }
    let prefix = path == [UInt8(ascii: "/")] ? path : path + [UInt8(ascii: "/")]
    var found: Set<[UInt8]> = []
    for line in readWhole("/proc/self/mountinfo").split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard words.count > 4 else { continue }
      let point = unescaped(words[4])
      guard point.starts(with: prefix) else { continue }
      found.insert(Array(point.dropFirst(prefix.count).prefix { $0 != UInt8(ascii: "/") }))
    }
    return found
  }

  /// Spaces and the like come as `\040`.
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
