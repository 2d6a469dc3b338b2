import CLinux
import Glibc

/// Removes the content of a folder, or one child of it, so that a process that ends on the way leaves nothing by halves.
///
/// What goes is moved to a ``Trash`` in one step, and deleted there. Blocking: for a thread of its own.
public struct Removal {
  let root: TreeRoot
  let control: RemovalControl

  /// - Parameter root: follows the folder when that is exchanged.
  public init(_ root: TreeRoot, control: RemovalControl = RemovalControl()) {
    self.root = root
    self.control = control
  }

  // MARK: What can be done

  /// Empties the folder. It is empty, and can be used, as soon as it is exchanged with a new one.
  public func clear() -> RemovalReport {
    guard root.isInPlace else { return failure(ESTALE) }
    if let report = clearByExchange() { return report }
    if let report = clearByMoving() { return report }
    return removeInPlace(only: nil)
  }

  /// Removes one child, a file or a folder.
  /// - Parameter child: its name, without a slash.
  public func remove(_ child: [UInt8]) -> RemovalReport {
    guard root.isInPlace else { return failure(ESTALE) }
    guard !child.isEmpty, !child.contains(0), !child.contains(UInt8(ascii: "/")), child != [46], child != [46, 46]
    else {
      return failure(EINVAL)
    }
    let name = child.map { CChar(bitPattern: $0) } + [0]
    guard let status = FileStatus(at: root.descriptor, name) else {
      return errno == ENOENT ? RemovalReport() : failure(errno)
    }
    guard status.mount == root.status.mount, !status.isMountRoot else { return staying(child, .mount, status) }
    for place in [Trash.Place.besideRoot, .insideRoot] {
      guard let (trash, bundle) = try? bundle(place) else { continue }
      if cl_rename_new(root.descriptor, name, bundle.descriptor, name) == 0 {
        control.step()
        return empty([bundle], of: trash)
      }
      let code = errno
      discard(bundle, of: trash)
      if code == ENOENT { return RemovalReport() }
    }
    return removeInPlace(only: name)
  }

  /// Deletes what earlier processes left in the trash, and puts back what has to stay.
  public func sweep() -> RemovalReport {
    var report = RemovalReport()
    for place in [Trash.Place.besideRoot, .insideRoot] {
      guard let trash = try? Trash(place, of: root, makes: false, alone: true) else { continue }
      let bundles = trash.bundles().compactMap { Bundle($0, in: trash) }
      report.add(empty(bundles, of: trash))
    }
    return report
  }

  /// Finds out what ``clear()`` or ``remove(_:)`` would take, and touches nothing.
  ///
  /// - Parameters:
  ///   - child: nil is all.
  ///   - tell: is given each path from the root on, and the bytes that would be free.
  /// - Returns: the sums, and what would stay.
  public func preview(
    _ child: [UInt8]? = nil, _ tell: @escaping (_ path: [UInt8], _ isDirectory: Bool, _ bytes: Int) -> Void
  ) -> RemovalReport {
    guard let status = FileStatus(of: root.descriptor) else { return failure(errno) }
    let open = FilesInUse.open(on: status.identity.device)
    let remover = TreeRemover(
      .previews(tell), of: status, inUse: .locks(), openInodes: open, control: control)
    lseek(root.descriptor, 0, SEEK_SET)
    remover.run(
      root.descriptor, skipping: Trash.isTrash, only: child.map { $0.map { CChar(bitPattern: $0) } + [0] })
    return remover.report
  }

  // MARK: By exchange

  /// - Returns: nil where the folder cannot be exchanged.
  private func clearByExchange() -> RemovalReport? {
    guard let parent = root.parent, !root.status.isMountRoot, let (trash, bundle) = try? bundle(.besideRoot) else {
      return nil
    }
    prepare(bundle)
    control.step()
    guard cl_rename_exchange(parent, root.name, trash.descriptor, bundle.name) == 0 else {
      discard(bundle, of: trash)
      return nil
    }
    control.step()
    guard FileStatus(at: trash.descriptor, bundle.name)?.identity == root.status.identity else {
      // Somebody put something else in its place meanwhile, which nobody meant to clear.
      _ = cl_rename_exchange(parent, root.name, trash.descriptor, bundle.name)
      discard(bundle, of: trash)
      return failure(ESTALE)
    }
    guard let doomed = Bundle(bundle.name, in: trash), root.follow() else { return failure(ESTALE) }
    control.usable()
    return empty([doomed], of: trash)
  }

  /// Gives the new folder what the old one has: owner, permissions, access control lists.
  private func prepare(_ bundle: Bundle) {
    let status = root.status
    if status.owner != geteuid() || status.group != getegid() { fchown(bundle.descriptor, status.owner, status.group) }
    fchmod(bundle.descriptor, mode_t(status.permissions))
    cl_copy_acl(root.descriptor, bundle.descriptor)
  }

  // MARK: By moving

  /// Moves the children one by one to a trash in the root.
  /// - Returns: nil where there can be no trash.
  private func clearByMoving() -> RemovalReport? {
    guard let (trash, bundle) = try? bundle(.insideRoot) else { return nil }
    lseek(root.descriptor, 0, SEEK_SET)
    var names: [[CChar]] = []
    forEachChild(of: root.descriptor) { name, _ in
      if !Trash.isTrash(name) { names.append(name.map { CChar(bitPattern: $0) } + [0]) }
    }
    var unmoved: [[CChar]] = []
    for name in names {
      if isMount(name) || cl_rename_new(root.descriptor, name, bundle.descriptor, name) != 0 && errno != ENOENT {
        unmoved.append(name)
      }
      control.step()
    }
    if unmoved.isEmpty { control.usable() }
    var report = empty([bundle], of: trash)
    for name in unmoved { report.add(removeInPlace(only: name)) }
    return report
  }

  private func isMount(_ name: [CChar]) -> Bool {
    FileStatus(at: root.descriptor, name).map { $0.isMountRoot || $0.mount != root.status.mount } ?? false
  }

  // MARK: In place

  /// Where there is no room for a trash, and for what cannot be moved.
  private func removeInPlace(only name: [CChar]?) -> RemovalReport {
    let remover = self.remover(FilesInUse.open(on: root.status.identity.device))
    lseek(root.descriptor, 0, SEEK_SET)
    remover.run(root.descriptor, skipping: Trash.isTrash, only: name)
    return finished(remover)
  }

  // MARK: In the trash

  /// A folder in the trash that holds what goes.
  private struct Bundle {
    let name: [CChar]
    let descriptor: Int32

    init?(_ name: [CChar], in trash: Trash) {
      descriptor = openDirectory(at: trash.descriptor, name)
      self.name = name
      if descriptor < 0 { return nil }
    }
  }

  private func bundle(_ place: Trash.Place) throws(TreeError) -> (Trash, Bundle) {
    let trash = try Trash(place, of: root, makes: true)
    control.step()
    do throws(TreeError) {
      guard let bundle = Bundle(try trash.makeBundle(), in: trash) else { throw TreeError(code: errno) }
      control.step()
      return (trash, bundle)
    } catch {
      trash.removeIfEmpty()
      throw error
    }
  }

  private func discard(_ bundle: Bundle, of trash: Trash) {
    close(bundle.descriptor)
    _ = trash.removeIfEmpty(bundle: bundle.name)
    trash.removeIfEmpty()
  }

  /// Deletes what is in bundles, puts back what stays, and takes the trash away.
  private func empty(_ bundles: [Bundle], of trash: Trash) -> RemovalReport {
    var report = RemovalReport()
    let open = bundles.isEmpty ? [] : FilesInUse.open(on: root.status.identity.device)
    for bundle in bundles {
      let remover = self.remover(open)
      remover.run(bundle.descriptor)
      report.add(finished(remover))
      let isBack = PutBack.all(from: bundle.descriptor, to: root.descriptor)
      close(bundle.descriptor)
      if !isBack || !trash.removeIfEmpty(bundle: bundle.name) {
        report.leftInTrash =
          trash.path + [UInt8(ascii: "/")] + bundle.name.dropLast().map { UInt8(bitPattern: $0) }
      }
      control.step()
    }
    trash.removeIfEmpty()
    return report
  }

  private func remover(_ open: Set<UInt64>) -> TreeRemover {
    TreeRemover(.removes, of: root.status, inUse: .locks(), openInodes: open, control: control)
  }

  /// What a remover came to, with files that were open before and are not any more counted as free.
  private func finished(_ remover: TreeRemover) -> RemovalReport {
    var report = remover.report
    guard !remover.openBytes.isEmpty else { return report }
    let open = FilesInUse.open(on: root.status.identity.device)
    for (inode, bytes) in remover.openBytes {
      if open.contains(inode) {
        report.stillOpen = report.stillOpen.clampedSum(bytes)
      } else {
        report.freed = report.freed.clampedSum(bytes)
      }
    }
    return report
  }

  // MARK: Reports

  private func failure(_ code: Int32) -> RemovalReport {
    var report = RemovalReport()
    report.failure = code
    return report
  }

  private func staying(_ name: [UInt8], _ reason: RemovalProblem.Reason, _ status: FileStatus) -> RemovalReport {
    var report = RemovalReport()
    report.note(reason, bytes: status.allocatedBytes, name)
    return report
  }
}
