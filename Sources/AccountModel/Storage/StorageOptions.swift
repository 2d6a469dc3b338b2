public import RPCShell

/// What a person decided about downloads. The app that downloads goes by it.
public struct StorageOptions: Sendable, Equatable, JSONWritable {
  /// What a download weighs against its size.
  public enum Quality: String, Sendable, CaseIterable {
    case dataSaver, standard, high
  }

  /// When a finished download goes by itself.
  public enum AutoRemove: String, Sendable, CaseIterable {
    case never, day, week, month

    /// Seconds after completion; nil is never. A month has 30 days.
    public var age: Double? {
      switch self {
      case .never: nil
      case .day: 86_400
      case .week: 7 * 86_400
      case .month: 30 * 86_400
      }
    }
  }

  /// Whether to download over a cellular network.
  public var cellular = false
  public var quality = Quality.standard
  public var autoRemove = AutoRemove.never

  /// The defaults.
  public init() {}

  /// The members that may be changed, each on its own.
  public static let properties: [Schema.Property] = [
    .optional("cellular", .boolean),
    .optional("quality", .choice(Quality.allCases.map(\.rawValue))),
    .optional("autoRemove", .choice(AutoRemove.allCases.map(\.rawValue))),
  ]

  /// Takes over the members that are there.
  /// - Parameter view: was checked with ``properties``.
  public mutating func change(by view: JSONView) {
    if let cellular = view["cellular"]?.bool { self.cellular = cellular }
    if let quality = view["quality"]?.string.flatMap(Quality.init) { self.quality = quality }
    if let autoRemove = view["autoRemove"]?.string.flatMap(AutoRemove.init) { self.autoRemove = autoRemove }
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { options in
      options.member("cellular", cellular)
      options.member("quality", quality.rawValue)
      options.member("autoRemove", autoRemove.rawValue)
    }
  }
}

/// Where the options are kept: the seam behind which memory or a file stands. Called on the session's thread.
public protocol StorageOptionsStore: Sendable {
  /// The options as they were kept last; the defaults where none were.
  func options() -> StorageOptions
  /// Keeps the options.
  /// - Throws: why they could not be kept: they count for this session only.
  func keep(_ options: StorageOptions) throws(StorageFailure)
}

/// What went wrong on disk, as a person reads it.
public struct StorageFailure: Error, Equatable, Sendable {
  /// One line that names the place.
  public var message: String

  public init(_ message: String) { self.message = message }
}
