import CLinux
import Glibc

/// Moves what is left of a folder to another, where it was before. Nothing that is there is replaced.
struct PutBack {
  /// Folders in both places that are merged into each other, at most so deep.
  private static let depthLimit = 64

  /// - Returns: whether everything is back.
  static func all(from source: Int32, to target: Int32, depth: Int = 0) -> Bool {
    var isWhole = true
    for name in names(in: source) where !one(name, from: source, to: target, depth: depth) { isWhole = false }
    return isWhole
  }

  private static func one(_ name: [CChar], from source: Int32, to target: Int32, depth: Int) -> Bool {
    if cl_rename_new(source, name, target, name) == 0 || errno == ENOENT { return true }
    guard errno == EEXIST, depth < depthLimit else { return false }
    let (inner, outer) = (openDirectory(at: source, name), openDirectory(at: target, name))
    defer { for descriptor in [inner, outer] where descriptor >= 0 { close(descriptor) } }
    guard inner >= 0, outer >= 0, all(from: inner, to: outer, depth: depth + 1) else { return false }
    return unlinkat(source, name, AT_REMOVEDIR) == 0
  }

  private static func names(in directory: Int32) -> [[CChar]] {
    var found: [[CChar]] = []
    lseek(directory, 0, SEEK_SET)
    forEachChild(of: directory) { name, _ in found.append(name.map { CChar(bitPattern: $0) } + [0]) }
    return found
  }
}
