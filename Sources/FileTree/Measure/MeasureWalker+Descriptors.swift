import CLinux
import Glibc

/// The descriptors that a walk holds open beside that of its base.
struct DescriptorBudget {
  let limit: Int
  var open = 0
  /// No frame above this one's place on the stack, the base aside, has an open descriptor.
  var lowest = 1
  /// Of a directory that was left, from which closed ones above it can be reached; -1 if there is none.
  var climber: Int32 = -1
  var climberDepth = 0

  init(limit: Int) { self.limit = limit }
}

extension MeasureWalker {
  /// Opens a directory; where descriptors run out, at the expense of those that are held.
  func open(at directory: Int32, _ name: UnsafePointer<CChar>) -> Int32 {
    while true {
      let descriptor = openDirectory(at: directory, name)
      if descriptor >= 0 || errno != EMFILE && errno != ENFILE || !closeLowest(but: directory) { return descriptor }
    }
  }

  /// - Returns: false, with `errno` as it was, where there is nothing left to close.
  private func closeLowest(but kept: Int32) -> Bool {
    let code = errno
    defer { errno = code }
    return (descriptors.lowest..<max(descriptors.lowest, frames.count)).contains { frame in
      frames[frame].descriptor != kept && closeFrame(frame)
    }
  }

  @discardableResult
  private func closeFrame(_ frame: Int) -> Bool {
    guard frames[frame].descriptor >= 0 else { return false }
    close(frames[frame].descriptor)
    frames[frame].descriptor = -1
    descriptors.open -= 1
    return true
  }

  /// Puts a directory, the current one of the top, on the stack.
  func push(_ descriptor: Int32, _ identity: FileIdentity) {
    // The parent is not read any more; without others in it nobody comes back to it.
    if top > 0 && frames[top].isDone { closeFrame(top) }
    let first = names.count
    frames.append(
      Frame(descriptor: descriptor, identity: identity, names: first, current: first, next: first, end: first))
    descriptors.open += 1
    keepLimit()
  }

  private func keepLimit() {
    while descriptors.open > descriptors.limit, descriptors.lowest < top {
      closeFrame(descriptors.lowest)
      descriptors.lowest += 1
    }
  }

  /// Takes the top directory, which is done, off the stack.
  func leave() {
    let descriptor = frames[top].descriptor
    names.removeAll(from: frames[top].names)
    frames.removeAll(from: top)
    if descriptor >= 0 { descriptors.open -= 1 }
    if frames[top].descriptor >= 0 {
      if descriptor >= 0 { close(descriptor) }
      dropClimber()
    } else if descriptor >= 0 {
      dropClimber()
      (descriptors.climber, descriptors.climberDepth) = (descriptor, frames.count)
    }
    descriptors.lowest = min(descriptors.lowest, max(top, 1))
  }

  private func dropClimber() {
    if descriptors.climber >= 0 { close(descriptors.climber) }
    descriptors.climber = -1
  }

  /// Closes everything but the base.
  func abandonStack() {
    for frame in stride(from: top, to: 0, by: -1) { closeFrame(frame) }
    dropClimber()
    descriptors.lowest = 1
  }

  // MARK: Coming back

  /// Opens a directory on the stack again, and makes sure that it is the same.
  /// - Returns: false, with `errno`: `ESTALE` where another stands in its place.
  func reopen(_ frame: Int) -> Bool {
    var descriptor = descriptors.climber >= 0 ? climb(to: frame) : -1
    dropClimber()
    if descriptor < 0 { descriptor = descend(to: frame) }
    guard descriptor >= 0 else { return false }
    frames[frame].descriptor = descriptor
    descriptors.open += 1
    descriptors.lowest = min(descriptors.lowest, frame)
    keepLimit()
    return true
  }

  /// Up through `..` from the directory that was left last.
  private func climb(to frame: Int) -> Int32 {
    var levels = descriptors.climberDepth - frame
    var at = descriptors.climber
    var isOwn = false
    while levels > 0 {
      let step = min(levels, 256)
      let next = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 3 * step + 1) { up in
        for level in 0..<step {
          (up[3 * level], up[3 * level + 1], up[3 * level + 2]) = (46, 46, 47)
        }
        up[3 * step] = 0
        return open(at: at, up.baseAddress!)
      }
      if isOwn { close(at) }
      if next < 0 { return -1 }
      (at, isOwn) = (next, true)
      levels -= step
    }
    return check(at, frame)
  }

  /// Down by names from the nearest directory above that is open.
  private func descend(to frame: Int) -> Int32 {
    var from = frame - 1
    while from > 0 && frames[from].descriptor < 0 { from -= 1 }
    var at = frames[from].descriptor
    for next in from..<frame {
      var down = open(at: at, names.base + frames[next].current)
      if down >= 0 { down = check(down, next + 1) }
      if next > from {
        let code = errno
        close(at)
        errno = code
      }
      if down < 0 { return -1 }
      at = down
    }
    return at
  }

  /// - Returns: the descriptor; where it is not the frame's directory, -1, and it is closed.
  private func check(_ descriptor: Int32, _ frame: Int) -> Int32 {
    let status = FileStatus(of: descriptor)
    if let status, status.identity == frames[frame].identity { return descriptor }
    let code = status == nil ? errno : ESTALE
    close(descriptor)
    errno = code
    return -1
  }
}
