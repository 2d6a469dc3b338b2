import CLinux
import Glibc

/// Moves what stayed in the trash back to where it was, and never over anything.
///
/// Directory by directory: an entry whose place is free moves as a whole; where there is a directory on both sides their
/// contents are merged. The way down is kept as identities; one pair of directories is open at a time.
struct PutBack {
  let run: RemovalRun
  private let entries = DirectoryEntries()
  private var levels: [Level]

  private struct Level {
    var source: Int32
    var target: Int32
    let identities: (source: FileIdentity, target: FileIdentity)
    let name: [CChar]
    let inode: UInt64
    var shared = NameList()
    var isRead = false
    /// What cannot be moved, by inode number.
    var stuck: Set<UInt64> = []
  }

  /// - Parameters:
  ///   - stage: an open directory in the trash.
  ///   - root: the open directory that it stands for.
  init?(_ run: RemovalRun, from stage: Int32, to root: Int32) {
    guard let source = FileStatus(of: stage), let target = FileStatus(of: root) else { return nil }
    self.run = run
    levels = [
      Level(source: stage, target: root, identities: (source.identity, target.identity), name: [0], inode: 0)
    ]
  }

  mutating func start() {
    var name: [CChar] = []
    lseek(levels[0].source, 0, SEEK_SET)
    while true {
      let last = levels.count - 1
      if !levels[last].shared.isEmpty {
        let inode = levels[last].shared.takeFirst(&name)
        if !enter(name, inode) { levels[last].stuck.insert(inode) }
      } else if !levels[last].isRead {
        read()
      } else if last == 0 || !leave() {
        break
      }
    }
    if levels.count > 1 { closeLast() }
  }

  private mutating func read() {
    let last = levels.count - 1
    let level = levels[last]
    var shared = NameList()
    var stuck = level.stuck
    var failure: Int32 = 0
    let isMore = entries.next(of: level.source, failure: &failure) { entry in
      guard !stuck.contains(entry.inode), !isMoved(entry.name, level) else { return }
      switch errno {
      case ENOENT: break
      case EEXIST: shared.append(entry.name, inode: entry.inode)
      default: stuck.insert(entry.inode)
      }
    }
    (levels[last].shared, levels[last].stuck, levels[last].isRead) = (shared, stuck, !isMore)
  }

  /// - Returns: false, with `errno`.
  private func isMoved(_ name: UnsafePointer<CChar>, _ level: Level) -> Bool {
    if run.move(name, from: level.source, to: level.target) == 0 { return true }
    // A directory that its owner may not write cannot get a new parent: for the moment of the move it can be written.
    guard errno == EACCES, let status = FileStatus(at: level.source, name), status.kind == .directory,
      status.owner == geteuid(), status.permissions & 0o200 == 0
    else { return false }
    guard fchmodat(level.source, name, status.permissions | 0o200, AT_SYMLINK_NOFOLLOW) == 0 else { return false }
    let code = run.move(name, from: level.source, to: level.target) == 0 ? 0 : errno
    _ = fchmodat(code == 0 ? level.target : level.source, name, status.permissions, AT_SYMLINK_NOFOLLOW)
    errno = code
    return code == 0
  }

  /// Goes into a directory that there is on both sides.
  private mutating func enter(_ name: [CChar], _ inode: UInt64) -> Bool {
    let last = levels.count - 1
    let source = openDirectory(at: levels[last].source, name)
    let target = openDirectory(at: levels[last].target, name)
    guard source >= 0, target >= 0, let from = FileStatus(of: source), let to = FileStatus(of: target),
      from.mount == to.mount
    else {
      for descriptor in [source, target] where descriptor >= 0 { close(descriptor) }
      return false
    }
    if last > 0 { closeLast() }
    levels.append(
      Level(source: source, target: target, identities: (from.identity, to.identity), name: name, inode: inode))
    return true
  }

  /// - Returns: false where the way up is lost; then everything stays where it is.
  private mutating func leave() -> Bool {
    let last = levels.count - 1
    if last > 1 {
      let source = openDirectory(at: levels[last].source, "..")
      let target = openDirectory(at: levels[last].target, "..")
      (levels[last - 1].source, levels[last - 1].target) = (source, target)
      guard let from = FileStatus(of: source), let to = FileStatus(of: target),
        (from.identity, to.identity) == levels[last - 1].identities
      else {
        for descriptor in [source, target] where descriptor >= 0 { close(descriptor) }
        return false
      }
    } else {
      lseek(levels[0].source, 0, SEEK_SET)
    }
    closeLast()
    let level = levels.removeLast()
    if run.unlink(level.name, in: levels[last - 1].source, isDirectory: true) != 0 {
      levels[last - 1].stuck.insert(level.inode)
    }
    return true
  }

  private func closeLast() {
    close(levels[levels.count - 1].source)
    close(levels[levels.count - 1].target)
  }
}
