import Testing

@testable import RPCShell

struct MessageTests {
  /// What a message is, as a value.
  enum Sense: Equatable, Sendable {
    case call(method: String, id: String? = nil, params: String? = nil)
    case response(id: String)
    case invalid(String, id: String? = nil)
  }

  private func sense(of text: String, isStrict: Bool = false) -> Sense {
    Array(text.utf8).withUnsafeBytes { bytes in
      let message = Message(bytes, Scanned(text).outline, isStrict: isStrict)
      let id = message.id.map { String(decoding: $0, as: UTF8.self) }
      switch message.kind {
      case .call:
        return .call(
          method: String(decoding: message.method, as: UTF8.self), id: id,
          params: message.params.map { String(decoding: $0, as: UTF8.self) })
      case .response: return .response(id: id ?? "none")
      case .invalid(let reason): return .invalid("\(reason)", id: id)
      }
    }
  }

  @Test(
    arguments: [
      Row(
        #"{"jsonrpc":"2.0","id":1,"method":"a.b","params":{"x":1}}"#,
        .call(method: "a.b", id: "1", params: #"{"x":1}"#)),
      Row(#"{"jsonrpc":"2.0","method":"a"}"#, .call(method: "a")),
      Row(#"{"params":[],"method":"a","id":""}"#, .call(method: "a", id: #""""#, params: "[]")),
      Row(#"{"method":"a","id":null}"#, .call(method: "a", id: "null")),
      Row(#"{"method":"a","id":-1.50}"#, .call(method: "a", id: "-1.50")),
      Row(#"{"method":"a","params":null}"#, .call(method: "a", params: "null")),
      Row(#"{"method":"","id":1}"#, .call(method: "", id: "1")),
      Row(#"{"method":"\u0061"}"#, .call(method: #"\u0061"#)),
      Row(#"{"method":"a","id":1,"result":2}"#, .call(method: "a", id: "1")),
      Row(#"{"jsonrpc":"2.0","id":1,"result":null}"#, .response(id: "1")),
      Row(#"{"id":"x","error":{"code":1,"message":""}}"#, .response(id: #""x""#)),
      Row(#"{"id":null,"error":{}}"#, .response(id: "null")),
      Row("{}", .invalid(#"the member "method" is missing"#)),
      Row(#"{"id":1}"#, .invalid(#"the member "method" is missing"#, id: "1")),
      Row(#"{"result":1}"#, .invalid(#"the member "method" is missing"#)),
      Row(#"{"id":1,"method":1}"#, .invalid(#""method" must be a string"#, id: "1")),
      Row(#"{"id":1,"method":null}"#, .invalid(#""method" must be a string"#, id: "1")),
      Row(#"{"id":{},"method":"a"}"#, .invalid("id must be a string, a number or null")),
      Row(#"{"id":[1],"method":"a"}"#, .invalid("id must be a string, a number or null")),
      Row(#"{"id":true,"method":"a"}"#, .invalid("id must be a string, a number or null")),
      Row(#"{"id":false,"result":1}"#, .invalid("id must be a string, a number or null")),
      Row(#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, .invalid(#""jsonrpc" must be "2.0""#, id: "1")),
      Row(#"{"jsonrpc":2.0,"id":1,"method":"a"}"#, .invalid(#""jsonrpc" must be "2.0""#, id: "1")),
      Row(#"{"jsonrpc":null,"method":"a"}"#, .invalid(#""jsonrpc" must be "2.0""#)),
      Row("1 ", .invalid("expected an object")), Row(#""a""#, .invalid("expected an object")),
      Row("null", .invalid("expected an object")), Row("[]", .invalid("expected an object")),
      Row(#" [{"method":"a"}]"#, .invalid("expected an object")),
    ] as [Row<Sense>])
  func `tells what a message asks for`(row: Row<Sense>) {
    #expect(sense(of: row.text) == row.expected)
  }

  @Test(
    arguments: [
      Row(#"{"id":1,"method":"a"}"#, .invalid(#"the member "jsonrpc" is missing"#, id: "1")),
      Row(#"{"id":1,"result":1}"#, .response(id: "1")),
      Row("null", .invalid("expected an object")),
      Row(#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, .call(method: "a", id: "1")),
    ] as [Row<Sense>])
  func `wants the version where it is strict`(row: Row<Sense>) {
    #expect(sense(of: row.text, isStrict: true) == row.expected)
  }
}

struct RPCErrorTests {
  @Test(
    arguments: [
      (.parseError, -32700), (.invalidRequest, -32600), (.methodNotFound, -32601), (.invalidParams, -32602),
      (.internalError, -32603), (.requestCancelled, -32800), (.actionFailed, 100), (.busy, 101), (.notReady, 102),
      (.notAvailable, 103), (.notFound, 104), (.timedOut, 105), (.handlerGone, 106), (.conflict, 107),
      (.overloaded, 108),
      (.store, 109),
    ] as [(RPCError.Code, Int)])
  func `has the codes of the protocol`(code: RPCError.Code, number: Int) {
    #expect(code.rawValue == number)
  }

  @Test(arguments: [
    Row(#"{"code":-32603,"message":""}"#, RPCError(.internalError, "")),
    Row(#"{"code":101,"message":"a \"b\"\n\u2028"}"#, RPCError(.busy, "a \"b\"\n\u{2028}")),
    Row(
      #"{"code":100,"message":"m","data":{"b":1,"a\n":"x"}}"#,
      RPCError(.actionFailed, "m", data: [.init("b", JSONText { $0.integer(1) }), .init("a\n", .string("x"))])),
    Row(#"{"code":-32602,"message":"m","data":{"path":"a.b[2]"}}"#, .invalidParams("m", path: "a.b[2]")),
    Row(#"{"code":-32602,"message":"m"}"#, .invalidParams("m")),
    Row(#"{"code":-32800,"message":"Request cancelled"}"#, .stopped(.cancelled, seconds: nil, data: [])),
    Row(
      #"{"code":105,"message":"timed out","data":{"action":"a","seconds":2.5}}"#,
      .stopped(.timeLimit, seconds: 2.5, data: [.init("action", .string("a"))])),
    Row(
      #"{"code":105,"message":"the session ended before this was finished"}"#,
      .stopped(.drained, seconds: 2, data: [])),
  ])
  func `is written in the order of JSON-RPC`(row: Row<RPCError>) {
    #expect(JSONText { row.expected.write(to: &$0) }.description == row.text)
  }
}
