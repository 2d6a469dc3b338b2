import CLinux
import FileTree
import Glibc

/// Notices what changes under folders (inotify(7)), at no cost while nothing does.
///
/// Used by one thread at a time, but for ``wait(seconds:)``, which only looks at descriptors.
final class ChangeWatch: @unchecked Sendable {
  /// What a change is about.
  enum Part: Hashable, Sendable {
    /// A child of a downloads root: the root's index, the child's name.
    case download(Int, [UInt8])
    case kind(Int)
  }

  /// What changed since the last look.
  struct Changes: Sendable {
    var parts: Set<Part> = []
    /// Events were lost, or a root itself went: everything may have changed.
    var isEverything = false
    /// There are folders that are not watched yet.
    var hasNewFolders = false

    var isEmpty: Bool { parts.isEmpty && !isEverything }
  }

  /// What a watched folder belongs to.
  private enum Place {
    /// A downloads root: its children are downloads.
    case downloads(Int)
    /// Another root.
    case root(Part)
    case inside(Part)
  }

  /// Watched folders above which the rest is not watched: each takes about 1 KB in the kernel.
  static let limit = 16_384

  private let descriptor: Int32
  private let wake: Int32
  private var places: [Int32: Place] = [:]
  private let entries = FolderList()
  /// Whether all folders are watched.
  private(set) var isComplete = true

  /// nil where the system has no such thing left to give.
  init?() {
    descriptor = cl_inotify()
    wake = cl_eventfd()
    guard descriptor >= 0, wake >= 0 else {
      close(descriptor)
      close(wake)
      return nil
    }
  }

  deinit {
    close(descriptor)
    close(wake)
  }

  // MARK: Waiting

  /// Waits for a change, for ``stopWaiting()``, or for so long; nil is for ever.
  func wait(seconds: Double?) {
    var set = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&set, 2, seconds.map { Int32(min($0 * 1000, 1e9)) } ?? -1) < 0 && errno == EINTR {}
    var count: UInt64 = 0
    if set[1].revents != 0 { read(wake, &count, 8) }
  }

  /// Ends a wait on another thread, or the next one.
  func stopWaiting() {
    var one: UInt64 = 1
    write(wake, &one, 8)
  }

  // MARK: Looking

  /// Takes what was noticed.
  func take() -> Changes {
    var changes = Changes()
    withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return }
        var at = UnsafeRawPointer(buffer.baseAddress!)
        let end = at + count
        while at < end {
          let event = at.load(as: inotify_event.self)
          let name = at + MemoryLayout<inotify_event>.size
          note(event, name.assumingMemoryBound(to: UInt8.self), &changes)
          at = name + Int(event.len)
        }
      }
    }
    return changes
  }

  private func note(_ event: inotify_event, _ name: UnsafePointer<UInt8>, _ changes: inout Changes) {
    func isAny(_ flags: Int...) -> Bool { flags.contains { event.mask & UInt32($0) != 0 } }
    if isAny(Int(IN_Q_OVERFLOW)) { changes.isEverything = true }
    guard let place = places[event.wd] else { return }
    if isAny(Int(IN_IGNORED)) {
      places[event.wd] = nil
      return
    }
    let isFolder = isAny(Int(IN_ISDIR)) && isAny(Int(IN_CREATE), Int(IN_MOVED_TO))
    if isFolder { changes.hasNewFolders = true }
    // A root that went or was replaced is another one from now on, which is not watched yet.
    let isSelf = isAny(Int(IN_DELETE_SELF), Int(IN_MOVE_SELF))
    switch place {
    case .inside(let part): changes.parts.insert(part)
    case .root(let part):
      if isSelf { changes.isEverything = true }
      changes.parts.insert(part)
    case .downloads(let root):
      if isSelf {
        changes.isEverything = true
      } else if event.len > 0 {
        let length = strnlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self), Int(event.len))
        changes.parts.insert(.download(root, Array(UnsafeBufferPointer(start: name, count: length))))
      }
    }
  }

  // MARK: Watching

  /// Begins again with nothing watched that is not added from now on.
  func restart() { isComplete = true }

  /// Watches a downloads root and what is in its children.
  /// - Parameter root: its index.
  func addDownloads(_ root: Int, _ descriptor: Int32, isStopped: () -> Bool) {
    guard add(descriptor, .downloads(root)) else { return }
    entries.visit(descriptor) { path, folder in
      let child = Array(path.prefix { $0 != UInt8(ascii: "/") })
      return !isStopped() && add(folder, .inside(.download(root, child)))
    }
  }

  /// Watches a folder and all that is in it.
  /// - Parameter kind: the number of what it holds.
  func add(kind: Int, _ descriptor: Int32, isStopped: () -> Bool) {
    guard add(descriptor, .root(.kind(kind))) else { return }
    entries.visit(descriptor) { _, folder in !isStopped() && add(folder, .inside(.kind(kind))) }
  }

  /// - Returns: whether it is watched now.
  private func add(_ folder: Int32, _ place: Place) -> Bool {
    guard places.count < Self.limit else {
      isComplete = false
      return false
    }
    let watch = cl_inotify_add(descriptor, folder, cl_inotify_changes())
    guard watch >= 0 else {
      isComplete = false
      return false
    }
    places[watch] = place
    return true
  }
}

/// Visits the folders of a tree.
private final class FolderList {
  /// - Parameter visit: is given each folder with its path from the root (without a NUL), parents first; says whether to
  ///   look into it.
  func visit(_ root: Int32, _ visit: ([UInt8], Int32) -> Bool) {
    var paths = folders(of: root, at: [])
    while let path = paths.popLast() {
      let folder = (path + [0]).withUnsafeBytes {
        cl_open_beneath(root, $0.baseAddress!.assumingMemoryBound(to: CChar.self))
      }
      guard folder >= 0 else { continue }
      if visit(path, folder) { paths += folders(of: folder, at: path) }
      close(folder)
    }
  }

  private func folders(of folder: Int32, at path: [UInt8]) -> [[UInt8]] {
    var found: [[UInt8]] = []
    lseek(folder, 0, SEEK_SET)
    forEachChild(of: folder) { name, type in
      guard type == .directory || type == nil else { return }
      found.append(path.isEmpty ? name : path + [UInt8(ascii: "/")] + name)
    }
    return found
  }
}
