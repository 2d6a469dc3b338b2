import Glibc

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

  /// The same, seen from one level up. Paths are made on the way out of an error, since most values have none.
  /// - Parameter parent: `plan`, or `[2]`.
  fileprivate func under(_ parent: String) -> SchemaViolation {
    let separator = path.isEmpty || parent.isEmpty || path.hasPrefix("[") ? "" : "."
    return SchemaViolation(path: parent + separator + path, reason: reason)
  }
}

extension Schema {
  /// What unknown members of an object mean.
  public enum UnknownMembers: Sendable {
    case refused
    /// Those whose name starts with `//` are comments; others are refused.
    case refusedButComments
    case ignored
  }

  /// Checks a value with all it contains.
  ///
  /// - Parameters:
  ///   - path: where the value stands.
  ///   - universal: members that the outermost object may have beside its own.
  public func validate(
    _ value: JSONView, path: String = "", unknown: UnknownMembers = .refused, universal: [String] = []
  ) throws(SchemaViolation) {
    do throws(SchemaViolation) { try check(value, unknown, universal) } catch { throw error.under(path) }
  }

  /// - Throws: a violation whose path starts at the value.
  private func check(
    _ value: JSONView, _ unknown: UnknownMembers, _ universal: [String] = []
  ) throws(SchemaViolation) {
    switch self {
    case .any: return
    case .boolean: try expect(value.bool != nil, "a boolean", value)
    case .integer(let range):
      guard let number = value.integer, range.contains(number) else {
        throw violation(Self.name(of: range), value, showsValue: value.kind == .integer)
      }
    case .number(let range):
      guard let number = value.number else { throw violation("a number", value) }
      if let range, !range.contains(number) {
        throw violation("expected a number from \(short(range.lowerBound)) to \(short(range.upperBound))")
      }
    case .string(let maxBytes, let nonEmpty): try checkString(value, maxBytes, nonEmpty)
    case .choice(let choices): try checkChoice(value, choices)
    case .array(let element):
      try expect(value.kind == .array, "an array", value)
      for (index, item) in value.elements.enumerated() {
        do throws(SchemaViolation) { try element.check(item, unknown) } catch { throw error.under("[\(index)]") }
      }
    case .object(let properties):
      try expect(value.kind == .object, "an object", value)
      try Self.checkMembers(value, properties, unknown, universal)
    case .oneOf(let alternatives): try checkAlternatives(value, alternatives, unknown)
    case .nullable(let schema): if !value.isNull { try schema.check(value, unknown) }
    case .checked(let schema, let expected, let accepts):
      try schema.check(value, unknown)
      guard !accepts(value) else { return }
      // Where the rule alone says what kind of value it wants, the error says what came instead.
      if case .any = schema { throw violation(expected, value) }
      throw violation("expected \(expected)")
    }
  }

  private func checkString(_ value: JSONView, _ maxBytes: Int?, _ nonEmpty: Bool) throws(SchemaViolation) {
    try expect(value.kind == .string, "a string", value)
    guard nonEmpty || maxBytes != nil, let text = value.string else { return }
    if nonEmpty && text.isEmpty { throw violation("expected a string that is not empty") }
    if let maxBytes, text.utf8.count > maxBytes {
      throw violation("expected at most \(maxBytes) bytes, got \(text.utf8.count)")
    }
  }

  private func checkChoice(_ value: JSONView, _ choices: [String]) throws(SchemaViolation) {
    guard let text = value.string else { throw violation("a string", value) }
    guard !choices.contains(where: { $0.isExactly(text) }) else { return }
    let list = choices.map { "'\($0)'" }.joined(separator: ", ")
    let hint = NearestName.hint(for: text, among: choices)
    throw violation("expected one of \(list), got '\(text.shortened)'" + hint)
  }

  private func checkAlternatives(
    _ value: JSONView, _ alternatives: [[Property]], _ unknown: UnknownMembers
  ) throws(SchemaViolation) {
    try expect(value.kind == .object, "an object", value)
    let present = alternatives.filter { value[$0[0].name] != nil }
    guard present.count == 1 else {
      let tags = alternatives.map { "\($0[0].name)" }
      let list = tags.map { "'\($0)'" }.joined(separator: ", ")
      let given = value.members.map(\.name).first { name in
        !name.utf8.starts(with: "//".utf8) && !tags.contains { $0.isExactly(name) }
      }
      let hint = present.isEmpty ? given.map { NearestName.hint(for: $0, among: tags) } ?? "" : ""
      throw violation("expected exactly one of \(list)" + hint)
    }
    try Self.checkMembers(value, present[0], unknown, [])
  }

  private static func checkMembers(
    _ value: JSONView, _ properties: [Property], _ unknown: UnknownMembers, _ universal: [String]
  ) throws(SchemaViolation) {
    var missing = properties.count(where: \.isRequired)
    try value.forEachMember { (name, member) throws(SchemaViolation) in
      if let property = properties.first(where: { $0.hasName(name) }) {
        if property.isRequired { missing -= 1 }
        // An absent member is its default, and so is null unless null has a meaning.
        if member.isNull && !property.isRequired { return }
        do throws(SchemaViolation) { try property.schema.check(member, unknown) } catch {
          throw error.under("\(property.name)")
        }
      } else if unknown != .ignored && !(unknown == .refusedButComments && name.starts(with: "//".utf8)) {
        try refuse(String(decoding: name, as: UTF8.self), properties, universal)
      }
    }
    guard missing > 0 else { return }
    for property in properties where property.isRequired && value[property.name] == nil {
      throw SchemaViolation(path: "\(property.name)", reason: "missing; expected \(property.schema.expectation)")
    }
  }

  private static func refuse(
    _ name: String, _ properties: [Property], _ universal: [String]
  ) throws(SchemaViolation) {
    guard !universal.contains(where: { $0.isExactly(name) }) else { return }
    let hint = NearestName.hint(for: name, among: properties.map { "\($0.name)" })
    throw SchemaViolation(path: name.shortened, reason: "unknown member" + hint)
  }
}

extension Schema.Property {
  /// Whether a member is this one, byte for byte.
  fileprivate func hasName(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count == name.utf8CodeUnitCount && memcmp(bytes.baseAddress!, name.utf8Start, bytes.count) == 0
  }
}

// MARK: Words

extension Schema {
  private func expect(_ holds: Bool, _ what: String, _ value: JSONView) throws(SchemaViolation) {
    if !holds { throw violation(what, value) }
  }

  private func violation(_ reason: String) -> SchemaViolation { SchemaViolation(path: "", reason: reason) }

  private func violation(_ what: String, _ value: JSONView, showsValue: Bool = false) -> SchemaViolation {
    violation("expected \(what), got \(showsValue ? "\(value.integer ?? 0)" : value.kind.rawValue)")
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
