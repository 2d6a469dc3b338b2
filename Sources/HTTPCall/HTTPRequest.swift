public import RPCShell

/// What the helper is given on its stdin: one call and where to send it. Secrets are in here and nowhere else: not among
/// its arguments, nor in its environment, which others can read.
public struct HTTPRequest: Sendable, Equatable {
  public var endpoint: HTTPEndpoint
  /// What is posted, byte for byte.
  public var body: JSONText
  /// nil for a call that changes nothing.
  public var idempotencyKey: String?
  /// Seconds for all of it, tries and waits included.
  public var timeout: Double

  public init(endpoint: HTTPEndpoint, body: JSONText, idempotencyKey: String?, timeout: Double) {
    self.endpoint = endpoint
    self.body = body
    self.idempotencyKey = idempotencyKey
    self.timeout = timeout
  }

  /// As one JSON object.
  public var jsonText: JSONText {
    JSONText { writer in
      writer.object { request in
        endpoint.write(to: &request)
        request.member("body", body.description)
        if let idempotencyKey { request.member("idempotencyKey", idempotencyKey) }
        request.member("timeout", JSONText(shortest: timeout))
      }
    }
  }

  private static let schema = Schema.object(
    HTTPEndpoint.properties + [
      .required("body", .string),
      .optional(
        "idempotencyKey",
        .checked(.nonEmptyString, expected: "no line breaks and controls") { HTTPHeader.isValue($0.string!) }),
      .required("timeout", .number(0...1e6)),
    ])

  /// - Throws: what is wrong, without the value.
  public init(reading view: JSONView) throws(SchemaViolation) {
    try Self.schema.validate(view)
    self.init(
      endpoint: try HTTPEndpoint(validated: view, path: "") { (path, _) in path },
      body: JSONText(trusted: Array(view["body"]!.string!.utf8)), idempotencyKey: view["idempotencyKey"]?.string,
      timeout: view["timeout"]!.number!)
  }
}
