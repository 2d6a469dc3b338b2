import CLinux
import Glibc

/// Emptying a trash.
extension Trash {
  /// Removes what goes from a stage, and puts back what stays.
  ///
  /// - Parameters:
  ///   - walk: removes; nil where what is in the stage is only on its way back.
  ///   - root: what it goes back to.
  ///   - isExchanged: whether the stage has just been the root, and may be again.
  func finish(_ stage: Stage, _ walk: RemovalWalk?, root: TreeRoot, isExchanged: Bool = false, _ run: RemovalRun) {
    let raw = openDirectory(at: descriptor, stage.name)
    guard raw >= 0 else { return leave(stage, run) }
    let directory = Descriptor(raw)
    guard let status = FileStatus(of: raw), status.mount == root.mount else { return leave(stage, run) }
    // A directory that was to become the root, or has been for a moment: whatever is in it is not ours.
    let isRemoved = stage.kind != .cleared || status.identity.inode == stage.inode
    if isRemoved { walk?.empty(raw) }
    if run.unlink(stage.name, in: descriptor, isDirectory: true) == 0 { return }

    // From here on it says so if this process is killed: what stays must not go after all.
    var back = stage
    back.kind = .back
    if stage.kind != .back, run.move(stage.name, from: descriptor, to: descriptor, as: back.name) != 0 { back = stage }
    if isExchanged, run.result.wasStopped || hasUnmovable(raw), exchangeBack(back, directory, root, run) { return }
    putBack(back, raw, to: root.directory.raw, run)
  }

  private func putBack(_ stage: Stage, _ directory: Int32, to root: Int32, _ run: RemovalRun) {
    if var back = PutBack(run, from: directory, to: root) { back.start() }
    if run.unlink(stage.name, in: descriptor, isDirectory: true) == 0 { return }
    forEachEntry(of: stage, directory, run.leftInTrash)
  }

  private func leave(_ stage: Stage, _ run: RemovalRun) { run.leftInTrash(path(of: stage)) }

  private func path(of stage: Stage) -> [UInt8] {
    path + [UInt8(ascii: "/")] + stage.name.dropLast().map { UInt8(bitPattern: $0) }
  }

  /// - Parameter visit: is given the path of an entry.
  private func forEachEntry(of stage: Stage, _ directory: Int32, _ visit: ([UInt8]) -> Void) {
    let place = path(of: stage) + [UInt8(ascii: "/")]
    lseek(directory, 0, SEEK_SET)
    forEachChild(of: directory) { name, _ in visit(place + name) }
  }

  /// Paths of what waits for its place in the root to be free.
  func waiting() -> [[UInt8]] {
    var found: [[UInt8]] = []
    for stage in stages() where stage.kind == .back {
      let raw = openDirectory(at: descriptor, stage.name)
      guard raw >= 0 else { continue }
      defer { close(raw) }
      forEachEntry(of: stage, raw) { if found.count < RemovalResult.problemLimit { found.append($0) } }
    }
    return found
  }

  /// Whether something directly in a stage cannot be renamed on its own.
  private func hasUnmovable(_ stage: Int32) -> Bool {
    guard cl_may_change(stage) == 0 else { return true }
    lseek(stage, 0, SEEK_SET)
    let entries = DirectoryEntries()
    var failure: Int32 = 0
    var isFound = false
    let user = geteuid()
    while !isFound,
      entries.next(
        of: stage, failure: &failure,
        { entry in
          guard !isFound, let status = FileStatus(at: stage, entry.name) else { return }
          isFound =
            status.isImmutable || status.isMountRoot || user != 0 && status.owner != user && status.kind == .directory
        })
    {}
    return isFound
  }

  /// Undoes an exchange, if nobody has used the new root yet.
  private func exchangeBack(_ stage: Stage, _ old: Descriptor, _ root: TreeRoot, _ run: RemovalRun) -> Bool {
    guard Self.isEmpty(root.directory.raw),
      run.exchange(root.name, in: root.parent.raw, with: stage.name, in: descriptor) == 0
    else { return false }
    guard let before = try? TreeRoot(old, in: root.parent, name: root.name, path: root.path) else { return false }
    run.result.root = before
    // What came into the new root in that moment keeps its path.
    putBack(stage, root.directory.raw, to: old.raw, run)
    return true
  }

  private static func isEmpty(_ directory: Int32) -> Bool {
    lseek(directory, 0, SEEK_SET)
    var failure: Int32 = 0
    var isEmpty = true
    while isEmpty, DirectoryEntries().next(of: directory, failure: &failure, { _ in isEmpty = false }) {}
    return isEmpty && failure == 0
  }
}
