/// Why a value does not fit its schema: the path of the member and what was expected there.
public struct SchemaViolation: Error, Equatable, Sendable {
  /// `plan.meters[2].limit`; empty for the value itself.
  public var path: String
  /// `expected a number, got a string`
  public var reason: String

  public init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  /// `meters[2].limit: expected a number, got a string`
  public var text: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

extension Schema {
  /// What unknown members of an object mean.
  public enum UnknownMembers: Sendable {
    case refused
    case ignored
  }

  /// Checks a value with all it contains.
  ///
  /// - Parameter universal: members that the outermost object may have beside its own.
  public func validate(
    _ value: JSONView, path: String = "", unknown: UnknownMembers = .refused, universal: [String] = []
  ) throws(SchemaViolation) {
    switch self {
    case .any: return
    case .boolean: try expect(value.bool != nil, "a boolean", value, path)
    case .integer(let range):
      guard let number = value.integer, range.contains(number) else {
        throw violation(Self.name(of: range), value, path, showsValue: value.kind == .integer)
      }
    case .number(let range):
      guard let number = value.number else { throw violation("a number", value, path) }
      if let range, !range.contains(number) {
        throw SchemaViolation(
          path: path, reason: "expected a number from \(short(range.lowerBound)) to \(short(range.upperBound))")
      }
    case .string(let maxBytes, let nonEmpty):
      guard let text = value.string else { throw violation("a string", value, path) }
      if nonEmpty && text.isEmpty { throw SchemaViolation(path: path, reason: "expected a string that is not empty") }
      if let maxBytes, text.utf8.count > maxBytes {
        throw SchemaViolation(path: path, reason: "expected at most \(maxBytes) bytes, got \(text.utf8.count)")
      }
    case .choice(let choices): try validateChoice(value, choices, path)
    case .array(let element):
      try expect(value.kind == .array, "an array", value, path)
      for (index, item) in value.elements.enumerated() {
        try element.validate(item, path: "\(path)[\(index)]", unknown: unknown)
      }
    case .object(let properties):
      try expect(value.kind == .object, "an object", value, path)
      try Self.validateMembers(value, properties, path, unknown, universal)
    case .oneOf(let alternatives): try validateAlternatives(value, alternatives, path, unknown)
    case .nullable(let schema): if !value.isNull { try schema.validate(value, path: path, unknown: unknown) }
    case .checked(let schema, let expected, let accepts):
      try schema.validate(value, path: path, unknown: unknown)
      guard !accepts(value) else { return }
      // Where the rule alone says what kind of value it wants, the error says what came instead.
      if case .any = schema { throw violation(expected, value, path) }
      throw SchemaViolation(path: path, reason: "expected \(expected)")
    }
  }

  private func validateChoice(_ value: JSONView, _ choices: [String], _ path: String) throws(SchemaViolation) {
    guard let text = value.string else { throw violation("a string", value, path) }
    guard !choices.contains(text) else { return }
    let list = choices.map { "'\($0)'" }.joined(separator: ", ")
    let hint = NearestName.hint(for: text, among: choices)
    throw SchemaViolation(path: path, reason: "expected one of \(list), got '\(text.shortened)'" + hint)
  }

  private func validateAlternatives(
    _ value: JSONView, _ alternatives: [[Property]], _ path: String, _ unknown: UnknownMembers
  ) throws(SchemaViolation) {
    try expect(value.kind == .object, "an object", value, path)
    let tags = alternatives.map { $0[0].name }
    let present = alternatives.filter { value[$0[0].name] != nil }
    guard present.count == 1 else {
      let list = tags.map { "'\($0)'" }.joined(separator: ", ")
      let given = value.members.map(\.name).first { !tags.contains($0) }
      let hint = present.isEmpty ? given.map { NearestName.hint(for: $0, among: tags) } ?? "" : ""
      throw SchemaViolation(path: path, reason: "expected exactly one of \(list)" + hint)
    }
    try Self.validateMembers(value, present[0], path, unknown, [])
  }

  private static func validateMembers(
    _ value: JSONView, _ properties: [Property], _ path: String, _ unknown: UnknownMembers, _ universal: [String]
  ) throws(SchemaViolation) {
    let prefix = path.isEmpty ? "" : path + "."
    let given = value.members
    for (name, member) in given {
      if let property = properties.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
        // An absent member is its default, and so is null unless null has a meaning.
        if member.isNull && !property.isRequired { continue }
        try property.schema.validate(member, path: prefix + name, unknown: unknown)
      } else if unknown == .refused && !universal.contains(name) {
        let hint = NearestName.hint(for: name, among: properties.map(\.name))
        throw SchemaViolation(path: prefix + name.shortened, reason: "unknown member" + hint)
      }
    }
    for property in properties
    where property.isRequired && !given.contains(where: { $0.name.utf8.elementsEqual(property.name.utf8) }) {
      throw SchemaViolation(path: prefix + property.name, reason: "missing; expected \(property.schema.expectation)")
    }
  }

  // MARK: Words

  private func expect(_ holds: Bool, _ what: String, _ value: JSONView, _ path: String) throws(SchemaViolation) {
    if !holds { throw violation(what, value, path) }
  }

  private func violation(_ what: String, _ value: JSONView, _ path: String, showsValue: Bool = false) -> SchemaViolation
  {
    let got = showsValue ? "\(value.integer ?? 0)" : value.kind.rawValue
    return SchemaViolation(path: path, reason: "expected \(what), got \(got)")
  }

  private func short(_ number: Double) -> String { JSONText(shortest: number).description }

  private static func name(of range: ClosedRange<Int>) -> String {
    switch (range.lowerBound, range.upperBound) {
    case (.min, .max): "an integer"
    case (let low, .max): "an integer of at least \(low)"
    case (let low, let high): "an integer from \(low) to \(high)"
    }
  }

  /// What a value of this schema is called in an error.
  private var expectation: String {
    switch self {
    case .any: "a value"
    case .boolean: "a boolean"
    case .integer(let range): Self.name(of: range)
    case .number: "a number"
    case .string, .choice: "a string"
    case .array: "an array"
    case .object, .oneOf: "an object"
    case .nullable(let schema): "\(schema.expectation) or null"
    case .checked(_, let expected, _): expected
    }
  }
}
