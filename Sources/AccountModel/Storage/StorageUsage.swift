public import RPCShell

/// What an app keeps on disk, in bytes: the value that a host hands over, or that a measure comes to.
public struct StorageUsage: Sendable, Equatable, JSONWritable {
  /// In the order in which they are shown; ids are unique.
  public var downloads: [Download]
  /// What comes back from elsewhere when it is needed again.
  public var cache: Int
  /// Kept for use without a network.
  public var photos: Int
  /// The database, settings, logs.
  public var other: Int
  /// Bytes free on the device, where the host knows better than statvfs(3); null hides them.
  public var free = Given<Int>.absent

  /// Nothing is said about free space.
  public init(downloads: [Download] = [], cache: Int = 0, photos: Int = 0, other: Int = 0) {
    self.downloads = downloads
    self.cache = cache
    self.photos = photos
    self.other = other
  }

  /// What a usage must look like, but for the uniqueness of ids and the total, which ``init(validated:path:)`` checks.
  public static let schema: Schema =
    Schema.object([
      .required("downloads", .array(Download.schema)),
      .required("cache", .integer(0...(.max))),
      .required("photos", .integer(0...(.max))),
      .required("other", .integer(0...(.max))),
      .optional("free", .nullable(.integer(0...(.max))), "null hides it"),
    ])

  /// Reads a usage from outside.
  ///
  /// - Parameters:
  ///   - path: where it stands, for errors: `usage`.
  ///   - unknown: what unknown members mean.
  /// - Throws: the first thing that is wrong: `usage.downloads[2].bytes: expected an integer of at least 0, got -1`.
  public init(
    checking view: JSONView, path: String = "", unknown: Schema.UnknownMembers = .refused
  ) throws(SchemaViolation) {
    try Self.schema.validate(view, path: path, unknown: unknown)
    try self.init(validated: view, path: path)
  }

  /// Reads a usage that was checked with ``schema``.
  /// - Throws: where two downloads have the same id, or all together is more than 2^63-1.
  public init(validated view: JSONView, path: String = "") throws(SchemaViolation) {
    downloads = view["downloads"]!.elements.map { Download(validated: $0) }
    cache = view["cache"]!.integer!
    photos = view["photos"]!.integer!
    other = view["other"]!.integer!
    free = Given(view["free"]) { $0.integer! }
    let prefix = path + (path.isEmpty ? "" : ".")
    var known: Set<ExactText> = []
    for (index, download) in downloads.enumerated() where !known.insert(ExactText(download.id)).inserted {
      throw SchemaViolation(
        path: prefix + "downloads[\(index)].id",
        reason: "expected an id that no other download has, got '\(download.id.shortened)' again")
    }
    guard Self.sum([cache, photos, other] + downloads.map(\.bytes)) != nil else {
      throw SchemaViolation(path: path, reason: "expected at most \(Int.max) bytes in all")
    }
  }

  /// nil where it does not fit.
  private static func sum(_ parts: [Int]) -> Int? {
    var total = 0
    for part in parts {
      let (sum, overflow) = total.addingReportingOverflow(part)
      if overflow { return nil }
      total = sum
    }
    return total
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { usage in
      usage.key("downloads")
      usage.array { list in for download in downloads { download.write(to: &list) } }
      usage.member("cache", cache)
      usage.member("photos", photos)
      usage.member("other", other)
      usage.member("free", free) { $0.integer($1) }
    }
  }
}
