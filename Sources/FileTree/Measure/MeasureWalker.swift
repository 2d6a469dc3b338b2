import CLinux
import Glibc

/// One thread's walk: an explicit stack of the directories between a job's beginning and where it is.
///
/// A directory is read to its end before those in it are entered, so that only their names wait, in one arena. Of the
/// directories on the stack the deepest that will be needed again are open.
final class MeasureWalker {
  /// A directory that is being walked.
  struct Frame: BitwiseCopyable {
    var descriptor: Int32
    var identity: FileIdentity
    /// Where its names begin in the arena.
    var names: Int
    /// The directory in it that is being walked.
    var current: Int
    /// The next one, and the end of those that are waiting.
    var next: Int
    var end: Int

    var isDone: Bool { next == end }
  }

  let run: MeasureRun
  let entries = DirectoryEntries()
  private let progress: Progress?

  var frames = Growing<Frame>(capacity: 64)
  var names = Growing<CChar>(capacity: 4 << 10)
  var descriptors: DescriptorBudget

  // Of the job that is being done
  var unit = 0
  var path: [UInt8] = []
  /// How far below the unit the job begins.
  var depth = 0
  private var mount: UInt64 = 0
  private var device: UInt64 = 0
  var sizes = TreeSizes()
  private var warnings = Warnings()

  private var uncounted = 0
  /// Directories that were read since then.
  var sinceGift = 0

  init(_ run: MeasureRun, progress: ((Int) -> Void)?) {
    self.run = run
    self.progress = progress.map(Progress.init)
    descriptors = DescriptorBudget(limit: run.threads > 1 ? 12 : 28)
  }

  var top: Int { frames.count - 1 }
  var isStopped: Bool { run.stop.isStopped }

  // MARK: Jobs

  func work() {
    let meanwhile: (() -> Void)? = progress.map { progress in { progress.show(self.run.seen.value) } }
    while let job = run.queue.next(meanwhile) {
      if begin(job) {
        walk()
        end(job)
      } else {
        run.queue.fail(unit: job.unit, code: errno)
      }
    }
  }

  /// - Returns: false, with `errno`, where the unit cannot be opened.
  private func begin(_ job: Job) -> Bool {
    unit = job.unit
    let whole = run.units[unit]
    guard let status = FileStatus(of: whole.directory) else { return false }
    (mount, device) = (status.mount, status.identity.device)
    (path, depth) = (job.path, job.depth)
    var base = job.descriptor
    if case .unit = job.work {
      path = whole.path
      base = whole.name == nil ? openDirectory(at: whole.directory, ".") : whole.directory
      if base < 0 { return false }
    }
    frames.append(Frame(descriptor: base, identity: status.identity, names: 0, current: 0, next: 0, end: 0))
    switch job.work {
    case .unit:
      guard let name = whole.name else {
        guard readTop() == 0 else { return abandonUnit(base) }
        break
      }
      name.withUnsafeBufferPointer { addEntry($0.baseAddress!, in: base) }
    case .directories(let bytes):
      names.append(bytes.baseAddress!.assumingMemoryBound(to: CChar.self), count: bytes.count)
    case .entries(let bytes):
      visit(UnsafeRawBufferPointer(bytes), of: base)
    }
    frames[top].end = names.count
    return true
  }

  private func abandonUnit(_ base: Int32) -> Bool {
    let code = errno
    close(base)
    reset()
    errno = code
    return false
  }

  private func end(_ job: Job) {
    abandonStack()
    if case .unit = job.work {
      if run.units[unit].name == nil { close(frames[0].descriptor) }
    } else {
      job.discard()
      run.queue.finished(entries: sizes.entries)
    }
    run.totals.add(sizes, warnings: warnings, unit: unit)
    reset()
  }

  private func reset() {
    frames.removeAll(from: 0)
    names.removeAll(from: 0)
    (sizes, warnings) = (TreeSizes(), Warnings())
  }

  // MARK: Walking

  private func walk() {
    while !isStopped {
      if frames[top].isDone {
        if top == 0 { break }
        leave()
      } else if frames[top].descriptor >= 0 || reopen(top) {
        if run.queue.isHungry { share() }
        enter()
      } else {
        if errno != ENOENT { warn(nil, errno) }
        frames[top].next = frames[top].end
      }
    }
  }

  /// Goes into the next directory of the top one.
  private func enter() {
    let parent = top
    let name = frames[parent].next
    frames[parent].current = name
    frames[parent].next += strlen(names.base + name) + 1
    let descriptor = open(at: frames[parent].descriptor, names.base + name)
    guard descriptor >= 0 else {
      missed(in: frames[parent].descriptor, names.base + name, errno)
      return
    }
    var status = cl_status()
    guard cl_status_of(descriptor, &status) == 0 else {
      warn(names.base + name, errno)
      close(descriptor)
      return
    }
    guard belongs(status) else {
      close(descriptor)
      return
    }
    count(status)
    push(descriptor, FileIdentity(device: status.device, inode: status.inode))
    let failure = readTop()
    if failure != 0 && failure != ENOENT { warn(nil, failure) }
  }

  /// A directory that could not be opened still counts itself; what is none any more is counted as what it is.
  private func missed(in directory: Int32, _ name: UnsafePointer<CChar>, _ code: Int32) {
    if code == ENOENT { return }
    var status = cl_status()
    if cl_status_at(directory, name, &status) == 0 {
      guard belongs(status) else { return }
      count(status)
      if !status.isDirectory && (code == ENOTDIR || code == ELOOP) { return }
    } else if errno == ENOENT || isMounted(directory, name) {
      return
    }
    warn(name, code)
  }

  // MARK: Reading

  /// Reads the top directory: counts its entries, and lets the directories in it wait.
  /// - Returns: `errno`; 0 if it was read to the end.
  func readTop() -> Int32 {
    let descriptor = frames[top].descriptor
    var failure: Int32 = 0
    while !isStopped {
      let bytes = entries.read(descriptor, failure: &failure)
      if bytes.isEmpty { break }
      if bytes.count > DirectoryEntries.size / 2 && run.queue.isHungry && give(bytes) { continue }
      visit(bytes, of: descriptor)
    }
    frames[top].end = names.count
    sinceGift += 1
    errno = failure
    return failure
  }

  private func visit(_ bytes: UnsafeRawBufferPointer, of directory: Int32) {
    var status = cl_status()
    DirectoryEntries.visit(bytes) { entry in
      if entry.type == UInt8(DT_DIR) {
        wait(entry.name)
      } else if !isStopped {
        addEntry(entry.name, in: directory, &status)
      }
    }
  }

  private func addEntry(_ name: UnsafePointer<CChar>, in directory: Int32) {
    var status = cl_status()
    addEntry(name, in: directory, &status)
  }

  @inline(__always)
  private func addEntry(_ name: UnsafePointer<CChar>, in directory: Int32, _ status: inout cl_status) {
    guard cl_status_at(directory, name, &status) == 0 else {
      if errno != ENOENT && !isMounted(directory, name) { warn(name, errno) }
      return
    }
    if status.isDirectory {
      wait(name)
    } else if belongs(status) {
      count(status)
    }
  }

  /// A directory is entered later.
  @inline(__always)
  private func wait(_ name: UnsafePointer<CChar>) { names.append(name, count: strlen(name) + 1) }

  // MARK: Counting

  /// Whether an entry is seen through the same mount as the unit.
  @inline(__always)
  private func belongs(_ status: cl_status) -> Bool {
    if status.attributes & cl_attr_mount_root() != 0 { return false }
    return status.mount == mount && (mount != 0 || status.device == device)
  }

  private func isMounted(_ directory: Int32, _ name: UnsafePointer<CChar>) -> Bool {
    let code = errno
    defer { errno = code }
    let other = cl_mount_at(directory, name)
    return other != 0 && other != mount
  }

  @inline(__always)
  private func count(_ status: cl_status) {
    sizes.entries += 1
    if status.links <= 1 || status.isDirectory {
      let allocated = status.allocatedBytes
      sizes.allocated.add(allocated)
      sizes.reclaimable.add(allocated)
      sizes.apparent.add(status.apparentBytes)
    } else {
      run.totals.addLink(status, unit: unit)
    }
    uncounted += 1
    if uncounted == 256 { publish() }
  }

  @inline(never)
  private func publish() {
    run.seen.add(uncounted)
    uncounted = 0
    progress?.show(run.seen.value)
  }

  // MARK: Warnings

  /// - Parameter name: of an entry of the top directory; nil for that itself.
  @inline(never)
  func warn(_ name: UnsafePointer<CChar>?, _ code: Int32) {
    var place = pathOfFrame(top)
    if let name {
      place.append(UInt8(ascii: "/"))
      place.append(contentsOf: UnsafeRawBufferPointer(start: name, count: strlen(name)))
    }
    warnings.add(TreeWarning(path: place, code: code))
  }

  func pathOfFrame(_ last: Int) -> [UInt8] {
    var whole = path
    for frame in 0..<last {
      let name = names.base + frames[frame].current
      whole.append(UInt8(ascii: "/"))
      whole.append(contentsOf: UnsafeRawBufferPointer(start: name, count: strlen(name)))
    }
    return whole
  }
}
