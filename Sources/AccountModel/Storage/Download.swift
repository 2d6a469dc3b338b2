public import RPCShell

/// One thing that a person keeps on the device: an episode, a map, a film. Removed as a whole.
public struct Download: Sendable, Equatable, JSONWritable {
  /// Opaque, and different from those of all other downloads.
  public var id: String
  /// `Episode 12`
  public var title: String
  /// `Audio · 52 min`
  public var detail = Given<String>.absent
  /// The name of a picture (an SF Symbol) for its kind.
  public var symbol = Given<String>.absent
  /// What it takes on disk.
  public var bytes: Int
  /// When it was finished, from which its age counts.
  public var completedAt = Given<DateValue>.absent

  /// A download with nothing optional given.
  public init(id: String, title: String, bytes: Int) {
    self.id = id
    self.title = title
    self.bytes = bytes
  }

  /// The most bytes that a symbol's name may have.
  public static let symbolLimit = 64

  public static let schema: Schema =
    Schema.object([
      .required("id", .nonEmptyString),
      .required("title", .string),
      .optional("detail", .string),
      .optional("symbol", .string(maxBytes: symbolLimit, nonEmpty: false)),
      .required("bytes", .integer(0...(.max))),
      .optional("completedAt", DateValue.schema),
    ])

  /// - Parameter view: was checked with ``schema``.
  public init(validated view: JSONView) {
    id = view["id"]!.string!
    title = view["title"]!.string!
    detail = Given(view["detail"]) { $0.string! }
    symbol = Given(view["symbol"]) { $0.string! }
    bytes = view["bytes"]!.integer!
    completedAt = Given(view["completedAt"]) { DateValue(validated: $0) }
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { download in
      download.member("id", id)
      download.member("title", title)
      download.member("detail", detail)
      download.member("symbol", symbol)
      download.member("bytes", bytes)
      download.member("completedAt", completedAt)
    }
  }
}
