import CLinux
import Glibc

/// One removal, or preview of one: what it has come to so far, and every change it makes to the file system.
final class RemovalRun {
  let control: RemovalControl
  var result: RemovalResult
  private var nextProgress: Int
  private var untilClock = interval

  /// Entries between two looks at the clock.
  private static let interval = 32
  private static let progressEvery = 100_000_000

  init(_ control: RemovalControl, root: TreeRoot) {
    self.control = control
    result = RemovalResult(root: root)
    nextProgress = control.now() + Self.progressEvery
  }

  // MARK: What it has come to

  /// Whether it is to end; once so, always.
  func shouldStop() -> Bool {
    if !result.wasStopped && control.shouldStop() { result.wasStopped = true }
    return result.wasStopped
  }

  func wentAway(bytes: Int, isOpen: Bool) {
    if isOpen { result.inUse.add(bytes) } else { result.freed.add(bytes) }
    untilClock -= 1
    guard untilClock == 0 else { return }
    untilClock = Self.interval
    let now = control.now()
    guard now >= nextProgress else { return }
    nextProgress = now + Self.progressEvery
    let (freed, inUse) = (result.freed, result.inUse)
    control.progress(.init(entries: freed.entries + inUse.entries, bytes: freed.bytes + inUse.bytes))
  }

  func stayed(_ path: @autoclosure () -> [UInt8], bytes: Int, _ reason: StayReason) {
    if reason.isFailure { result.failed.add(bytes) } else { result.kept.add(bytes) }
    if result.problems.count < RemovalResult.problemLimit {
      result.problems.append(RemovalProblem(path: path(), reason: reason))
    }
  }

  func leftInTrash(_ path: [UInt8]) {
    if result.leftInTrash.count < RemovalResult.problemLimit { result.leftInTrash.append(path) }
  }

  // MARK: Changes; each returns 0, or -1 with errno

  func unlink(_ name: UnsafePointer<CChar>, in directory: Int32, isDirectory: Bool = false) -> Int32 {
    control.beforeChange?()
    return unlinkat(directory, name, isDirectory ? AT_REMOVEDIR : 0)
  }

  func makeDirectory(_ name: UnsafePointer<CChar>, in directory: Int32) -> Int32 {
    control.beforeChange?()
    return mkdirat(directory, name, 0o700)
  }

  /// Moves an entry to where there is none of this name.
  func move(
    _ name: UnsafePointer<CChar>, from: Int32, to directory: Int32, as newName: UnsafePointer<CChar>? = nil
  ) -> Int32 {
    control.beforeChange?()
    let newName = newName ?? name
    let result = cl_rename_new(from, name, directory, newName)
    guard result != 0, errno == EINVAL || errno == ENOSYS else { return result }
    return moveWithoutFlag(name, from, directory, newName)
  }

  /// For file systems without the flag: a second name replaces nothing, and a directory at most an empty one.
  private func moveWithoutFlag(
    _ name: UnsafePointer<CChar>, _ from: Int32, _ directory: Int32, _ newName: UnsafePointer<CChar>
  ) -> Int32 {
    guard let status = FileStatus(at: from, name) else { return -1 }
    guard status.kind == .directory else {
      return linkat(from, name, directory, newName, 0) == 0 ? unlinkat(from, name, 0) : -1
    }
    guard FileStatus(at: directory, newName) == nil else {
      errno = EEXIST
      return -1
    }
    return renameat(from, name, directory, newName)
  }

  func exchange(_ name: UnsafePointer<CChar>, in first: Int32, with other: UnsafePointer<CChar>, in second: Int32)
    -> Int32
  {
    control.beforeChange?()
    return cl_rename_exchange(first, name, second, other)
  }
}
