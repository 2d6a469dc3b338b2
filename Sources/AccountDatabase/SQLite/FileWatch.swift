import CLinux
import Glibc
import RPCShell

/// Notices what is written to a database (inotify(7)), on a thread that does nothing while nobody writes.
final class FileWatch: Sendable {
  private let notify: Int32
  private let wake: Int32

  /// A change is looked for once more after the last write: what somebody writes counts a moment later, and who was
  /// killed in that moment rang nobody.
  private static let settling = Duration.milliseconds(500)

  /// nil where the system has no such thing left to give.
  /// - Parameters:
  ///   - path: of the database; what is written beside it is looked at, too.
  ///   - noticed: called on the watch's thread.
  init?(of path: String, _ noticed: @escaping @Sendable () -> Void) {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    let file = String(path[path.utf8.index(after: slash)...])
    notify = cl_inotify()
    wake = cl_eventfd()
    let folder = open(String(path[...slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(folder) }
    guard notify >= 0, wake >= 0, cl_inotify_add(notify, folder, cl_inotify_changes()) >= 0 else {
      close(notify)
      close(wake)
      return nil
    }
    let loop = Loop(notify: notify, wake: wake, names: [file, file + "-wal", file + "-lock"], noticed: noticed)
    BlockingWork.start { loop.run() }
  }

  deinit {
    // The thread closes both.
    var one: UInt64 = 1
    write(wake, &one, 8)
  }

  /// What the thread does.
  private struct Loop {
    let notify: Int32
    let wake: Int32
    let names: [String]
    let noticed: @Sendable () -> Void

    func run() {
      var deadline: MonotonicTime?
      var set = [
        pollfd(fd: notify, events: Int16(POLLIN), revents: 0), pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
      ]
      while true {
        let left = deadline.map { max(0, ($0.nanoseconds - MonotonicTime.now.nanoseconds + 999_999) / 1_000_000) }
        guard poll(&set, 2, left.map { Int32($0) } ?? -1) >= 0 else { continue }
        if set[1].revents != 0 { break }
        let isChanged = takeEvents()
        let isSettled = deadline.map { $0 <= .now } ?? false
        if isChanged || isSettled { noticed() }
        if isSettled { deadline = nil }
        if isChanged { deadline = .now.advanced(by: FileWatch.settling) }
      }
      close(notify)
      close(wake)
    }

    /// Whether one of them is about the database.
    private func takeEvents() -> Bool {
      var isOurs = false
      withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
        while case let count = read(notify, buffer.baseAddress, buffer.count), count > 0 {
          var at = 0
          while at < count {
            let event = buffer.load(fromByteOffset: at, as: inotify_event.self)
            let start = at + MemoryLayout<inotify_event>.size
            let name = buffer[start..<start + Int(event.len)].prefix { $0 != 0 }
            isOurs = isOurs || names.contains { $0.utf8.elementsEqual(name) } || event.mask & UInt32(IN_Q_OVERFLOW) != 0
            at = start + Int(event.len)
          }
        }
      }
      return isOurs
    }
  }
}
