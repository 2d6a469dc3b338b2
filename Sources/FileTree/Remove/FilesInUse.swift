import CLinux
import Glibc

/// Which files others work on: those with locks, and those that some process holds open.
struct FilesInUse {
  /// Numbers of inodes with a lock, on whatever device: few, each looked at once more before it counts.
  private var locked: Set<UInt64> = []

  /// Reads the locks of the system (proc(5), /proc/locks).
  static func locks() -> FilesInUse {
    var files = FilesInUse()
    forEachLine(of: "/proc/locks") { line in
      // `1: FLOCK  ADVISORY  WRITE 1234 08:02:123456 0 EOF`
      for field in line.split(separator: " ") where field.filter({ $0 == ":" }).count == 2 {
        if let inode = field.split(separator: ":").last.flatMap({ UInt64($0) }) { files.locked.insert(inode) }
      }
    }
    return files
  }

  /// Whether somebody holds a lock on an entry.
  @inline(__always)
  func isLocked(_ directory: Int32, _ name: UnsafePointer<CChar>, inode: UInt64) -> Bool {
    !locked.isEmpty && locked.contains(inode) && Self.isReallyLocked(directory, name)
  }

  private static func isReallyLocked(_ directory: Int32, _ name: UnsafePointer<CChar>) -> Bool {
    let descriptor = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    // Who may not look had better take it for locked, but for what is gone and for links.
    guard descriptor >= 0 else { return errno == EACCES || errno == EPERM }
    defer { close(descriptor) }
    return cl_is_locked(descriptor) != 0
  }

  // MARK: Open files

  /// Files of a device that processes other than this one hold open or have mapped, as far as one may see them.
  static func open(on device: UInt64) -> Set<UInt64> {
    var inodes: Set<UInt64> = []
    let processes = Glibc.open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard processes >= 0 else { return [] }
    defer { close(processes) }
    let own = "\(getpid())"
    forEachChild(of: processes) { name, _ in
      guard let first = name.first, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(first) else { return }
      let process = String(decoding: name, as: UTF8.self)
      guard process != own else { return }
      addDescriptors(of: process, on: device, to: &inodes)
      addMappings(of: process, on: device, to: &inodes)
    }
    return inodes
  }

  private static func addDescriptors(of process: String, on device: UInt64, to inodes: inout Set<UInt64>) {
    let folder = Glibc.open("/proc/\(process)/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    defer { close(folder) }
    forEachChild(of: folder) { name, _ in
      var status = cl_status()
      let found = (name + [0]).withUnsafeBytes {
        // The entries are links; what they lead to is asked about.
        cl_statx(folder, $0.baseAddress!.assumingMemoryBound(to: CChar.self), 0, &status)
      }
      if found == 0 && status.device == device { inodes.insert(status.inode) }
    }
  }

  private static func addMappings(of process: String, on device: UInt64, to inodes: inout Set<UInt64>) {
    forEachLine(of: "/proc/\(process)/maps") { line in
      // `7f2c8000-7f2c9000 r--p 00000000 08:02 123456   /usr/lib/x`
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard fields.count > 4, let inode = UInt64(fields[4]), inode > 0 else { return }
      let numbers = fields[3].split(separator: ":").compactMap { UInt64($0, radix: 16) }
      if numbers.count == 2 && numbers[0] << 32 | numbers[1] == device { inodes.insert(inode) }
    }
  }

  private static func forEachLine(of path: String, _ visit: (Substring) -> Void) {
    guard let file = fopen(path, "re") else { return }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) > 0, let text = line { visit(String(cString: text).prefix { $0 != "\n" }) }
  }
}
