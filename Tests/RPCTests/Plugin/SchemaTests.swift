import Testing

@testable import RPCShell

/// A value, a schema, and what is wrong with the value; nil is nothing.
private struct Check: Sendable, CustomStringConvertible {
  let text: String
  let schema: Schema
  let expected: String?
  var description: String { text }

  init(_ text: String, _ schema: Schema, _ expected: String?) {
    self.text = text
    self.schema = schema
    self.expected = expected
  }
}

private func parsed(_ text: String) throws -> JSONView {
  try JSONDocument(parsing: JSONText(trusted: Array(text.utf8))).view
}

// Computed, since the leak sanitizer does not see the boxes of a global schema.
private var even: Schema {
  .checked(.integer(0...100), expected: "an even number") { $0.integer.map { $0 % 2 == 0 } ?? true }
}
private var day: Schema { .checked(.any, expected: "a day") { $0.string == "monday" } }
private var plan: Schema {
  .object([
    .required("name", .nonEmptyString), .optional("limit", .number(0...1)), .optional("note", .nullable(.string)),
    .optional("meters", .array(.object([.required("id", .string), .optional("used", .integer(0...Int.max))]))),
  ])
}
private var usage: Schema {
  .oneOf([
    [.required("bytes", .integer(.min ... .max))], [.required("share", .number), .optional("of", .string)],
  ])
}

struct SchemaValidationTests {
  @Test(arguments: [
    Check("null", .any, nil), Check("true", .boolean, nil), Check("1", .boolean, "expected a boolean, got an integer"),
    Check("null", .boolean, "expected a boolean, got null"),
    Check("5", .integer(.min ... .max), nil),
    Check("5.0", .integer(.min ... .max), "expected an integer, got a number"),
    Check(#""5""#, .integer(.min ... .max), "expected an integer, got a string"),
    Check("-1", .integer(0...Int.max), "expected an integer of at least 0, got -1"),
    Check("11", .integer(0...10), "expected an integer from 0 to 10, got 11"),
    Check("0", .integer(0...10), nil), Check("10", .integer(0...10), nil),
    Check("1", .number, nil), Check("1.5", .number, nil), Check("[]", .number, "expected a number, got an array"),
    Check("1.1", .number(0...1), "expected a number from 0 to 1"),
    Check("-0.1", .number(0.5...8.2), "expected a number from 0.5 to 8.2"),
    Check("1", .number(0...1), nil), Check(#""""#, .string, nil),
    Check("{}", .string, "expected a string, got an object"),
    Check(#""""#, .nonEmptyString, "expected a string that is not empty"),
    Check(#""éé""#, .string(maxBytes: 4, nonEmpty: false), nil),
    Check(#""ééx""#, .string(maxBytes: 4, nonEmpty: false), "expected at most 4 bytes, got 5"),
    Check(#""low""#, .choice(["low", "high"]), nil),
    Check(#""hihg""#, .choice(["low", "high"]), "expected one of 'low', 'high', got 'hihg'; did you mean 'high'?"),
    Check(#""zzzz""#, .choice(["low", "high"]), "expected one of 'low', 'high', got 'zzzz'"),
    Check("1", .choice(["low"]), "expected a string, got an integer"),
    Check("[1,2]", .array(.integer(0...9)), nil), Check("[]", .array(.string), nil),
    Check("{}", .array(.string), "expected an array, got an object"),
    Check(#"[1,"x"]"#, .array(.integer(0...9)), "[1]: expected an integer from 0 to 9, got a string"),
    Check("[[1],[2,true]]", .array(.array(.number)), "[1][1]: expected a number, got a boolean"),
    Check("null", .nullable(.string), nil), Check("1", .nullable(.string), "expected a string, got an integer"),
    Check("4", even, nil), Check("3", even, "expected an even number"),
    Check("101", even, "expected an integer from 0 to 100, got 101"),
    Check(#""monday""#, day, nil), Check(#""x""#, day, "expected a day, got a string"),
    Check("1", day, "expected a day, got an integer"),
  ])
  fileprivate func `checks single values`(check: Check) throws {
    try verify(check)
  }

  @Test(arguments: [
    Check(#"{"name":"a"}"#, plan, nil), Check("[]", plan, "expected an object, got an array"),
    Check("{}", plan, "name: missing; expected a string"),
    Check(#"{"name":null}"#, plan, "name: expected a string, got null"),
    Check(#"{"name":"a","limit":null,"meters":null}"#, plan, nil),
    Check(#"{"name":"a","note":null}"#, plan, nil),
    Check(#"{"name":"a","note":1}"#, plan, "note: expected a string, got an integer"),
    Check(#"{"name":"a","limit":2}"#, plan, "limit: expected a number from 0 to 1"),
    Check(#"{"name":"a","limt":1}"#, plan, "limt: unknown member; did you mean 'limit'?"),
    Check(#"{"name":"a","Limit":1}"#, plan, "Limit: unknown member; did you mean 'limit'?"),
    Check(#"{"name":"a","colour":1}"#, plan, "colour: unknown member"),
    Check(#"{"name":"a","colour":null}"#, plan, "colour: unknown member"),
    Check(
      #"{"name":"a","meters":[{"id":"x"},{"id":1}]}"#, plan, "meters[1].id: expected a string, got an integer"
    ),
    Check(
      #"{"name":"a","meters":[{"id":"x","used":-1}]}"#, plan,
      "meters[0].used: expected an integer of at least 0, got -1"),
    Check(#"{"name":"a","meters":[{}]}"#, plan, "meters[0].id: missing; expected a string"),
    Check(
      #"{"name":"a","meters":[{"id":"x","usd":1}]}"#, plan,
      "meters[0].usd: unknown member; did you mean 'used'?"),
    Check(#"{"bytes":1}"#, usage, nil), Check(#"{"share":0.5,"of":"x"}"#, usage, nil),
    Check("{}", usage, "expected exactly one of 'bytes', 'share'"),
    Check(#"{"bytes":1,"share":1}"#, usage, "expected exactly one of 'bytes', 'share'"),
    Check(#"{"byte":1}"#, usage, "expected exactly one of 'bytes', 'share'; did you mean 'bytes'?"),
    Check(#"{"bytes":1,"of":"x"}"#, usage, "of: unknown member"),
    Check(#"{"share":"x"}"#, usage, "share: expected a number, got a string"),
    Check("1", usage, "expected an object, got an integer"), Check(#"{"a":1}"#, .emptyObject, "a: unknown member"),
  ])
  fileprivate func `checks objects, with the path of what is wrong`(check: Check) throws {
    try verify(check)
  }

  private func verify(_ check: Check) throws {
    let value = try parsed(check.text)
    do throws(SchemaViolation) {
      try check.schema.validate(value)
      #expect(check.expected == nil)
    } catch {
      #expect(error.text == check.expected)
    }
  }

  @Test func `names what is missing`() throws {
    let everything: [(Schema, String)] = [
      (.any, "a value"), (.boolean, "a boolean"), (.integer(1...2), "an integer from 1 to 2"),
      (.number(0...1), "a number"),
      (.string, "a string"), (.choice(["a"]), "a string"), (.array(.any), "an array"), (.emptyObject, "an object"),
      (usage, "an object"), (.nullable(.string), "a string or null"), (even, "an even number"),
    ]
    for (schema, name) in everything {
      let violation = #expect(throws: SchemaViolation.self) {
        try Schema.object([.required("x", schema)]).validate(parsed("{}"), path: "params")
      }
      #expect(violation == SchemaViolation(path: "params.x", reason: "missing; expected \(name)"))
    }
  }

  @Test func `passes over unknown members where it is told to, at every depth`() throws {
    let value = try parsed(#"{"name":"a","x":1,"meters":[{"id":"x","y":1}]}"#)
    try plan.validate(value, unknown: .ignored)
    #expect(throws: SchemaViolation.self) { try plan.validate(value) }
  }

  @Test func `takes members with two slashes in front for comments where it is told to, at every depth`() throws {
    let value = try parsed(#"{"// name":1,"name":"a","meters":[{"//":{},"id":"x"}]}"#)
    try plan.validate(value, unknown: .refusedButComments)
    #expect(throws: SchemaViolation.self) { try plan.validate(value) }
    try usage.validate(try parsed(#"{"// why":"x","bytes":1}"#), unknown: .refusedButComments)
    for text in [#"{"/name":1,"name":"a"}"#, #"{"name //":1,"name":"a"}"#] {
      #expect(throws: SchemaViolation.self) { try plan.validate(try parsed(text), unknown: .refusedButComments) }
    }
  }

  @Test func `allows members that every method has, in the outermost object only`() throws {
    try plan.validate(try parsed(#"{"name":"a","_meta":{}}"#), universal: ["_meta"])
    let inside = try parsed(#"{"name":"a","meters":[{"id":"x","_meta":1}]}"#)
    let violation = #expect(throws: SchemaViolation.self) { try plan.validate(inside, universal: ["_meta"]) }
    #expect(violation?.path == "meters[0]._meta")
  }
}

struct SchemaTextTests {
  @Test(arguments: [
    Check("{}", .any, nil), Check(#"{"type":"boolean"}"#, .boolean, nil),
    Check(#"{"type":"integer"}"#, .integer(.min ... .max), nil),
    Check(#"{"type":"integer","minimum":0}"#, .integer(0...Int.max), nil),
    Check(#"{"type":"integer","minimum":-5,"maximum":5}"#, .integer(-5...5), nil),
    Check(#"{"type":"number"}"#, .number, nil),
    Check(#"{"type":"number","minimum":0,"maximum":8.2}"#, .number(0...8.2), nil),
    Check(#"{"type":"string"}"#, .string, nil), Check(#"{"type":"string","minLength":1}"#, .nonEmptyString, nil),
    Check(#"{"type":"string","maxLength":9}"#, .string(maxBytes: 9, nonEmpty: false), nil),
    Check(#"{"type":"string","enum":["a","b\""]}"#, .choice(["a", #"b""#]), nil),
    Check(#"{"type":"array","items":{"type":"boolean"}}"#, .array(.boolean), nil),
    Check(#"{"type":"object","properties":{},"additionalProperties":false}"#, .emptyObject, nil),
    Check(
      #"{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}],"title":"what"},"b":{}},"required":["b"],"#
        + #""additionalProperties":false}"#,
      .object([.optional("a", .string, "what"), .required("b", .any)]), nil),
    Check(
      #"{"oneOf":[{"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false},"#
        + #"{"type":"object","properties":{"b":{}},"required":["b"],"additionalProperties":false}]}"#,
      .oneOf([[.required("a", .any)], [.required("b", .any)]]), nil),
    Check(#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, .nullable(.string), nil),
    Check(#"{"type":"integer","minimum":0,"maximum":100,"description":"an even number"}"#, even, nil),
    Check(#"{"description":"outer"}"#, .checked(day, expected: "outer") { _ in true }, nil),
  ])
  fileprivate func `is written as JSON Schema`(check: Check) throws {
    let text = JSONText { check.schema.write(to: &$0) }
    #expect(text.description == check.text)
    _ = try JSONDocument(parsing: text)
  }
}
