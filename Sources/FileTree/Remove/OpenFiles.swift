import CLinux
import Glibc

/// The files that processes hold open or have mapped: removing their names frees nothing yet.
///
/// Found once, in /proc. What the kernel itself uses (swap files, files behind loop devices) is not in it.
struct OpenFiles {
  private var files: Set<FileIdentity> = []
  /// Mapped files, where their device is listed as another than the files themselves say.
  private var mappedInodes: Set<UInt64> = []
  private let isDeviceReliable: Bool
  /// Whether every process could be looked at.
  private(set) var sawAll = true

  /// - Parameter directory: on the file system that it will be asked about.
  init(near directory: Int32) {
    var system = statfs()
    let isKnown = fstatfs(directory, &system) == 0
    // btrfs, overlayfs
    isDeviceReliable = isKnown && system.f_type != 0x9123_683E && system.f_type != 0x794C_7630
    let processes = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard processes >= 0 else {
      sawAll = false
      return
    }
    defer { close(processes) }
    let own = getpid()
    for id in Self.names(in: processes) ?? [] {
      guard let id = Int32(id) else { continue }
      look(at: "/proc/\(id)", isOwn: id == own)
    }
  }

  func contains(_ identity: FileIdentity) -> Bool {
    files.contains(identity) || !mappedInodes.isEmpty && mappedInodes.contains(identity.inode)
  }

  /// - Parameter isOwn: then directories do not count: they are open to remove what is in them.
  private mutating func look(at process: String, isOwn: Bool) {
    let files = open(process + "/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard files >= 0 else {
      if errno != ENOENT && errno != ESRCH { sawAll = false }
      return
    }
    defer { close(files) }
    for name in Self.names(in: files) ?? [] { add(process + "/fd/" + name, isOwn: isOwn) }
    if !isOwn { for name in ["/cwd", "/root"] { add(process + name, isOwn: false) } }
    addMapped(readWhole(process + "/maps"))
  }

  private mutating func add(_ path: String, isOwn: Bool) {
    guard let status = FileStatus(through: path) else { return }
    if !isOwn || status.kind != .directory { files.insert(status.identity) }
  }

  /// - Parameter maps: lines as `7f3-7f4 r--p 00000000 fe:00 1234  /lib/libc.so`, the device in hexadecimal digits.
  private mutating func addMapped(_ maps: [UInt8]) {
    for line in maps.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard words.count > 5, words[4].count > 1 || words[4].first != UInt8(ascii: "0") else { continue }
      let numbers = words[3].split(separator: UInt8(ascii: ":"))
      guard numbers.count == 2, let major = UInt64(text: numbers[0], radix: 16),
        let minor = UInt64(text: numbers[1], radix: 16), let inode = UInt64(text: words[4])
      else { continue }
      if isDeviceReliable {
        files.insert(FileIdentity(device: major << 32 | minor, inode: inode))
      } else {
        mappedInodes.insert(inode)
      }
    }
  }

  private static func names(in directory: Int32) -> [String]? {
    let entries = DirectoryEntries()
    var failure: Int32 = 0
    var names: [String] = []
    while entries.next(of: directory, failure: &failure, { names.append(String(cString: $0.name)) }) {}
    return failure == 0 ? names : nil
  }
}
