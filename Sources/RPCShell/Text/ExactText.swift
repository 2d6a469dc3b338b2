/// A text from outside that is told from others byte for byte.
///
/// Swift's strings count as equal when they look the same, and find that out in a time that grows with the square of a
/// text made of many combining marks: neither is wanted for ids, keys and names of the wire.
public struct ExactText: Hashable, Sendable {
  /// The text.
  public let text: String

  public init(_ text: String) { self.text = text }

  public static func == (one: ExactText, other: ExactText) -> Bool { one.text.isExactly(other.text) }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  /// Whether two texts are the same bytes.
  public func isExactly(_ other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}
