import CLinux
import Glibc

/// The files that processes hold locks on, as the kernel lists them (/proc/locks), by inode number.
///
/// The list is read once; it does not tell file systems apart reliably, so that what is in it is looked at once more.
/// Nothing else costs a file anything.
struct FileLocks {
  private var inodes: Set<UInt64> = []
  /// Those that this process has locked itself in a way that closing any descriptor of the file would undo.
  private var ours: Set<UInt64> = []

  init() { self.init(list: readWhole("/proc/locks")) }

  /// - Parameter list: lines as `1: FLOCK  ADVISORY  WRITE 1234 08:01:131 0 EOF`.
  init(list: [UInt8]) {
    for line in list.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " ")).filter { !$0.elementsEqual("->".utf8) }
      guard words.count > 5, ["FLOCK", "POSIX", "OFDLCK"].contains(where: { words[1].elementsEqual($0.utf8) }) else {
        continue
      }
      guard let number = words[5].split(separator: UInt8(ascii: ":")).last, let inode = UInt64(text: number) else {
        continue
      }
      inodes.insert(inode)
      if words[1].elementsEqual("POSIX".utf8), UInt64(text: words[4]) == UInt64(getpid()) { ours.insert(inode) }
    }
  }

  func mayHold(_ inode: UInt64) -> Bool { !inodes.isEmpty && inodes.contains(inode) }

  /// Whether a file that is in the list is locked now. One that cannot be opened is taken to be.
  func holds(_ name: UnsafePointer<CChar>, in directory: Int32, _ status: FileStatus) -> Bool {
    if ours.contains(status.identity.inode) { return true }
    let file = openat(directory, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { return errno != ENOENT }
    defer { close(file) }
    guard FileStatus(of: file)?.identity == status.identity else { return false }
    return holds(file, status.identity.inode)
  }

  /// Whether an open file that is in the list is locked now.
  func holds(_ file: Int32, _ inode: UInt64) -> Bool {
    if flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK { return true }
    flock(file, LOCK_UN)
    let kind = cl_foreign_lock(file)
    return kind >= 0 && kind != F_UNLCK
  }
}

extension UInt64 {
  /// A number as text has it; nil where there is anything but digits.
  init?(text: ArraySlice<UInt8>, radix: UInt64 = 10) {
    guard !text.isEmpty else { return nil }
    var value: UInt64 = 0
    for byte in text {
      let digit: UInt64
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt64(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = UInt64(byte - UInt8(ascii: "a")) + 10
      default: return nil
      }
      guard digit < radix else { return nil }
      value = value &* radix &+ digit
    }
    self = value
  }
}

/// All that a file of the kernel says; empty where it cannot be read.
func readWhole(_ path: String) -> [UInt8] {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return [] }
  defer { close(file) }
  var all: [UInt8] = []
  while true {
    let part = [UInt8](unsafeUninitializedCapacity: 32 << 10) { room, count in
      repeat { count = read(file, room.baseAddress, room.count) } while count < 0 && errno == EINTR
      count = max(count, 0)
    }
    if part.isEmpty { return all }
    all += part
  }
}
