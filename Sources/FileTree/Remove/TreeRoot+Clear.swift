import CLinux
import Glibc

extension TreeRoot {
  /// Removes all that is in the root; the root stays.
  ///
  /// An empty directory takes the place of the root at once, where the file system and its rights allow that, and what
  /// was in it is removed afterwards. Elsewhere the entries are moved out of the way one by one, or are removed where
  /// they are. What stays, for ``StayReason``, is where it was when this returns; what others have put there meanwhile
  /// is not touched. Those who hold the old root open, or work in it, do not follow: they must open it again.
  ///
  /// - Returns: also the root to use from now on.
  /// - Throws: where nothing was removed.
  public func clear(_ control: RemovalControl = RemovalControl()) throws(TreeFailure) -> RemovalResult {
    try verify()
    let run = RemovalRun(control, root: self)
    let mounted = MountTable().entries(of: descriptor)
    if mounted.isEmpty, try isClearedByExchange(run) { return run.result }
    try clearInside(run, mounted)
    return run.result
  }

  /// - Returns: false where that cannot be done here, and nothing has changed.
  private func isClearedByExchange(_ run: RemovalRun) throws(TreeFailure) -> Bool {
    guard let trash = try usable(.beside, run) else { return false }
    let stage = Trash.Stage(.cleared, inode: identity.inode)
    guard let fresh = FreshRoot.make(stage.name, in: trash.descriptor, like: descriptor, run),
      let new = try? TreeRoot(fresh, in: parent, name: name, path: path)
    else {
      trash.discard(run)
      return false
    }
    guard run.exchange(name, in: parent.raw, with: stage.name, in: trash.descriptor) == 0 else {
      _ = run.unlink(stage.name, in: trash.descriptor, isDirectory: true)
      trash.discard(run)
      return false
    }
    guard FileStatus(at: trash.descriptor, stage.name)?.identity == identity else {
      // Somebody has put something else there since the check.
      _ = run.exchange(name, in: parent.raw, with: stage.name, in: trash.descriptor)
      _ = run.unlink(stage.name, in: trash.descriptor, isDirectory: true)
      trash.discard(run)
      throw TreeFailure(.changed, code: ESTALE, path: path)
    }
    run.result.root = new
    run.control.whenUsable?()
    let walk = makeWalk(run)
    trash.finish(stage, walk, root: new, isExchanged: true, run)
    finishOthers(in: trash, than: stage, walk, run)
    return true
  }

  /// Finishes what earlier processes have left in a trash, since it is content as well.
  private func finishOthers(in trash: Trash, than done: Trash.Stage, _ walk: RemovalWalk, _ run: RemovalRun) {
    for stage in trash.stages() where !run.shouldStop() && stage.number != done.number {
      trash.finish(stage, walk, root: run.result.root, run)
    }
    trash.discard(run)
  }

  /// Clears without a directory in the root's place.
  private func clearInside(_ run: RemovalRun, _ mounted: Set<[UInt8]>) throws(TreeFailure) {
    guard let trash = try usable(.inside, run) else { return clearInPlace(run) }
    guard let (stage, directory) = trash.makeStage(run) else {
      trash.discard(run)
      return clearInPlace(run)
    }
    let rest = moveAll(into: directory.raw, except: mounted, run)
    let walk = makeWalk(run)
    walk.take(rest, in: descriptor)
    trash.finish(stage, walk, root: self, run)
    finishOthers(in: trash, than: stage, walk, run)
  }

  private func clearInPlace(_ run: RemovalRun) {
    lseek(descriptor, 0, SEEK_SET)
    makeWalk(run).empty(descriptor, except: skippedName)
  }

  /// - Returns: the names of what cannot be moved.
  private func moveAll(into stage: Int32, except mounted: Set<[UInt8]>, _ run: RemovalRun) -> NameList {
    let entries = DirectoryEntries()
    var failure: Int32 = 0
    var rest = NameList()
    lseek(descriptor, 0, SEEK_SET)
    let more = {
      entries.next(of: descriptor, failure: &failure) { entry in
        guard !run.shouldStop(), strcmp(entry.name, Self.innerTrashName) != 0 else { return }
        let isMounted = !mounted.isEmpty && mounted.contains(entry.name.bytes)
        if isMounted || run.move(entry.name, from: descriptor, to: stage) != 0 {
          rest.append(entry.name, inode: entry.inode)
        }
      }
    }
    while !run.shouldStop(), more() {}
    return rest
  }
}

extension TreeRoot {
  /// Opens a trash to work in.
  ///
  /// - Returns: nil where there can be none.
  /// - Throws: where another process works in it, or nothing can be removed at all.
  func usable(_ place: Trash.Place, _ run: RemovalRun) throws(TreeFailure) -> Trash? {
    do {
      return try Trash.open(place, of: self, making: run)
    } catch  where error.cause == .busy {
      throw error
    } catch  where error.code == EROFS && place == .inside {
      throw TreeFailure(.readOnly, code: EROFS, path: path)
    } catch {
      return nil
    }
  }

  /// Looks at what is locked and open now.
  func makeWalk(_ run: RemovalRun, preview: ((RemovalPreviewEntry) -> Void)? = nil) -> RemovalWalk {
    let rules = RemovalRules(root: self)
    run.result.sawAllProcesses = rules.open.sawAll
    return RemovalWalk(run, rules, preview: preview)
  }
}
