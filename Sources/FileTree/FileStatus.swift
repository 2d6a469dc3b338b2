import CLinux
import Glibc

/// What the file system says of one entry (statx(2)), which is never followed where it is a link.
public struct FileStatus: Sendable {
  private var raw = cl_status()

  /// - Returns: nil, with `errno`, where the entry cannot be looked at.
  public init?(at directory: Int32, _ name: UnsafePointer<CChar>) {
    guard cl_status_at(directory, name, &raw) == 0 else { return nil }
  }

  /// - Returns: nil, with `errno`, where the descriptor cannot be looked at.
  public init?(of descriptor: Int32) {
    guard cl_status_of(descriptor, &raw) == 0 else { return nil }
  }

  /// What a path leads to in the end, links followed.
  /// - Returns: nil, with `errno`, where that cannot be looked at.
  public init?(through path: UnsafePointer<CChar>) {
    guard cl_status_through(path, &raw) == 0 else { return nil }
  }

  /// What tells a file from all others, whatever it is called.
  public var identity: FileIdentity { FileIdentity(device: raw.device, inode: raw.inode) }
  /// The mount that it is seen through; 0 before Linux 5.8.
  public var mount: UInt64 { raw.mount }
  /// Whether something is mounted exactly here.
  public var isMountRoot: Bool { raw.attributes & cl_attr_mount_root() != 0 }
  /// Whether the file system lets nobody remove it (chattr(1), `i` and `a`).
  public var isImmutable: Bool { raw.attributes & cl_attr_immutable() != 0 }
  /// Bytes on disk: blocks of 512 bytes.
  public var allocatedBytes: Int { raw.allocatedBytes }
  /// Bytes as a reader counts them: of files and links only.
  public var apparentBytes: Int { raw.apparentBytes }
  /// Names that lead to it.
  public var links: UInt32 { raw.links }
  /// The user it belongs to.
  public var owner: UInt32 { raw.owner }
  /// When anything about it changed last, by this machine's clock: seconds since 1970-01-01T00:00:00Z.
  public var changedAt: Int { Int(raw.changed) }
  /// Permissions, as chmod(2) takes them.
  public var permissions: UInt32 { raw.mode & 0o7777 }

  /// What kind of entry it is.
  public enum Kind: Sendable {
    case directory, file, link
    /// A socket, a device, a FIFO.
    case other
  }

  public var kind: Kind {
    switch raw.mode & S_IFMT {
    case S_IFDIR: .directory
    case S_IFREG: .file
    case S_IFLNK: .link
    default: .other
    }
  }

  /// Whether it is a pipe with a name: of the kind ``Kind/other``, but nothing is lost with it.
  public var isPipe: Bool { raw.mode & S_IFMT == S_IFIFO }
  /// Whether it is a socket: of the kind ``Kind/other``.
  public var isSocket: Bool { raw.mode & S_IFMT == S_IFSOCK }
}

/// For those who look at one entry after the other and take only what they count.
extension cl_status {
  var allocatedBytes: Int {
    let (bytes, isOver) = blocks.multipliedReportingOverflow(by: 512)
    return isOver ? .max : Int(clamping: bytes)
  }

  /// 0 of what is neither a file nor a link.
  var apparentBytes: Int { isType(S_IFREG) || isType(S_IFLNK) ? Int(clamping: size) : 0 }

  var isDirectory: Bool { isType(S_IFDIR) }

  private func isType(_ type: mode_t) -> Bool { mode & S_IFMT == type }
}

/// A file system and a file in it.
public struct FileIdentity: Hashable, Sendable, BitwiseCopyable {
  /// Major and minor number in one.
  public var device: UInt64
  public var inode: UInt64

  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}
