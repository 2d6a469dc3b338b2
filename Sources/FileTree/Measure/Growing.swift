import Glibc

/// A stack of plain values without the checks and the reference counts of an array.
struct Growing<Element: BitwiseCopyable>: ~Copyable {
  private(set) var base: UnsafeMutablePointer<Element>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    base = .allocate(capacity: capacity)
  }

  deinit { free(base) }

  @inline(__always)
  subscript(_ index: Int) -> Element {
    get { base[index] }
    nonmutating _modify { yield &base[index] }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    reserve(1)
    base[count] = element
    count += 1
  }

  @inline(__always)
  mutating func append(_ elements: UnsafePointer<Element>, count more: Int) {
    reserve(more)
    (base + count).update(from: elements, count: more)
    count += more
  }

  mutating func removeAll(from first: Int) { count = first }

  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if count + more > capacity { grow(more) }
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    capacity = max(2 * capacity, count + more)
    guard let moved = realloc(base, capacity * MemoryLayout<Element>.stride) else { abort() }
    base = moved.bindMemory(to: Element.self, capacity: capacity)
  }
}
