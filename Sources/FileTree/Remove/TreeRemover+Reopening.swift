import Glibc

/// Finding directories again that were closed on the way down.
extension TreeRemover {
  /// Opens the deepest directory again where it was closed: from the one that is left, else from above.
  ///
  /// - Parameter child: of the directory that is left, open.
  /// - Returns: whether it is open; where it is not, it and all that is in it stays as it is.
  func reopenTop(from child: Int32) -> Bool {
    let top = stack.count - 1
    guard stack[top].descriptor < 0 else { return true }
    let parent = openDirectory(at: child, "..")
    if isSame(parent, stack[top]) {
      stack[top].descriptor = parent
      return true
    }
    if parent >= 0 { close(parent) }
    return reopenFromAbove()
  }

  private func reopenFromAbove() -> Bool {
    guard var at = stack.lastIndex(where: { $0.descriptor >= 0 }) else {
      giveUp(from: 0)
      return false
    }
    let top = stack.count - 1
    while at < top {
      let next = stack[at + 1]
      let descriptor = openDirectory(at: stack[at].descriptor, next.name)
      guard isSame(descriptor, next) else {
        if descriptor >= 0 { close(descriptor) }
        giveUp(from: at + 1)
        return false
      }
      stack[at + 1].descriptor = descriptor
      at += 1
      closeAllBut(at)
    }
    return true
  }

  /// On the way down again only the start and the newest stay open.
  private func closeAllBut(_ kept: Int) {
    guard kept > 1, stack[kept - 1].descriptor >= 0 else { return }
    close(stack[kept - 1].descriptor)
    stack[kept - 1].descriptor = -1
  }

  private func isSame(_ descriptor: Int32, _ level: Level) -> Bool {
    descriptor >= 0 && FileStatus(of: descriptor)?.identity == level.status.identity
  }

  /// Somebody moved a directory away: what is in it is not ours to follow.
  private func giveUp(from lost: Int) {
    for level in stack[lost...] where level.descriptor >= 0 { close(level.descriptor) }
    stack.removeSubrange(lost...)
    if !stack.isEmpty { stack[stack.count - 1].hasRest = true }
    noteMoved()
  }
}

/// Names one behind the other in one block of memory, each with a NUL; taken from the end.
struct NameStack {
  private var bytes: [CChar] = []

  var isEmpty: Bool { bytes.isEmpty }

  mutating func append(_ name: UnsafePointer<CChar>) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: name, count: strlen(name) + 1))
  }

  /// The last name, with its NUL.
  mutating func removeLast() -> [CChar] {
    let end = bytes.count - 1
    let start = bytes[..<end].lastIndex(of: 0).map { $0 + 1 } ?? 0
    defer { bytes.removeSubrange(start...) }
    return Array(bytes[start...])
  }
}

/// Says when a tenth of a second has passed, looking at the clock now and then only.
struct Ticker {
  private var next: Int64 = 0

  /// - Parameter count: rises by one with each call.
  mutating func isDue(_ count: Int) -> Bool {
    guard count & 255 == 0 else { return false }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    let now = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    guard now >= next else { return false }
    defer { next = now + 100 }
    return next != 0
  }
}
