import Glibc

/// A growable run of bytes with a moving start: what was read and not yet decoded, or what was written and not yet sent.
///
/// A class, so that the hot path passes it on without copying or reference counting its storage. It belongs to one
/// session (or one writer) and is not `Sendable`. At least ``slack`` bytes past it can always be *read*, so that
/// scanners may load whole words.
public final class ByteBuffer {
  /// How far past the last byte held a reader may load.
  public static let slack = 16

  private var storage: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var start = 0
  private var end = 0
  private let initialCapacity: Int

  /// - Parameter capacity: bytes allocated at once, and again after ``removeAll()`` of a buffer that had grown large.
  public init(capacity: Int = 256) {
    initialCapacity = max(capacity, Self.slack)
    self.capacity = initialCapacity
    storage = .allocate(capacity: initialCapacity + Self.slack)
  }

  deinit { storage.deallocate() }

  /// How many bytes were dropped from the front so far: the place of ``first`` in all that went through.
  public private(set) var position = 0

  /// The number of bytes held.
  public var count: Int { end - start }
  public var isEmpty: Bool { end == start }

  /// The first byte held. Valid until the next mutation.
  public var first: UnsafeMutablePointer<UInt8> { storage + start }

  /// The bytes held, valid until the next mutation.
  public var readable: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: storage + start, count: end - start) }

  /// A copy of the bytes held.
  public var bytes: [UInt8] { [UInt8](readable) }

  // MARK: Appending

  /// Room for `count` more bytes behind the ones held: write there, then call ``commit(_:)``.
  @inline(__always)
  public func reserve(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity - end < count { makeRoom(count) }
    return storage + end
  }

  @inline(never)
  private func makeRoom(_ count: Int) {
    let held = end - start
    if held + count <= capacity / 2 {
      // The front is spent: move what is held there, rather than grow.
      memmove(storage, storage + start, held)
    } else {
      var grown = capacity
      while grown < held + count { grown *= 2 }
      let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: grown + Self.slack)
      memcpy(moved, storage + start, held)
      storage.deallocate()
      storage = moved
      capacity = grown
    }
    start = 0
    end = held
  }

  /// Counts `count` bytes written into the reserved room as held.
  @inline(__always)
  public func commit(_ count: Int) { end += count }

  /// How many bytes fit without growing.
  public var room: Int { capacity - end }

  @inline(__always)
  public func append(_ bytes: UnsafeRawPointer, _ count: Int) {
    memcpy(reserve(count), bytes, count)
    end += count
  }

  public func append(_ bytes: UnsafeRawBufferPointer) {
    if let base = bytes.baseAddress { append(base, bytes.count) }
  }

  public func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  @inline(__always)
  public func append(_ text: StaticString) {
    append(UnsafeRawPointer(text.utf8Start), text.utf8CodeUnitCount)
  }

  @inline(__always)
  public func append(byte: UInt8) {
    reserve(1).pointee = byte
    end += 1
  }

  /// Appends `value` in decimal digits.
  public func append(decimal value: Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = value.magnitude
      var at = digits.count
      repeat {
        at -= 1
        digits[at] = UInt8(truncatingIfNeeded: rest % 10) + UInt8(ascii: "0")
        rest /= 10
      } while rest != 0
      if value < 0 {
        at -= 1
        digits[at] = UInt8(ascii: "-")
      }
      append(digits.baseAddress! + at, digits.count - at)
    }
  }

  // MARK: Removing

  /// Drops the first `count` bytes.
  @inline(__always)
  public func consume(_ count: Int) {
    start += count
    position += count
    if start == end { removeAll() }
  }

  /// Drops everything; storage that had grown past 1 MiB is given back.
  public func removeAll() {
    position += end - start
    start = 0
    end = 0
    guard capacity > 1 << 20, capacity > initialCapacity else { return }
    storage.deallocate()
    capacity = initialCapacity
    storage = .allocate(capacity: capacity + Self.slack)
  }

  /// Drops what was appended after the first `count` bytes.
  public func truncate(to count: Int) { end = start + count }
}
