/// What a value must look like: checked on the way in, and published by `rpc.discover` as JSON Schema. One declaration
/// serves both, so what the shell says it accepts is what it accepts.
public indirect enum Schema: Sendable {
  case any
  case boolean
  case integer(ClosedRange<Int>)
  case number(ClosedRange<Double>?)
  case string(maxBytes: Int?, nonEmpty: Bool)
  /// One of these strings.
  case choice([String])
  case array(Schema)
  case object([Property])
  /// One of several objects, told apart by the first property of each, of which exactly one must be there.
  case oneOf([[Property]])
  /// The value or null, where null has a meaning of its own (elsewhere null is the same as absent).
  case nullable(Schema)
  /// A value with a rule that JSON Schema does not have.
  case checked(Schema, expected: String, accepts: @Sendable (JSONView) -> Bool)

  /// A member of an object.
  public struct Property: Sendable {
    /// The member's name.
    public var name: StaticString
    /// What its value must look like.
    public var schema: Schema
    /// Whether it must be there, and not be null.
    public var isRequired: Bool
    /// One line for `rpc.discover`.
    public var summary: String?

    /// What is published: a member that may be left out may be null as well.
    var published: Schema {
      switch schema {
      case .any, .nullable: schema
      default: isRequired ? schema : .nullable(schema)
      }
    }

    /// A member that must be there.
    public static func required(_ name: StaticString, _ schema: Schema, _ summary: String? = nil) -> Property {
      Property(name: name, schema: schema, isRequired: true, summary: summary)
    }

    /// A member that may be left out or be null.
    public static func optional(_ name: StaticString, _ schema: Schema, _ summary: String? = nil) -> Property {
      Property(name: name, schema: schema, isRequired: false, summary: summary)
    }
  }

  /// Any string.
  public static var string: Schema { .string(maxBytes: nil, nonEmpty: false) }
  /// A string of at least one character.
  public static var nonEmptyString: Schema { .string(maxBytes: nil, nonEmpty: true) }
  /// Any number.
  public static var number: Schema { .number(nil) }
  /// An object without members.
  public static var emptyObject: Schema { .object([]) }
}

// MARK: JSON Schema

extension Schema {
  /// Writes the schema in the words of JSON Schema (draft 7, which OpenRPC uses).
  public func write(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  private func writeMembers(to writer: inout JSONWriter) {
    switch self {
    case .any: break
    case .boolean: writer.member("type", "boolean")
    case .integer(let range):
      writer.member("type", "integer")
      if range.lowerBound != .min { writer.member("minimum", range.lowerBound) }
      if range.upperBound != .max { writer.member("maximum", range.upperBound) }
    case .number(let range):
      writer.member("type", "number")
      if let range {
        writer.member("minimum", JSONText(shortest: range.lowerBound))
        writer.member("maximum", JSONText(shortest: range.upperBound))
      }
    case .string(let maxBytes, let nonEmpty):
      writer.member("type", "string")
      if nonEmpty { writer.member("minLength", 1) }
      if let maxBytes { writer.member("maxLength", maxBytes) }
    case .choice(let values):
      writer.member("type", "string")
      writer.key("enum")
      writer.array { list in for value in values { list.string(value) } }
    case .array(let element):
      writer.member("type", "array")
      writer.key("items")
      element.write(to: &writer)
    case .object(let properties): Self.writeObject(properties, to: &writer)
    case .oneOf(let alternatives):
      writer.key("oneOf")
      writer.array { list in
        for properties in alternatives { list.object { Self.writeObject(properties, to: &$0) } }
      }
    case .nullable(let schema):
      writer.key("anyOf")
      writer.array { list in
        schema.write(to: &list)
        list.object { $0.member("type", "null") }
      }
    case .checked(let schema, let expected, _):
      schema.withoutRules.writeMembers(to: &writer)
      writer.member("description", expected)
    }
  }

  /// What is left without rules of our own: of several, the outermost describes the value.
  private var withoutRules: Schema {
    if case .checked(let schema, _, _) = self { schema.withoutRules } else { self }
  }

  private static func writeObject(_ properties: [Property], to writer: inout JSONWriter) {
    writer.member("type", "object")
    writer.key("properties")
    writer.object { members in
      for property in properties {
        members.key(property.name)
        members.object { member in
          property.published.writeMembers(to: &member)
          if let summary = property.summary { member.member("title", summary) }
        }
      }
    }
    let required = properties.filter(\.isRequired)
    if !required.isEmpty {
      writer.key("required")
      writer.array { list in for property in required { list.string("\(property.name)") } }
    }
    writer.member("additionalProperties", false)
  }
}
