import CLinux
import Glibc

/// Makes an empty directory that takes the place of another: with its owner, permissions, access lists, label and flags.
enum FreshRoot {
  private static let accessLists = ["system.posix_acl_access", "system.posix_acl_default"]
  private static let label = "security.selinux"

  /// - Returns: its descriptor; nil where it cannot be made alike, and then it is not there.
  static func make(_ name: [CChar], in trash: Int32, like old: Int32, _ run: RemovalRun) -> Descriptor? {
    guard run.makeDirectory(name, in: trash) == 0 else { return nil }
    let raw = openDirectory(at: trash, name)
    if raw >= 0 {
      let directory = Descriptor(raw)
      if isMadeAlike(raw, old) { return directory }
    }
    _ = run.unlink(name, in: trash, isDirectory: true)
    return nil
  }

  private static func isMadeAlike(_ directory: Int32, _ old: Int32) -> Bool {
    var (wanted, made) = (stat(), stat())
    guard fstat(old, &wanted) == 0, fstat(directory, &made) == 0 else { return false }
    if wanted.st_uid != made.st_uid || wanted.st_gid != made.st_gid {
      guard fchown(directory, wanted.st_uid, wanted.st_gid) == 0 else { return false }
    }
    for name in accessLists where !isCopied(name, from: old, to: directory) { return false }
    let flags = cl_inherited_flags(old)
    if flags != cl_inherited_flags(directory), cl_set_inherited_flags(directory, flags) != 0 { return false }
    if fgetxattr(old, label, nil, 0) > 0, !isCopied(label, from: old, to: directory) { return false }
    copyOthers(from: old, to: directory)
    return fchmod(directory, wanted.st_mode & 0o7777) == 0
  }

  /// Copies an attribute, or removes it where the old directory has none.
  private static func isCopied(_ name: String, from old: Int32, to directory: Int32) -> Bool {
    let size = fgetxattr(old, name, nil, 0)
    guard size > 0 else { return fremovexattr(directory, name) == 0 || errno == ENODATA || errno == EOPNOTSUPP }
    let value = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    defer { value.deallocate() }
    let count = fgetxattr(old, name, value.baseAddress, value.count)
    return count >= 0 && fsetxattr(directory, name, value.baseAddress, count, 0) == 0
  }

  /// What users have written on it; that it cannot be written here is no reason not to clear.
  private static func copyOthers(from old: Int32, to directory: Int32) {
    let size = flistxattr(old, nil, 0)
    guard size > 0 else { return }
    var names = [CChar](repeating: 0, count: size)
    let count = flistxattr(old, &names, size)
    guard count > 0 else { return }
    for name in names[..<count].split(separator: 0) {
      let text = String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.hasPrefix("user.") { _ = isCopied(text, from: old, to: directory) }
    }
  }
}
