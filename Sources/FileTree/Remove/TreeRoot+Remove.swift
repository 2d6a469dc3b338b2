import CLinux
import Glibc

extension TreeRoot {
  /// Removes one entry of the root with all that is in it.
  ///
  /// - Parameters:
  ///   - child: its name.
  ///   - expected: what it was when it was measured; nil takes whatever has the name.
  /// - Throws: where nothing was removed.
  public func remove(
    _ child: UnsafePointer<CChar>, expecting expected: FileIdentity? = nil,
    _ control: RemovalControl = RemovalControl()
  ) throws(TreeFailure) -> RemovalResult {
    try verify()
    let identity = try check(child, expected)
    let run = RemovalRun(control, root: self)
    if !MountTable().entries(of: descriptor).contains(child.bytes), !run.shouldStop() {
      for place in [Trash.Place.beside, .inside] {
        guard let trash = try usable(place, run) else { continue }
        defer { trash.discard(run) }
        if try isRemoved(child, identity, through: trash, run) { return run.result }
      }
    }
    makeWalk(run).take(NameList(child, inode: 0), in: descriptor)
    return run.result
  }

  /// - Returns: false where it cannot be moved, and nothing has changed.
  private func isRemoved(
    _ child: UnsafePointer<CChar>, _ identity: FileIdentity, through trash: Trash, _ run: RemovalRun
  ) throws(TreeFailure) -> Bool {
    guard let (stage, directory) = trash.makeStage(run) else { return false }
    guard run.move(child, from: descriptor, to: directory.raw) == 0 else {
      _ = run.unlink(stage.name, in: trash.descriptor, isDirectory: true)
      return false
    }
    guard FileStatus(at: directory.raw, child)?.identity == identity else {
      // Somebody has put something else there since the check: it goes back.
      trash.finish(stage, nil, root: self, run)
      throw TreeFailure(.changed, code: ESTALE, path: place(of: child))
    }
    trash.finish(stage, makeWalk(run), root: self, run)
    return true
  }

  /// Checks that a name is one of an entry, which is what was expected.
  private func check(
    _ child: UnsafePointer<CChar>, _ expected: FileIdentity?
  ) throws(TreeFailure) -> FileIdentity {
    guard child[0] != 0, strchr(child, 0x2f) == nil, strcmp(child, ".") != 0, strcmp(child, "..") != 0,
      !isTrash(child.bytes)
    else { throw TreeFailure(.badName, code: EINVAL, path: child.bytes) }
    guard let status = FileStatus(at: descriptor, child) else {
      throw TreeFailure(errno == ENOENT ? .changed : .unmovable, code: errno, path: place(of: child))
    }
    guard expected == nil || expected == status.identity else {
      throw TreeFailure(.changed, code: ESTALE, path: place(of: child))
    }
    return status.identity
  }

  private func place(of child: UnsafePointer<CChar>) -> [UInt8] { path + [UInt8(ascii: "/")] + child.bytes }

  /// Says what ``clear(_:)`` or ``remove(_:expecting:_:)`` would do now, and touches nothing.
  ///
  /// - Parameters:
  ///   - child: the entry that would be removed; nil is all of the root's content.
  ///   - visit: called for every entry that goes, and for every one that stays for a reason of its own; what is in a
  ///     directory comes before it.
  /// - Returns: the sums.
  public func preview(
    _ child: UnsafePointer<CChar>? = nil, expecting expected: FileIdentity? = nil,
    _ control: RemovalControl = RemovalControl(), _ visit: @escaping (RemovalPreviewEntry) -> Void
  ) throws(TreeFailure) -> RemovalResult {
    try verify()
    let run = RemovalRun(control, root: self)
    if let child {
      _ = try check(child, expected)
      makeWalk(run, preview: visit).take(NameList(child, inode: 0), in: descriptor)
    } else {
      lseek(descriptor, 0, SEEK_SET)
      makeWalk(run, preview: visit).empty(descriptor, except: skippedName)
    }
    return run.result
  }

  /// Finishes what a process has left undone that was killed while it removed: what was to go goes, what was to stay
  /// goes back. What another process is at work on is left to it.
  ///
  /// - Returns: what went now.
  /// - Throws: where the root is not what was opened.
  public func sweep(_ control: RemovalControl = RemovalControl()) throws(TreeFailure) -> RemovalResult {
    try verify()
    let run = RemovalRun(control, root: self)
    for place in [Trash.Place.beside, .inside] {
      do {
        guard let trash = try Trash.open(place, of: self, making: nil) else { continue }
        let walk = makeWalk(run)
        for stage in trash.stages() where !run.shouldStop() {
          trash.finish(stage, stage.kind == .back ? nil : walk, root: self, run)
        }
        trash.discard(run)
      } catch {
        // One that is not ours is none of our business.
        if error.cause == .busy { run.result.isBusy = true }
      }
    }
    return run.result
  }

  /// Where things are that an earlier removal could neither remove nor put back, since something else has their place;
  /// what another process is at work on is not looked at.
  public func waiting() -> [[UInt8]] {
    [Trash.Place.beside, .inside].flatMap { place in
      (try? Trash.open(place, of: self, making: nil))?.waiting() ?? []
    }
  }

  /// Removes what is in the root, and then the root, with no trash: what `rm -rf` does.
  package func removeWholly(_ control: RemovalControl = RemovalControl()) throws(TreeFailure) -> RemovalResult {
    try verify()
    let run = RemovalRun(control, root: self)
    makeWalk(run).empty(descriptor)
    guard run.unlink(name, in: parent.raw, isDirectory: true) == 0 else {
      run.stayed([], bytes: 0, .failed(errno))
      return run.result
    }
    return run.result
  }
}
