import CLinux
import Glibc

extension MeasureWalker {
  /// Gives the later half of what waits in the highest directory that is open to a thread that has nothing to do.
  func share() {
    guard sinceGift >= run.queue.patience, let frame = highestToShare() else { return }
    let (next, end) = (frames[frame].next, frames[frame].end)
    var half = next + (end - next) / 2
    while names[half - 1] != 0 { half += 1 }
    // One name: for the other thread, unless nothing would be left here.
    if half == end { half = next }
    if half == next && frame == top { return }
    let bytes = UnsafeRawBufferPointer(start: names.base + half, count: end - half)
    if give(bytes, of: frame, Job.Work.directories) { frames[frame].end = half }
  }

  private func highestToShare() -> Int? {
    // Deep down a gift is small and its path is long.
    guard depth + top < 1_024 else { return nil }
    return (0...top).first { !frames[$0].isDone && frames[$0].descriptor >= 0 }
  }

  /// Gives a bufferful of entries of the top directory away.
  func give(_ bytes: UnsafeRawBufferPointer) -> Bool { give(bytes, of: top, Job.Work.entries) }

  private func give(
    _ bytes: UnsafeRawBufferPointer, of frame: Int, _ work: (UnsafeMutableRawBufferPointer) -> Job.Work
  ) -> Bool {
    let descriptor = fcntl(frames[frame].descriptor, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0 else { return false }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
    copy.copyMemory(from: bytes)
    let job = Job(
      unit: unit, descriptor: descriptor, path: pathOfFrame(frame), depth: depth + frame, work: work(copy))
    let isTaken = run.queue.give(job)
    if isTaken { sinceGift = 0 } else { job.discard() }
    return isTaken
  }
}

extension Job {
  /// Frees what a gift holds.
  func discard() {
    switch work {
    case .unit: return
    case .directories(let bytes), .entries(let bytes): bytes.deallocate()
    }
    close(descriptor)
  }
}
