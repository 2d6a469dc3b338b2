import CLinux
import Glibc

/// Goes through what is below a directory, bottom up, and removes what may go; or says only what would.
///
/// Everything is named by an open directory and a name in it, and no link is followed, so that nothing outside is
/// touched whatever others do to the tree meanwhile. The way to where it is stays in an explicit stack; of its
/// directories the deepest are open, the others are found again through `..` and told by their identity.
final class RemovalWalk {
  let run: RemovalRun
  let rules: RemovalRules
  /// What would go is told to this, and nothing is removed, where it is not nil.
  let preview: ((RemovalPreviewEntry) -> Void)?
  private let entries = DirectoryEntries()
  var levels: [RemovalLevel] = []
  var path = GrowingPath()

  /// The directories that are open at a time, the top not counted.
  static let openLimit = 30
  /// How often a directory that others fill is read again.
  private static let attemptLimit = 8

  init(_ run: RemovalRun, _ rules: RemovalRules, preview: ((RemovalPreviewEntry) -> Void)? = nil) {
    (self.run, self.rules, self.preview) = (run, rules, preview)
  }

  /// Removes what is in an open directory, but not the directory.
  ///
  /// - Parameter skipped: a name in it that is passed over.
  func empty(_ directory: Int32, except skipped: [CChar]? = nil) {
    guard let status = FileStatus(of: directory) else {
      return run.stayed([], bytes: 0, .failed(errno))
    }
    go(from: RemovalLevel(directory, status, rules.site(of: directory, status)), except: skipped)
  }

  /// Removes some entries of an open directory.
  func take(_ names: NameList, in directory: Int32) {
    guard let status = FileStatus(of: directory) else {
      return run.stayed([], bytes: 0, .failed(errno))
    }
    var top = RemovalLevel(directory, status, rules.site(of: directory, status))
    (top.pending, top.isRead) = (names, true)
    go(from: top, except: nil)
  }

  private func go(from top: RemovalLevel, except skipped: [CChar]?) {
    levels = [top]
    var name: [CChar] = []
    while !run.shouldStop() {
      let last = levels.count - 1
      if !levels[last].pending.isEmpty {
        let inode = levels[last].pending.takeFirst(&name)
        enter(name, inode: inode)
      } else if !levels[last].isRead {
        read(skipped)
      } else if last == 0 {
        break
      } else {
        leave()
      }
    }
    // Where it was stopped on the way. The top is somebody else's.
    for index in levels.indices.dropFirst() { levels[index].close() }
    levels = []
    path = GrowingPath()
  }

  // MARK: Down

  /// Reads the next bufferful of the deepest directory, removes what is none and keeps the names of those that are.
  private func read(_ skipped: [CChar]?) {
    let last = levels.count - 1
    if let position = levels[last].position {
      // What was removed before is gone; a preview goes on where it was.
      lseek(levels[last].descriptor, preview == nil ? 0 : position, SEEK_SET)
      levels[last].position = nil
    }
    let directory = levels[last].descriptor
    var failure: Int32 = 0
    let isMore = entries.next(of: directory, failure: &failure) { entry in
      guard !run.shouldStop() else { return }
      if last == 0, let skipped, strcmp(entry.name, skipped) == 0 { return }
      if !levels[last].staying.isEmpty && levels[last].staying.contains(entry.inode) { return }
      if entry.type == DT_DIR {
        levels[last].pending.append(entry.name, inode: entry.inode)
      } else {
        takeFile(entry.name, inode: entry.inode)
      }
    }
    guard !isMore else { return }
    levels[last].isRead = true
    guard failure != 0 else { return }
    run.stayed(path.whole, bytes: 0, .failed(failure))
    levels[last].staying.insert(0)
  }

  private func enter(_ name: UnsafePointer<CChar>, inode: UInt64) {
    let above = levels.count - 1
    let directory = openDirectory(at: levels[above].descriptor, name)
    guard directory >= 0 else {
      switch errno {
      case ENOENT: return
      case ENOTDIR, ELOOP: return takeFile(name, inode: inode)
      case let code: return staysUnopened(name, inode: inode, .failed(code))
      }
    }
    guard let status = FileStatus(of: directory) else {
      let code = errno
      close(directory)
      return staysUnopened(name, inode: inode, .failed(code))
    }
    if let reason = rules.reasonNotToEnter(directory, status) {
      close(directory)
      return staysUnopened(name, inode: inode, reason)
    }
    let start = path.push(name)
    levels.append(RemovalLevel(directory, status, rules.site(of: directory, status), inode: inode, start: start))
    closeFarthest()
  }

  /// A directory that cannot be entered, or must not be, stays.
  private func staysUnopened(_ name: UnsafePointer<CChar>, inode: UInt64, _ reason: StayReason) {
    let last = levels.count - 1
    levels[last].staying.insert(inode)
    let status = FileStatus(at: levels[last].descriptor, name)
    let bytes = reason == .mount ? 0 : status?.allocatedBytes ?? 0
    note(name, .directory, bytes: bytes, reason)
  }

  private func closeFarthest() {
    let index = levels.count - 1 - Self.openLimit
    guard index > 0, levels[index].descriptor >= 0 else { return }
    levels[index].position = Int(lseek(levels[index].descriptor, 0, SEEK_CUR))
    levels[index].close()
  }

  // MARK: One entry

  /// Removes an entry that is no directory, unless it has become one.
  private func takeFile(_ name: UnsafePointer<CChar>, inode: UInt64) {
    let last = levels.count - 1
    let directory = levels[last].descriptor
    guard let status = FileStatus(at: directory, name) else {
      if errno != ENOENT { stays(name, inode, .other, bytes: 0, .failed(errno)) }
      return
    }
    if status.kind == .directory { return levels[last].pending.append(name, inode: inode) }
    if let reason = rules.reason(status, name, in: directory, levels[last].site) {
      return stays(name, inode, status.kind, bytes: status.allocatedBytes, reason)
    }
    if preview == nil && run.unlink(name, in: directory) != 0 {
      switch errno {
      case ENOENT: return
      case EISDIR: return levels[last].pending.append(name, inode: inode)
      case EBUSY: return stays(name, inode, status.kind, bytes: 0, .mount)
      case let code: return stays(name, inode, status.kind, bytes: status.allocatedBytes, .failed(code))
      }
    }
    let isOpen = rules.open.contains(status.identity)
    let bytes = isLastLink(status) ? status.allocatedBytes : 0
    run.wentAway(bytes: bytes, isOpen: isOpen)
    note(name, status.kind, bytes: isOpen ? 0 : bytes, nil)
  }

  /// Whether nothing is left of a file with this name gone.
  private func isLastLink(_ status: FileStatus) -> Bool {
    guard preview != nil && status.links > 1 else { return status.links <= 1 }
    return run.control.previewed.add(status.identity) == status.links
  }

  private func stays(
    _ name: UnsafePointer<CChar>, _ inode: UInt64, _ kind: FileStatus.Kind, bytes: Int, _ reason: StayReason
  ) {
    levels[levels.count - 1].staying.insert(inode)
    note(name, kind, bytes: bytes, reason)
  }

  /// Writes down what became of an entry of the deepest directory.
  private func note(_ name: UnsafePointer<CChar>, _ kind: FileStatus.Kind, bytes: Int, _ reason: StayReason?) {
    guard preview != nil || reason != nil else { return }
    let start = path.push(name)
    noteWhole(kind, bytes: bytes, reason)
    path.pop(start)
  }

  private func noteWhole(_ kind: FileStatus.Kind, bytes: Int, _ reason: StayReason?) {
    if let reason { run.stayed(path.whole, bytes: bytes, reason) }
    path.withBytes { preview?(RemovalPreviewEntry(path: $0, kind: kind, bytes: bytes, reason: reason)) }
  }

  // MARK: Up

  /// Removes the deepest directory, in which nothing is left to do, and goes on in the one above.
  private func leave() {
    let last = levels.count - 1
    guard levels[last - 1].descriptor >= 0 || reopen(last - 1) else { return giveUp() }
    if levels[last].staying.isEmpty {
      guard takeDirectory(levels[last], in: levels[last - 1]) else { return }
    } else {
      levels[last - 1].staying.insert(levels[last].inode)
    }
    drop()
  }

  /// - Returns: false where the directory must be read again.
  private func takeDirectory(_ level: RemovalLevel, in above: RemovalLevel) -> Bool {
    let last = levels.count - 1
    let bytes = level.status.allocatedBytes
    var reason = rules.reason(level.status, above.site)
    if reason == nil && preview == nil {
      let code = path.withName(at: level.start) {
        run.unlink($0, in: above.descriptor, isDirectory: true) == 0 ? 0 : errno
      }
      switch code {
      case 0: break
      // Gone, or moved; what is there now instead is looked at anew.
      case ENOENT: return true
      case ENOTDIR where above.attempts < Self.attemptLimit:
        levels[last - 1].attempts += 1
        path.withName(at: level.start) { levels[last - 1].pending.append($0, inode: level.inode) }
        return true
      case ENOTEMPTY where level.attempts < Self.attemptLimit, EEXIST where level.attempts < Self.attemptLimit:
        levels[last].attempts += 1
        (levels[last].isRead, levels[last].position) = (false, 0)
        return false
      case EBUSY: reason = .mount
      default: reason = .failed(code)
      }
    }
    if reason == nil {
      run.wentAway(bytes: bytes, isOpen: rules.open.contains(level.status.identity))
    } else {
      levels[last - 1].staying.insert(level.inode)
    }
    noteWhole(.directory, bytes: reason == nil && rules.open.contains(level.status.identity) ? 0 : bytes, reason)
    return true
  }

  private func drop() {
    levels[levels.count - 1].close()
    path.pop(levels.removeLast().start)
  }

  /// Leaves a branch from which the way back is lost, since others have moved it.
  private func giveUp() {
    run.stayed(path.whole, bytes: 0, .failed(ESTALE))
    repeat {
      let inode = levels[levels.count - 1].inode
      drop()
      levels[levels.count - 1].staying.insert(inode)
    } while levels[levels.count - 1].descriptor < 0
  }

  /// Opens a directory of the way again: from the one below it, or else from the top by its names.
  private func reopen(_ index: Int) -> Bool {
    let above = openDirectory(at: levels[index + 1].descriptor, "..")
    if adopt(above, at: index) { return true }
    var directory = dup(levels[0].descriptor)
    for step in 1...index where directory >= 0 {
      let name = path.name(from: levels[step].start, to: levels[step + 1].start - 1)
      let next = openDirectory(at: directory, name)
      close(directory)
      directory = next
      guard directory < 0 || FileStatus(of: directory)?.identity == levels[step].status.identity else {
        close(directory)
        return false
      }
    }
    return adopt(directory, at: index)
  }

  private func adopt(_ directory: Int32, at index: Int) -> Bool {
    guard directory >= 0 else { return false }
    guard let status = FileStatus(of: directory), status.identity == levels[index].status.identity,
      status.mount == levels[index].status.mount
    else {
      close(directory)
      return false
    }
    levels[index].descriptor = directory
    return true
  }
}
