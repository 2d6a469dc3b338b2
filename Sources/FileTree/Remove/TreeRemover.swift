import CLinux
import Glibc

/// Removes what is in an open directory, or only finds out what would go. One walk, one set of rules for both.
///
/// Nothing is found by a path: each directory is opened by its name in the one before, never through a link or over a
/// mount, and left again through `..` to the one that it was entered from.
final class TreeRemover {
  /// A directory on the way down.
  struct Level {
    /// -1 where it was closed to keep their number small.
    var descriptor: Int32
    let status: FileStatus
    /// Its name in the one before, with a NUL.
    let name: [CChar]
    /// Names of directories in it that are still to be looked into, each with a NUL.
    var pending = NameStack()
    /// Something in it stays.
    var hasRest = false
    /// How often its entries were read.
    var passes = 0
    /// In a preview: why nothing in it can go.
    var refusal: Int32?
  }

  /// What becomes of entries.
  enum Mode {
    case removes
    /// Tells what would go: the path from the start, and the bytes that would be free.
    case previews((_ path: [UInt8], _ isDirectory: Bool, _ bytes: Int) -> Void)
  }

  /// Directories that are open at a time.
  private static let openLimit = 32
  /// How often a directory is read again when others keep adding to it.
  private static let passLimit = 4

  private(set) var report = RemovalReport()
  /// Bytes of files that are gone and were open before, by inode.
  private(set) var openBytes: [UInt64: Int] = [:]
  let mode: Mode
  var stack: [Level] = []
  private let mount: UInt64
  private let device: UInt64
  private let control: RemovalControl
  private let inUse: FilesInUse
  private let openInodes: Set<UInt64>
  private let entries = DirectoryEntries()
  private var ticker = Ticker()
  /// In a preview: names of files with several, seen so far.
  private var seenNames: [FileIdentity: UInt32] = [:]

  /// - Parameters:
  ///   - root: whose mount is not left.
  ///   - openInodes: files on its device that others hold open.
  init(
    _ mode: Mode, of root: FileStatus, inUse: FilesInUse, openInodes: Set<UInt64> = [], control: RemovalControl
  ) {
    self.mode = mode
    mount = root.mount
    device = root.identity.device
    self.inUse = inUse
    self.openInodes = openInodes
    self.control = control
  }

  // MARK: The walk

  /// Goes through what is in a directory. The directory itself stays.
  ///
  /// - Parameters:
  ///   - directory: open; not closed here.
  ///   - skipped: a child that is left out.
  ///   - only: the one child that is meant; nil is all.
  func run(_ directory: Int32, skipping skipped: (([UInt8]) -> Bool)? = nil, only: [CChar]? = nil) {
    guard let status = FileStatus(of: directory) else { return report.failure = errno }
    let descriptor = fcntl(directory, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return report.failure = errno }
    stack = [Level(descriptor: descriptor, status: status, name: [0])]
    if case .previews = mode, cl_may_write(directory) == 0 { stack[0].refusal = errno }
    if let only {
      only.withUnsafeBufferPointer { visit($0.baseAddress!, inode: 0, type: UInt8(DT_UNKNOWN)) }
      stack[0].passes = Self.passLimit
    } else {
      read(skipping: skipped)
    }
    while !stack.isEmpty {
      if isStopped() { break }
      if !stack[stack.count - 1].pending.isEmpty { descend() } else { ascend(skipping: skipped) }
    }
    for level in stack where level.descriptor >= 0 { close(level.descriptor) }
  }

  private func isStopped() -> Bool {
    if !report.isStopped && control.isStopped() { report.isStopped = true }
    return report.isStopped
  }

  /// Enters the next directory that was found in the deepest one.
  private func descend() {
    let top = stack.count - 1
    let name = stack[top].pending.removeLast()
    let descriptor = name.withUnsafeBufferPointer { openDirectory(at: stack[top].descriptor, $0.baseAddress!) }
    guard descriptor >= 0 else { return cannotEnter(name, errno) }
    guard let status = FileStatus(of: descriptor) else {
      close(descriptor)
      return stays(name, .failed(errno), bytes: 0)
    }
    guard status.mount == mount, !status.isMountRoot else {
      close(descriptor)
      return stays(name, .mount, bytes: 0)
    }
    var level = Level(descriptor: descriptor, status: status, name: name)
    if case .previews = mode {
      level.refusal = status.isImmutable ? EPERM : cl_may_write(descriptor) == 0 ? errno : nil
    }
    stack.append(level)
    closeFarthest()
    read()
  }

  private func cannotEnter(_ name: [CChar], _ code: Int32) {
    if code == ENOENT { return }
    // What was a directory may be a file or a link by now.
    if code == ENOTDIR || code == ELOOP {
      return name.withUnsafeBufferPointer { visit($0.baseAddress!, inode: 0, type: UInt8(DT_UNKNOWN)) }
    }
    let top = stack[stack.count - 1].descriptor
    if case .removes = mode, unlinkat(top, name, AT_REMOVEDIR) == 0 { return report.removedCount += 1 }
    stays(name, .failed(code), bytes: FileStatus(at: top, name)?.allocatedBytes ?? 0)
  }

  private func closeFarthest() {
    let at = stack.count - 1 - Self.openLimit
    guard at >= 1, stack[at].descriptor >= 0 else { return }
    close(stack[at].descriptor)
    stack[at].descriptor = -1
  }

  /// Leaves the deepest directory, which is empty by now or has a rest.
  private func ascend(skipping skipped: (([UInt8]) -> Bool)?) {
    let isStart = stack.count == 1
    if isStart {
      if stack[0].hasRest || stack[0].passes >= Self.passLimit || !hasMore() {
        close(stack[0].descriptor)
        stack.removeLast()
      } else {
        read(skipping: skipped)
      }
      return
    }
    let level = stack.removeLast()
    guard reopenTop(from: level.descriptor) else {
      close(level.descriptor)
      return
    }
    leave(level)
  }

  /// Removes a directory from the one that it is in.
  private func leave(_ level: Level) {
    let top = stack.count - 1
    if level.hasRest {
      close(level.descriptor)
      stack[top].hasRest = true
      return
    }
    if case .previews(let tell) = mode {
      close(level.descriptor)
      if let code = stack[top].refusal { return stays(level.name, .failed(code), bytes: level.status.allocatedBytes) }
      return goes(level.name, isDirectory: true, level.status.allocatedBytes, tell)
    }
    let result = unlinkat(stack[top].descriptor, level.name, AT_REMOVEDIR)
    let code = errno
    if result == 0 || code == ENOENT {
      close(level.descriptor)
      if result == 0 { count(level.status.allocatedBytes) }
    } else if code == ENOTEMPTY && level.passes < Self.passLimit {
      // Somebody adds to it.
      stack.append(level)
      lseek(level.descriptor, 0, SEEK_SET)
      read()
    } else {
      close(level.descriptor)
      stays(level.name, .failed(code), bytes: level.status.allocatedBytes)
    }
  }

  /// Whether there is anything in the directory at the start that came meanwhile.
  private func hasMore() -> Bool {
    guard case .removes = mode else { return false }
    var found = false
    lseek(stack[0].descriptor, 0, SEEK_SET)
    forEachChild(of: stack[0].descriptor) { _, _ in found = true }
    lseek(stack[0].descriptor, 0, SEEK_SET)
    return found
  }

  // MARK: Entries

  private func read(skipping skipped: (([UInt8]) -> Bool)? = nil) {
    let top = stack.count - 1
    stack[top].passes += 1
    var failure: Int32 = 0
    var isOver = false
    while !isOver
      && entries.next(
        of: stack[top].descriptor, failure: &failure,
        { entry in
          if isOver || skipped.map({ $0(bytes(of: entry.name)) }) == true { return }
          visit(entry.name, inode: entry.inode, type: entry.type)
          if report.removedCount & 63 == 0 { isOver = isStopped() }
        })
    {}
    if failure != 0 {
      stack[top].hasRest = true
      report.note(.failed(failure), bytes: 0, path())
    }
  }

  private func visit(_ name: UnsafePointer<CChar>, inode: UInt64, type: UInt8) {
    let top = stack.count - 1
    if type == UInt8(DT_DIR) { return stack[top].pending.append(name) }
    let directory = stack[top].descriptor
    guard let status = FileStatus(at: directory, name) else {
      if errno != ENOENT { stays(copy(of: name), .failed(errno), bytes: 0) }
      return
    }
    if status.kind == .directory { return stack[top].pending.append(name) }
    if status.isMountRoot { return stays(copy(of: name), .mount, bytes: 0) }
    if status.isEndpoint { return stays(copy(of: name), .endpoint, bytes: status.allocatedBytes) }
    if inUse.isLocked(directory, name, inode: status.identity.inode) {
      return stays(copy(of: name), .locked, bytes: status.allocatedBytes)
    }
    if case .previews(let tell) = mode { return preview(name, status, tell) }
    if unlinkat(directory, name, 0) == 0 {
      count(file: status)
    } else if errno != ENOENT {
      stays(copy(of: name), .failed(errno), bytes: status.allocatedBytes)
    }
  }

  private func count(file status: FileStatus) {
    guard status.links <= 1 else { return count(0) }
    if !openInodes.isEmpty && openInodes.contains(status.identity.inode) {
      openBytes[status.identity.inode, default: 0] += status.allocatedBytes
      return count(0)
    }
    count(status.allocatedBytes)
  }

  private func count(_ bytes: Int) {
    report.removedCount += 1
    report.freed = report.freed.clampedSum(bytes)
    control.step()
    if ticker.isDue(report.removedCount) { control.progress(report.removedCount, report.freed) }
  }

  private func stays(_ name: [CChar], _ reason: RemovalProblem.Reason, bytes: Int) {
    stack[stack.count - 1].hasRest = true
    report.note(reason, bytes: bytes, path(to: name))
  }

  /// Notes that a directory is not any more where it was entered from.
  func noteMoved() { report.note(.failed(ESTALE), bytes: 0, path()) }

  // MARK: Previews

  private func preview(
    _ name: UnsafePointer<CChar>, _ status: FileStatus, _ tell: (_ path: [UInt8], Bool, Int) -> Void
  ) {
    let refusal = status.isImmutable ? EPERM : stack[stack.count - 1].refusal
    if let refusal { return stays(copy(of: name), .failed(refusal), bytes: status.allocatedBytes) }
    var bytes = status.allocatedBytes
    if status.links > 1 {
      let seen = seenNames[status.identity, default: 0] + 1
      seenNames[status.identity] = seen
      if seen < status.links { bytes = 0 }
    }
    goes(copy(of: name), isDirectory: false, bytes, tell)
  }

  private func goes(_ name: [CChar], isDirectory: Bool, _ bytes: Int, _ tell: ([UInt8], Bool, Int) -> Void) {
    report.removedCount += 1
    report.freed = report.freed.clampedSum(bytes)
    tell(path(to: name), isDirectory, bytes)
  }

  // MARK: Names

  private func copy(of name: UnsafePointer<CChar>) -> [CChar] {
    Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1))
  }

  private func bytes(of name: UnsafePointer<CChar>) -> [UInt8] {
    UnsafeBufferPointer(start: name, count: strlen(name)).map { UInt8(bitPattern: $0) }
  }

  /// From the start to the deepest directory, or to an entry of it.
  private func path(to name: [CChar]? = nil) -> [UInt8] {
    let names = stack.dropFirst().map(\.name) + (name.map { [$0] } ?? [])
    return Array(names.map { $0.dropLast().map { UInt8(bitPattern: $0) } }.joined(separator: [UInt8(ascii: "/")]))
  }
}
