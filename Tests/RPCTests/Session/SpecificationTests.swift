import Testing

@testable import RPCShell

/// The examples of the JSON-RPC 2.0 specification, section 7, in its order. Codes, ids and results are its own; texts of
/// errors are ours.
@Suite(.timeLimit(.usualMinutes(1)))
struct SpecificationTests {
  struct Example: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var sent: String
    /// What comes back, each answer as `id result` or `id code`; a batch in brackets.
    var answered: [String]
  }

  static let examples = [
    Example(
      testDescription: "positional parameters",
      sent: #"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#, answered: ["1 19"]),
    Example(
      testDescription: "positional parameters, the other way round",
      sent: #"{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}"#, answered: ["2 -19"]),
    Example(
      testDescription: "named parameters",
      sent: #"{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}"#,
      answered: ["3 19"]),
    Example(
      testDescription: "named parameters, the other way round",
      sent: #"{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}"#,
      answered: ["4 19"]),
    Example(
      testDescription: "a notification", sent: #"{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}"#,
      answered: []),
    Example(
      testDescription: "a notification of an unknown method", sent: #"{"jsonrpc": "2.0", "method": "foobar"}"#,
      answered: []),
    Example(
      testDescription: "a call of an unknown method", sent: #"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#,
      answered: [#""1" -32601"#]),
    Example(
      testDescription: "invalid JSON", sent: #"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#,
      answered: ["null -32700"]),
    Example(
      testDescription: "an invalid request", sent: #"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#,
      answered: ["null -32600"]),
    Example(
      testDescription: "a batch of invalid JSON",
      sent: """
        [
          {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
          {"jsonrpc": "2.0", "method"
        ]
        """, answered: ["null -32700"]),
    Example(testDescription: "an empty array", sent: "[]", answered: ["null -32600"]),
    Example(testDescription: "an invalid batch, but not empty", sent: "[1]", answered: ["[null -32600]"]),
    Example(
      testDescription: "an invalid batch", sent: "[1,2,3]", answered: ["[null -32600, null -32600, null -32600]"]),
    Example(
      testDescription: "a batch",
      sent: """
        [
            {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
            {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
            {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
            {"foo": "boo"},
            {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
            {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
        ]
        """, answered: [#"["1" 7, "2" 19, null -32600, "5" -32601, "9" ["hello",5]]"#]),
    Example(
      testDescription: "a batch of notifications",
      sent: """
        [
            {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
            {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}
        ]
        """, answered: []),
  ]

  @Test(arguments: examples) func `answers the specification's examples as it does`(_ example: Example) async throws {
    let transcript = try await converse(example.sent + "\n")
    let answers = try transcript.frames.map { try Self.outline($0.json) }
    #expect(answers == example.answered)
    for frame in transcript.frames { #expect(frame.text.contains(#"{"jsonrpc":"2.0","id":"#)) }
  }

  @Test func `answers the specification's examples in one session, in order`() async throws {
    let transcript = try await converse(Self.examples.map { $0.sent + "\n" }.joined())
    let answers = try transcript.frames.map { try Self.outline($0.json) }
    #expect(answers == Self.examples.flatMap(\.answered))
  }

  @Test(arguments: examples) func `answers the examples behind a header block alike`(_ example: Example) async throws {
    let transcript = try await converse("Content-Length: \(example.sent.utf8.count)\r\n\r\n\(example.sent)")
    let answers = try transcript.frames.map { try Self.outline($0.json) }
    #expect(answers == example.answered)
  }

  private static func outline(_ answer: JSONView) -> String {
    guard answer.kind != .array else { return "[" + answer.elements.map(outline).joined(separator: ", ") + "]" }
    let id = answer["id"]?.text.description ?? "no id"
    return id + " " + (answer["result"] ?? answer["error"]?["code"]).map(\.text.description, or: "neither")
  }
}

extension Optional {
  fileprivate func map<Value>(_ path: (Wrapped) -> Value, or other: Value) -> Value { map(path) ?? other }
}
