import CLinux
import Glibc

/// The files of one device that processes hold open or have mapped: removing their names frees nothing yet.
///
/// Found once, in /proc. What the kernel itself uses (swap files, files behind loop devices) is not in it.
struct OpenFiles {
  private var inodes: Set<UInt64> = []
  /// Whether every process could be looked at.
  private(set) var sawAll = true
  private let device: UInt64

  init(on device: UInt64) {
    self.device = device
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
    !inodes.isEmpty && identity.device == device && inodes.contains(identity.inode)
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
    guard let status = FileStatus(through: path), status.identity.device == device else { return }
    if !isOwn || status.kind != .directory { inodes.insert(status.identity.inode) }
  }

  /// - Parameter maps: lines as `7f3-7f4 r--p 00000000 fe:00 1234  /lib/libc.so`, the device in hexadecimal digits.
  private mutating func addMapped(_ maps: [UInt8]) {
    for line in maps.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard words.count > 5, words[4].count > 1 || words[4].first != UInt8(ascii: "0") else { continue }
      let numbers = words[3].split(separator: UInt8(ascii: ":"))
      guard numbers.count == 2, let major = UInt64(text: numbers[0], radix: 16),
        let minor = UInt64(text: numbers[1], radix: 16), major << 32 | minor == device,
        let inode = UInt64(text: words[4])
      else { continue }
      inodes.insert(inode)
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
