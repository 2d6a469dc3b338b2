import Testing

@testable import RPCShell

/// Requests that are unanswered while more input comes.
@Suite(.timeLimit(.usualMinutes(1)))
struct InFlightTests {
  private static let slow = #"{"id":1,"method":"test.slow","params":{"seconds":60}}"#

  @Test(arguments: [
    #"{"jsonrpc":"1.0","id":1,"method":"x"}"#, #"{"id":1}"#, #"{"id":1,"method":7}"#, #"{"id":1.0,"method":"no.such"}"#,
    #"{"id":1,"method":"shell.ping","params":{"filler":"\#(String(repeating: "x", count: 300))"}}"#,
  ])
  func `nothing else is answered under the id of a request that runs`(_ second: String) async throws {
    let host = TestHost { $0.decoder.maxMessage = 200 }
    try await host.send(Self.slow + "\n" + second + "\n")
    let refusal = try await host.next()
    #expect(refusal.id == "null" && refusal.errorCode == -32600)
    #expect(refusal.at("error.data.id")?.hasPrefix("1") == true)
    host.clock.advance(by: .seconds(60))
    #expect(try await host.next().text == #"{"jsonrpc":"2.0","id":1,"result":true}"#)
    #expect(try await host.finish().frames == [])
  }

  @Test func `nothing else is answered under an id within a batch`() async throws {
    let transcript = try await converse(
      #"[{"id":1,"method":"get_data"},{"jsonrpc":"2","id":1,"method":"a"},{"id":1},{"id":2,"method":"get_data"}]"#
        + "\n")
    let ids = try transcript.frames[0].json.elements.map { $0["id"]?.text.description }
    #expect(ids == ["1", "null", "null", "2"])
  }

  @Test func `exit needs no id of its own`() async throws {
    let host = TestHost()
    try await host.send(Self.slow + "\n" + #"{"id":1,"method":"exit"}"# + "\n")
    await host.clock.waitForSleepers(2)
    host.clock.advance(by: .seconds(2))
    #expect(try await host.transcript().status == .failure)
  }

  @Test func `starts more than 1,024 actions when they end by themselves`() async throws {
    let count = 5000
    let input =
      #"{"method":"test.unblock","params":{"gate":"g"}}"# + "\n"
      + (1...count).map { #"{"id":\#($0),"method":"test.wait","params":{"gate":"g"}}"# + "\n" }.joined()
    let transcript = try await converse(input)
    #expect(transcript.frames.count == count)
    #expect(transcript.frames.allSatisfy { $0.errorCode == nil })
    #expect(transcript.status == .success)
  }

  @Test func `the answers to a batch stay bounded`() async throws {
    let calls = (1...100).map { #"{"id":\#($0),"method":"test.large","params":{"bytes":1000000}}"# }
    let transcript = try await converse("[" + calls.joined(separator: ",") + "]\n")
    let answers = try #require(transcript.frames.first).json.elements
    #expect(answers.count == 100)
    let refused = answers.filter { $0["error"]?["code"]?.integer == 108 }
    #expect((30...36).contains(refused.count), "\(refused.count) were refused")
  }

  @Test func `exit lets a slow reader have everything`() async throws {
    let host = TestHost()
    try await host.send(
      #"{"id":1,"method":"test.large","params":{"bytes":400000}}"# + "\n" + #"{"id":2,"method":"shutdown"}"# + "\n"
        + #"{"method":"exit"}"# + "\n")
    await host.clock.waitForSleepers(1)
    // Somebody begins to read only now, and the time of the end passes while he does.
    #expect(try await host.next().text.count > 400_000)
    host.clock.advance(by: .seconds(2))
    let transcript = try await host.transcript()
    #expect(transcript.frames.map(\.id) == ["2"])
    #expect(transcript.status == .success)
  }

  @Test func `exit waits for a reader who takes less than the pipe needs to have room again`() async throws {
    let host = TestHost()
    try await host.send(
      #"{"id":1,"method":"test.large","params":{"bytes":70000}}"# + "\n" + #"{"method":"exit"}"# + "\n")
    await host.clock.waitForSleepers(2)
    let output = host.output.descriptor
    var count = 0
    for _ in 1...6 {
      count += try await onThread { readSome(output, atMost: 500).count }
      host.clock.advance(by: .seconds(2))
      await host.clock.waitForSleepers()
    }
    count += try await onThread { readAll(output).count }
    #expect(count == 70_000 + #"{"jsonrpc":"2.0","id":1,"result":""}"#.utf8.count + 1)
    #expect(try await host.status == .failure)
  }
}
