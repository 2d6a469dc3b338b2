import Testing

@testable import RPCShell

/// Messages without an id: never answered, seen in their effects, on stderr and in the exit status.
@Suite(.timeLimit(.usualMinutes(1)))
struct NotificationTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var sent: String
    /// What the line on stderr says; nil: there is none.
    var line: String?
    var status: ShellStatus
    var testDescription: String { sent }

    init(_ sent: String, line: String? = nil, status: ShellStatus) {
      self.sent = sent
      self.line = line
      self.status = status
    }
  }

  @Test(arguments: [
    // What could not be run, and what failed.
    Row(#"{"method":"test.slwo"}"#, line: "unknown method 'test.slwo'; did you mean 'test.slow'?", status: .failure),
    Row(
      #"{"method":"test.fail","params":{"mesage":"x"}}"#, line: "test.fail: mesage: unknown member", status: .failure),
    Row(#"{"method":"test.fail","params":["x"]}"#, line: "by name", status: .failure),
    Row(#"{"method":"test.fail","params":{"message":"Card declined."}}"#, line: "Card declined.", status: .failure),
    Row(#"{"method":"initialize"}"#, line: "initialize: must be a request", status: .failure),
    // Queries that only make sense with an id.
    Row(#"{"method":"get_data"}"#, line: "'get_data' without an \"id\" has no effect", status: .success),
    Row(#"{"method":"shell.ping"}"#, line: "'shell.ping' without an \"id\" has no effect", status: .success),
    Row(#"{"method":"rpc.discover"}"#, line: "'rpc.discover' without an \"id\" has no effect", status: .success),
    // What works.
    Row(#"{"method":"update","params":[1]}"#, status: .success),
    Row(#"{"method":"test.slow","params":{"seconds":0}}"#, status: .success),
    Row(#"{"method":"initialized"}"#, status: .success),
    Row(#"{"method":"shutdown"}"#, status: .success),
    Row(#"{"method":"$/setTrace","params":{"value":"off"}}"#, status: .success),
    // What is ignored.
    Row(#"{"method":"$/unknown","params":{"x":1}}"#, status: .success),
    Row(#"{"method":"$/"}"#, status: .success),
    Row(#"{"method":"$/cancelRequest","params":{"id":99}}"#, status: .success),
  ])
  func `has no reply, but a line on stderr and the exit status where it helps`(_ row: Row) async throws {
    let transcript = try await converse(row.sent + "\n")
    #expect(transcript.texts == [])
    #expect(transcript.log.count == (row.line == nil ? 0 : 1), "\(transcript.log)")
    if let line = row.line { #expect(transcript.log.first?.contains(line) == true, "\(transcript.log)") }
    #expect(transcript.log.allSatisfy { $0.hasPrefix("rpcshell: ") })
    #expect(transcript.status == row.status)
  }

  @Test func `answers an unknown request of the protocol's own kind`() async throws {
    let transcript = try await converse(#"{"id":1,"method":"$/x"}"# + "\n")
    #expect(transcript.frames.map(\.errorCode) == [-32601])
  }

  @Test(arguments: [
    #"{"id":5,"result":{}}"#, #"{"id":"x","error":{"code":1,"message":"m"}}"#, #"{"id":null,"result":1}"#,
  ])
  func `drops an answer to a request that was not made, with one line`(_ answer: String) async throws {
    let transcript = try await converse(answer + "\n" + #"{"id":1,"method":"shell.ping"}"# + "\n")
    #expect(transcript.texts == [#"{"jsonrpc":"2.0","id":1,"result":{}}"#])
    #expect(transcript.log.count == 1 && transcript.log[0].contains("dropped an answer"))
    #expect(transcript.status == .success)
  }

  @Test func `keeps control characters of the wire out of its lines`() async throws {
    let transcript = try await converse(#"{"method":"a\u001b[31m\u0007\nb"}"# + "\n")
    let line = try #require(transcript.log.first)
    #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "\(line)")
    #expect(transcript.log.count == 1)
  }

  @Test func `publishes what a notification changed without a request id`() async throws {
    let transcript = try await converse(#"{"method":"test.event","params":{"revision":1,"section":"x"}}"# + "\n")
    #expect(
      transcript.texts == [
        #"{"jsonrpc":"2.0","method":"test.state","params":{"revision":1,"cause":"event","state":{"section":"x"}}}"#
      ])
  }
}
