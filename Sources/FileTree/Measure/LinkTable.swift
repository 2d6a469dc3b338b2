import CLinux

/// Files with several names, as long as some of them have not been seen.
struct LinkTable: ~Copyable {
  /// What is known of a file.
  struct Link: BitwiseCopyable {
    var device: UInt64
    var inode: UInt64
    var allocated: Int
    var apparent: Int
    /// The first of the units that have it.
    var unit: Int32
    /// Names that were seen; 0 where a slot is free.
    var seen: UInt32 = 0
    var links: UInt32
    /// Whether several units have it.
    var isShared = false

    init(_ status: cl_status, unit: Int32) {
      (device, inode, links) = (status.device, status.inode, status.links)
      (allocated, apparent) = (status.allocatedBytes, status.apparentBytes)
      self.unit = unit
    }

    var isWhole: Bool { seen >= links }
  }

  // Open addressing with linear probing; the capacity is a power of two.
  private var slots: UnsafeMutableBufferPointer<Link>
  private(set) var count = 0

  init() { slots = Self.empty(64) }

  deinit { slots.deallocate() }

  private static func empty(_ capacity: Int) -> UnsafeMutableBufferPointer<Link> {
    let slots = UnsafeMutableBufferPointer<Link>.allocate(capacity: capacity)
    slots.initialize(repeating: Link(cl_status(), unit: 0))
    return slots
  }

  /// Notes one more name of a file.
  ///
  /// - Returns: what is known now; `others` is the unit that had it first when it was known in one other unit only.
  mutating func see(_ status: cl_status, unit: Int32) -> (link: Link, otherUnit: Int32?) {
    if (count + 1) * 8 > slots.count * 7 { grow() }
    let at = slot(of: status.device, status.inode)
    var other: Int32?
    if slots[at].seen == 0 {
      slots[at] = Link(status, unit: unit)
      count += 1
    } else if slots[at].unit != unit {
      if !slots[at].isShared { other = slots[at].unit }
      slots[at].isShared = true
      slots[at].unit = min(slots[at].unit, unit)
    }
    slots[at].seen += 1
    slots[at].links = status.links
    let link = slots[at]
    if link.isWhole { remove(at) }
    return (link, other)
  }

  /// Visits the files some of whose names were not seen.
  func forEach(_ visit: (Link) -> Void) {
    for link in slots where link.seen > 0 { visit(link) }
  }

  private func home(_ device: UInt64, _ inode: UInt64) -> Int {
    Int(truncatingIfNeeded: ((inode ^ device &* 0xFF51_AFD7_ED55_8CCD) &* 0x9E37_79B9_7F4A_7C15) >> 20)
      & (slots.count - 1)
  }

  /// Where a file is, or would be.
  private func slot(of device: UInt64, _ inode: UInt64) -> Int {
    var at = home(device, inode)
    while slots[at].seen > 0, slots[at].inode != inode || slots[at].device != device {
      at = (at + 1) & (slots.count - 1)
    }
    return at
  }

  /// Frees a slot and moves those after it that would not be found any more.
  private mutating func remove(_ at: Int) {
    let mask = slots.count - 1
    var (hole, next) = (at, (at + 1) & mask)
    while slots[next].seen > 0 {
      let distance = (next - home(slots[next].device, slots[next].inode)) & mask
      if distance >= (next - hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole].seen = 0
    count -= 1
  }

  private mutating func grow() {
    let old = slots
    slots = Self.empty(old.count * 2)
    for link in old where link.seen > 0 { slots[slot(of: link.device, link.inode)] = link }
    old.deallocate()
  }
}
