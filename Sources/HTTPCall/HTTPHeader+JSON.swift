import RPCShell

extension HTTPHeader {
  /// Names that are not the person's: what the call itself is made of.
  private static let reserved: Set<String> = [
    "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect", "host",
    "idempotency-key", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  private static let variableSchema = Schema.checked(.nonEmptyString, expected: "the name of a variable") {
    !$0.string!.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "=") }
  }

  // What is said about a value never shows it.
  private static let textSchema = Schema.checked(.nonEmptyString, expected: "no line breaks and controls") {
    isValue($0.string!)
  }

  private static let secretSchema = Schema.oneOf([
    [.required("env", variableSchema), .optional("prefix", textSchema)],
    [.required("file", .nonEmptyString), .optional("prefix", textSchema)],
  ])

  init(
    reading view: JSONView, name: String, path: String, file: (String, String) throws(SchemaViolation) -> String
  ) throws(SchemaViolation) {
    let isToken = name.utf8.allSatisfy { isLetter($0) || "0123456789!#$%&'*+-.^_`|~".utf8.contains($0) }
    guard isToken, !name.isEmpty else { throw SchemaViolation(path: path, reason: "expected the name of a header") }
    guard !Self.reserved.contains(name.lowercased()) else {
      throw SchemaViolation(path: path, reason: "expected another header: this one comes with the call")
    }
    switch view.kind {
    case .string:
      try Self.textSchema.validate(view, path: path)
      self.init(name: name, source: .text(view.string!))
    case .object:
      try Self.secretSchema.validate(view, path: path, unknown: .refusedButComments)
      self.init(name: name, source: .text(""), prefix: view["prefix"]?.string ?? "")
      if let variable = view["env"]?.string { source = .variable(variable) }
      if let location = view["file"]?.string { source = .file(try file(location, "\(path).file")) }
    default:
      throw SchemaViolation(
        path: path, reason: #"expected a string, {"env":NAME} or {"file":PATH}, got \#(view.kind.rawValue)"#)
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.key(name)
    if case .text(let text) = source { return writer.string(prefix + text) }
    writer.object { object in
      switch source {
      case .variable(let name): object.member("env", name)
      case .file(let path): object.member("file", path)
      case .text: break
      }
      if !prefix.isEmpty { object.member("prefix", prefix) }
    }
  }
}
