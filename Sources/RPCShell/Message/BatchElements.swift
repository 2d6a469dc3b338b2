/// The elements of a batch, each scanned as a message of its own.
struct BatchElements: Sequence, IteratorProtocol {
  private var rest: UnsafeRawBufferPointer
  private let scanner = Scanner()

  /// A class, since the scanner cannot be copied with the sequence.
  private final class Scanner {
    let scanner = JSONScanner()
  }

  /// - Parameter text: a valid JSON array.
  init(_ text: UnsafeRawBufferPointer) {
    rest = UnsafeRawBufferPointer(rebasing: text.drop { $0 != UInt8(ascii: "[") }.dropFirst())
    skipTo { $0 > 0x20 }
  }

  mutating func next() -> (text: UnsafeRawBufferPointer, outline: Outline)? {
    skipTo { $0 > 0x20 && $0 != UInt8(ascii: ",") }
    guard rest.first != UInt8(ascii: "]") else { return nil }
    var outline = Outline()
    guard case .complete(let end) = scanner.scanner.scanElement(rest, outline: &outline) else { return nil }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[end...]) }
    return (UnsafeRawBufferPointer(rebasing: rest[..<end]), outline)
  }

  private mutating func skipTo(_ isWanted: (UInt8) -> Bool) {
    rest = UnsafeRawBufferPointer(rebasing: rest.drop { !isWanted($0) })
  }
}
