import Testing

@testable import RPCShell

/// What `params` may be, and what an error says about them.
@Suite(.timeLimit(.usualMinutes(1)))
struct ParamsTests {
  @Test(arguments: ["", #","params":null"#, #","params":[]"#, #","params":[ ]"#, #","params":{}"#])
  func `takes absent, null and empty parameters for none`(_ params: String) async throws {
    for method in ["shell.ping", "get_data", "shutdown", "initialize", "rpc.discover"] {
      let transcript = try await converse(#"{"id":1,"method":"\#(method)"\#(params)}"# + "\n")
      #expect(transcript.frames.first?.errorCode == nil, "\(method): \(transcript.texts)")
      #expect(transcript.frames.count == 1)
    }
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    var method: String
    var params: String
    var message: String
    var path: String?
    var testDescription: String { "\(method) \(params)" }
  }

  @Test(arguments: [
    Refused(method: "test.fail", params: #"["x"]"#, message: "by name"),
    Refused(method: "shell.ping", params: #"[1]"#, message: "by name"),
    Refused(method: "test.fail", params: #""x""#, message: "must be an object"),
    Refused(method: "test.fail", params: "{}", message: "message: missing; expected a string", path: "message"),
    Refused(
      method: "test.fail", params: #"{"message":1}"#, message: "message: expected a string, got an integer",
      path: "message"),
    Refused(
      method: "test.fail", params: #"{"message":null}"#, message: "message: expected a string, got null",
      path: "message"),
    Refused(
      method: "test.fail", params: #"{"message":"x","mesage":1}"#,
      message: "mesage: unknown member; did you mean 'message'?", path: "mesage"),
    Refused(
      method: "test.fail", params: #"{"message":"x","zzzzzzzz":1}"#, message: "zzzzzzzz: unknown member",
      path: "zzzzzzzz"),
    Refused(
      method: "test.slow", params: #"{"seconds":"1"}"#, message: "seconds: expected a number, got a string",
      path: "seconds"),
    Refused(method: "get_data", params: #"{"x":1}"#, message: "x: unknown member", path: "x"),
    Refused(method: "get_data", params: "[1]", message: "by name"),
    Refused(method: "subtract", params: "[1,2,3]", message: "expected at most 2 parameters, got 3"),
    Refused(method: "subtract", params: "[1]", message: "subtrahend: missing", path: "subtrahend"),
    Refused(method: "test.large", params: #"{"bytes":-1}"#, message: "got -1", path: "bytes"),
    Refused(
      method: "test.slow", params: #"{"seconds":0,"workDoneToken":1.5}"#,
      message: "workDoneToken: expected a string or an integer", path: "workDoneToken"),
    Refused(method: "rpc.discover", params: #"{"x":1}"#, message: "x: unknown member", path: "x"),
    Refused(
      method: "$/setTrace", params: #"{"value":"verbos"}"#, message: "did you mean 'verbose'?", path: "value"),
  ])
  func `refuses what does not fit, and says where`(_ row: Refused) async throws {
    let transcript = try await converse(#"{"id":1,"method":"\#(row.method)","params":\#(row.params)}"# + "\n")
    let answer = try #require(transcript.frames.first)
    #expect(answer.errorCode == -32602)
    #expect(answer.errorMessage?.contains(row.message) == true, "\(answer)")
    #expect(answer.at("error.data.path") == row.path.map { "\"\($0)\"" })
    #expect(transcript.frames.count == 1)
    #expect(transcript.status == .failure)
  }

  @Test(arguments: [
    #"{"message":"x","workDoneToken":1}"#, #"{"message":"x","partialResultToken":"p"}"#,
    #"{"message":"x","_meta":{"progressToken":1}}"#, #"{"_meta":null,"message":"x","workDoneToken":null}"#,
  ])
  func `takes the members that every method takes`(_ params: String) async throws {
    let transcript = try await converse(#"{"id":1,"method":"test.fail","params":\#(params)}"# + "\n")
    #expect(transcript.frames.last?.errorCode == 100, "\(transcript.texts)")
  }

  @Test(arguments: ["initialize", "initialized", "shutdown", "$/setTrace", "$/cancelRequest"])
  func `ignores unknown members in the life cycle's own`(_ method: String) async throws {
    let params = #"{"value":"off","id":99,"rootUri":null,"workspaceFolders":[1],"_x":{}}"#
    let transcript = try await converse(#"{"id":1,"method":"\#(method)","params":\#(params)}"# + "\n")
    #expect(transcript.frames.first?.errorCode == nil, "\(transcript.texts)")
  }

  @Test(arguments: [
    (#"{"a":1,"b":[1.50,1e2,-0],"c":"\u00e9\/","d":{}}"#, #"{"a":1,"b":[1.50,1e2,-0],"c":"\u00e9\/","d":{}}"#),
    (#"{ "a" : [ 1 , 2 ] , "b" : " x  y " }"#, #"{"a":[1,2],"b":" x  y "}"#),
    ("{\"a\":\"\u{2028}\u{2029}\"}", #"{"a":"\u2028\u2029"}"#),
    ("{\"\u{FEFF}é\":\"größe-🚀\"}", "{\"\u{FEFF}é\":\"größe-🚀\"}"),
    (#"{"zero":"\u0000"}"#, #"{"zero":"\u0000"}"#),
  ])
  func `echoes the parameters of a ping text for text`(_ params: String, _ result: String) async throws {
    let transcript = try await converse(#"{"id":1,"method":"shell.ping","params":\#(params)}"# + "\n")
    #expect(transcript.texts == [#"{"jsonrpc":"2.0","id":1,"result":\#(result)}"#])
  }
}
