import Glibc

/// The member names of the objects that are open at one moment of a scan, to find duplicates.
///
/// Names of one object lie together; the first eight bytes and the length decide nearly every comparison.
final class KeyTable {
  /// Objects with more members than this are left to libjansson's hash table, so that no message costs quadratic time.
  static let linearLimit = 32

  enum Insertion { case new, duplicate, tooMany }

  private struct Key {
    var head: UInt64
    var name: UnsafePointer<UInt8>
    var count: Int
  }

  private var keys: UnsafeMutablePointer<Key>
  private var capacity: Int
  private(set) var count = 0

  init() {
    capacity = 64
    keys = .allocate(capacity: capacity)
  }

  deinit { keys.deallocate() }

  @inline(__always) func removeAll() { count = 0 }
  @inline(__always) func truncate(to count: Int) { self.count = count }

  /// Whether the newest name is `id`.
  @inline(__always)
  var isIDLast: Bool { count > 0 && keys[count - 1].count == 2 && equal(keys[count - 1].name, "id") }

  /// Adds a name (without escapes, eight bytes past its end readable) to the object whose names start at `level`.
  @inline(__always)
  func insert(_ name: UnsafePointer<UInt8>, _ length: Int, level: Int) -> Insertion {
    if count - level >= Self.linearLimit {
      replaceLast(name, length)
      return .tooMany
    }
    var head = UInt64(littleEndian: UnsafeRawPointer(name).loadUnaligned(as: UInt64.self))
    if length < 8 { head &= (1 &<< UInt64(length &* 8)) &- 1 }
    var at = level
    while at < count {
      if keys[at].head == head && keys[at].count == length
        && (length <= 8 || memcmp(keys[at].name, name, length) == 0)
      {
        return .duplicate
      }
      at += 1
    }
    if count == capacity { grow() }
    keys[count] = Key(head: head, name: name, count: length)
    count += 1
    return .new
  }

  /// Notes that the newest name has escapes. It equals none: libjansson looks for its duplicates.
  func insertEscaped(level: Int) {
    if count - level >= Self.linearLimit { return replaceLast(Self.unread, Self.escapedMark) }
    if count == capacity { grow() }
    keys[count] = Key(head: 0, name: Self.unread, count: Self.escapedMark)
    count += 1
  }

  private static let escapedMark = -1
  private static var unread: UnsafePointer<UInt8> { ("" as StaticString).utf8Start }

  /// Past the limit only the newest name is kept up to date, for ``isIDLast``.
  private func replaceLast(_ name: UnsafePointer<UInt8>, _ length: Int) {
    keys[count - 1] = Key(head: 0, name: name, count: length)
  }

  private func grow() {
    let grown = UnsafeMutablePointer<Key>.allocate(capacity: capacity * 2)
    grown.moveInitialize(from: keys, count: capacity)
    keys.deallocate()
    keys = grown
    capacity *= 2
  }
}
