public import RPCShell

/// Where calls of an action are sent, and how.
public struct HTTPEndpoint: Sendable, Equatable {
  public var url: WebAddress
  /// Those that are sent to the origin of ``url``, and to nobody else.
  public var headers: [HTTPHeader]
  /// How often a call is tried again.
  public var retries: Int
  /// Certificates that are trusted in place of the system's.
  public var caFile: String?

  /// What counts where nothing is said: about half a minute.
  public static let defaultRetries = 4

  public init(url: WebAddress, headers: [HTTPHeader] = [], retries: Int = defaultRetries, caFile: String? = nil) {
    self.url = url
    self.headers = headers
    self.retries = retries
    self.caFile = caFile
  }
}

// MARK: As JSON

extension HTTPEndpoint {
  /// The members that an endpoint has in a file.
  public static let properties: [Schema.Property] = [
    .required("url", address),
    .optional("headers", .checked(.any, expected: "an object") { $0.kind == .object || $0.isNull }),
    .optional("retries", .integer(0...10)),
    .optional("caFile", .nonEmptyString),
  ]

  /// Where a call may go, as a file has it.
  public static var address: Schema {
    .checked(.string, expected: WebAddress.expected) { WebAddress($0.string!) != nil }
  }

  /// Reads the members, which were checked.
  ///
  /// - Parameters:
  ///   - path: where the view stands.
  ///   - file: reads a path, given with the place where it stands.
  public init(
    validated view: JSONView, path: String, file: (String, String) throws(SchemaViolation) -> String
  ) throws(SchemaViolation) {
    self.init(url: WebAddress(view["url"]!.string!)!, retries: view["retries"]?.integer ?? Self.defaultRetries)
    if let caFile = view["caFile"]?.string { self.caFile = try file(caFile, "\(path).caFile") }
    for (name, value) in view["headers"]?.members ?? [] where !name.hasPrefix("//") {
      let place = "\(path).headers.\(name)"
      let header = try HTTPHeader(reading: value, name: name, path: place, file: file)
      guard !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
        throw SchemaViolation(path: place, reason: "expected each header once; large and small letters are the same")
      }
      headers.append(header)
    }
  }

  /// Writes the members.
  func write(to writer: inout JSONWriter) {
    writer.member("url", url.text)
    writer.key("headers")
    writer.object { for header in headers { header.write(to: &$0) } }
    writer.member("retries", retries)
    if let caFile { writer.member("caFile", caFile) }
  }
}
