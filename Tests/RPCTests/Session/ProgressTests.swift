import Testing

@testable import RPCShell

/// `$/progress` and `$/setTrace`.
@Suite(.timeLimit(.usualMinutes(1)))
struct ProgressTests {
  private static func progress(_ token: String, _ value: String) -> String {
    #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":\#(token),"value":\#(value)}}"#
  }

  @Test(arguments: ["1", "0", "-3", #""""#, #""p1""#, #""größe""#, "9007199254740993"])
  func `reports from begin to end before the reply`(_ token: String) async throws {
    let transcript = try await converse(
      #"{"id":1,"method":"test.slow","params":{"seconds":0,"workDoneToken":\#(token)}}"# + "\n")
    #expect(
      transcript.texts == [
        Self.progress(token, #"{"kind":"begin","title":"Slow","cancellable":true,"percentage":0}"#),
        Self.progress(token, #"{"kind":"end"}"#),
        #"{"jsonrpc":"2.0","id":1,"result":true}"#,
      ])
  }

  @Test func `reports nothing after the answer, however close the cancel comes`() async throws {
    // Every other call is over when its cancel comes.
    let calls = (1...1000).map { id in
      #"{"id":\#(id),"method":"test.slow","params":{"seconds":\#(id % 2 * 60),"workDoneToken":\#(id)}}"# + "\n"
        + #"{"method":"$/cancelRequest","params":{"id":\#(id)}}"# + "\n"
    }
    let transcript = try await converse(calls.joined())
    var kinds: [String: [String]] = [:]
    for frame in transcript.frames {
      guard let id = frame.at("params.token") ?? frame.id else { continue }
      kinds[id, default: []].append(frame.at("params.value.kind") ?? "answer")
    }
    #expect(kinds.count == 1000)
    #expect(kinds.values.allSatisfy { $0 == [#""begin""#, #""end""#, "answer"] })
  }

  @Test func `ends the progress of a cancelled request before its answer`() async throws {
    let transcript = try await converse(
      #"{"id":1,"method":"test.slow","params":{"seconds":60,"workDoneToken":0}}"# + "\n"
        + #"{"method":"$/cancelRequest","params":{"id":1}}"# + "\n")
    #expect(
      transcript.frames.map { $0.at("params.value.kind") ?? $0.at("error.code") } == ["\"begin\"", "\"end\"", "-32800"])
  }

  @Test(arguments: ["", #","workDoneToken":null"#])
  func `says nothing without a token`(_ member: String) async throws {
    let transcript = try await converse(#"{"id":1,"method":"test.slow","params":{"seconds":0\#(member)}}"# + "\n")
    #expect(transcript.texts == [#"{"jsonrpc":"2.0","id":1,"result":true}"#])
  }

  @Test func `reports on a notification that has a token`() async throws {
    let transcript = try await converse(#"{"method":"test.slow","params":{"seconds":0,"workDoneToken":"t"}}"# + "\n")
    #expect(transcript.frames.map { $0.at("params.value.kind") } == ["\"begin\"", "\"end\""])
  }

  @Test func `traces answers for those who ask`() async throws {
    let calls = #"{"id":1,"method":"get_data"}"# + "\n" + #"{"id":2,"method":"shell.ping"}"# + "\n"
    let transcript = try await converse(
      calls + #"{"method":"$/setTrace","params":{"value":"messages"}}"# + "\n" + calls
        + #"{"method":"$/setTrace","params":{"value":"off"}}"# + "\n" + calls)
    #expect(transcript.frames.filter { $0.id != nil }.count == 6)
    #expect(
      transcript.frames.filter { $0.method == "$/logTrace" }.map { $0.at("params.message") }
        == [#""Answered 'get_data' (id 1).""#, #""Answered 'shell.ping' (id 2).""#])
  }
}
