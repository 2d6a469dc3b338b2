/// One JSON value as text: UTF-8, on one line, ready to be spliced into a frame.
///
/// States, results and error data travel as text, because they are written once and sent (or compared) many times.
public struct JSONText: Sendable, Hashable {
  /// The value in UTF-8.
  public let bytes: [UInt8]

  /// - Parameter bytes: exactly one JSON value. Not checked.
  public init(trusted bytes: [UInt8]) { self.bytes = bytes }

  /// Writes one value with a ``JSONWriter``.
  public init(_ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    write(&writer)
    self = writer.text
  }

  /// `null`
  public static let null = JSONText(trusted: Array("null".utf8))
  /// `{}`
  public static let emptyObject = JSONText(trusted: Array("{}".utf8))

  /// A number without fraction.
  public init(integer: Int) { self.init { $0.integer(integer) } }

  /// A string.
  public static func string(_ value: String) -> JSONText { JSONText { $0.string(value) } }
}

extension JSONText: CustomStringConvertible {
  /// The value as it stands.
  public var description: String { String(decoding: bytes, as: UTF8.self) }
}
