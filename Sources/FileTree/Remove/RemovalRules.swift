import CLinux
import Glibc

/// What goes and what stays: the same for a removal and for its preview.
struct RemovalRules {
  let mount: UInt64
  let device: UInt64
  let locks: FileLocks
  let open: OpenFiles
  private let user = geteuid()
  /// Whether anything can be written on this mount.
  private let isWritable: Bool

  /// What holds for all entries of one directory.
  struct Site {
    /// Why nothing may be removed from it, as in `errno`; 0 if it may.
    var refusal: Int32 = 0
    /// Whether only an entry's owner may remove it.
    var isSticky = false
  }

  /// Looks at the locks and open files that there are now.
  init(root: TreeRoot) {
    (mount, device) = (root.mount, root.identity.device)
    isWritable = cl_may_change(root.descriptor) == 0 || errno != EROFS
    locks = FileLocks()
    open = OpenFiles(near: root.directory.raw)
  }

  func site(of directory: Int32, _ status: FileStatus) -> Site {
    let isSticky = status.permissions & 0o1000 != 0 && user != 0 && status.owner != user
    if status.isImmutable { return Site(refusal: EPERM, isSticky: isSticky) }
    // What an owner may do needs no further question.
    if isWritable && status.owner == user && status.permissions & 0o300 == 0o300 { return Site() }
    return Site(refusal: cl_may_change(directory) == 0 ? 0 : errno, isSticky: isSticky)
  }

  /// Why this entry of a directory, which is none itself, stays; nil if it goes.
  func reason(_ status: FileStatus, _ name: UnsafePointer<CChar>, in directory: Int32, _ site: Site) -> StayReason? {
    if isElsewhere(status) { return .mount }
    if status.kind == .other && !status.isPipe { return status.isSocket ? .socket : .device }
    if let reason = reason(status, site) { return reason }
    if status.kind == .file && locks.mayHold(status.identity.inode) && locks.holds(name, in: directory, status) {
      return .locked
    }
    return nil
  }

  /// Why an open directory is not even entered; nil if it is.
  func reasonNotToEnter(_ directory: Int32, _ status: FileStatus) -> StayReason? {
    if isElsewhere(status) { return .mount }
    let inode = status.identity.inode
    return locks.mayHold(inode) && locks.holds(directory, inode) ? .locked : nil
  }

  /// Why an entry stays where only rights count: what a directory that is empty now is asked.
  func reason(_ status: FileStatus, _ site: Site) -> StayReason? {
    if site.refusal != 0 { return .failed(site.refusal) }
    if status.isImmutable || site.isSticky && status.owner != user { return .failed(EPERM) }
    return nil
  }

  /// Whether an entry is beyond a mount, or the top of another volume.
  private func isElsewhere(_ status: FileStatus) -> Bool {
    if status.isMountRoot || status.mount != mount { return true }
    // Files may have the device of a layer below (overlayfs) where mounts tell them apart.
    return status.identity.device != device && (status.kind == .directory || mount == 0)
  }
}
