extension ActionResult {
  /// What a handler outside the process may give back.
  static let schema = Schema.object([
    .optional("outcome", .choice(Outcome.allCases.map(\.rawValue))),
    .optional("message", .string),
    .optional("plan", .any, "a PlanUsage"),
    .optional("usage", .any, "a Usage"),
    .optional("restored", .integer(0...(.max))),
    .optional("clearedBytes", .integer(0...(.max))),
    .optional("url", .string),
  ])

  /// Reads a handler's result; null and nothing at all are `completed`.
  ///
  /// - Parameter note: takes one line about members that are the handler's own, which are ignored.
  /// - Throws: what is wrong, with its path.
  public init(reading text: JSONText, note: (String) -> Void) throws(SchemaViolation) {
    guard let view = try? JSONDocument(parsing: text).view else {
      throw SchemaViolation(path: "result", reason: "expected JSON")
    }
    self.init()
    if view.isNull { return }
    do throws(SchemaViolation) { try Self.schema.validate(view, path: "result") } catch {
      try Self.schema.validate(view, path: "result", unknown: .ignored)
      note("ignored \(error.text)")
    }
    outcome = view["outcome"]?.string.flatMap(Outcome.init) ?? .completed
    message = view["message"]?.string
    plan = view["plan"]?.text
    usage = view["usage"]?.text
    restored = view["restored"]?.integer
    clearedBytes = view["clearedBytes"]?.integer
    url = view["url"]?.string
  }
}
