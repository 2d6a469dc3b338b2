import Testing

@testable import RPCShell

/// A host that reads slowly, or not at all (docs/PROTOCOL.md, "Requests and notifications" and "State events").
@Suite(.timeLimit(.usualMinutes(1)))
struct SlowClientTests {
  private static func event(_ id: Int, _ revision: Int) -> String {
    #"{"id":\#(id),"method":"test.event","params":{"revision":\#(revision),"section":"s\#(revision)"}}"# + "\n"
  }

  private static func large(_ id: Int, _ bytes: Int) -> String {
    #"{"id":\#(id),"method":"test.large","params":{"bytes":\#(bytes)}}"# + "\n"
  }

  @Test func `merges events that the host has not read yet, and drops no reply`() async throws {
    let host = TestHost()
    try await host.send(Self.large(1, 1 << 18) + (2...5).map { Self.event($0, $0) }.joined())
    await host.settle()
    let transcript = try await host.finish()
    #expect(transcript.frames.map { $0.id ?? $0.method ?? "" } == ["1", "test.state", "2", "3", "4", "5"])
    #expect(
      transcript.frames[1].at("params") == #"""
        {"revision":5,"cause":"event","requestId":5,"state":{"section":"s5"},"earlier":[{"revision":2,"cause":"event"},\#
        {"revision":3,"cause":"event"},{"revision":4,"cause":"event"}]}
        """#)
  }

  @Test func `writes an event before the reply that follows it, and never out of order`() async throws {
    let host = TestHost()
    // Before the pipe is full, events are sent one by one.
    try await host.send(Self.event(1, 1) + Self.event(2, 2) + Self.large(3, 1 << 18))
    try await host.send(Self.event(4, 3) + Self.event(5, 4) + #"{"id":6,"method":"shell.ping"}"# + "\n")
    await host.settle()
    let transcript = try await host.finish()
    let order = transcript.frames.map { $0.id ?? "r\($0.at("params.revision") ?? "")" }
    #expect(order == ["r1", "1", "r2", "2", "3", "r4", "4", "5", "6"])
    #expect(transcript.frames[5].at("params.earlier") == #"[{"revision":3,"cause":"event"}]"#)
  }

  @Test func `keeps the newest hundred of what was swallowed`() async throws {
    let host = TestHost()
    try await host.send(Self.large(1, 1 << 18) + (2...300).map { Self.event($0, $0) }.joined())
    await host.settle()
    let transcript = try await host.finish()
    let merged = try #require(transcript.frames.first { $0.method == "test.state" })
    let earlier = try #require(try merged.json["params"]?["earlier"]?.elements.compactMap { $0["revision"]?.integer })
    #expect(earlier == Array(200...299))
    #expect(transcript.frames.count == 301)
  }

  @Test func `goes on reading while much is unwritten`() async throws {
    let host = TestHost()
    // 32 MiB of replies, all of them before the host reads anything.
    for chunk in 0..<32 {
      try await host.send((0..<16).map { Self.large(chunk * 16 + $0, 1 << 16) }.joined())
    }
    try await host.notify("no.such")
    #expect(await host.log.next()?.contains("no.such") == true)
    let transcript = try await host.finish()
    #expect(transcript.frames.map(\.id) == (0..<512).map { "\($0)" })
  }

  @Test(arguments: [false, true])
  func `stops reading above 64 MiB, and goes on when they are read`(_ inBatches: Bool) async throws {
    let host = TestHost()
    // After each reply of 1 MiB a line on stderr says how far the session is. All of it is one chunk of input.
    let (open, close) = inBatches ? ("[", "]") : ("", "")
    let calls = (0..<100).map { open + Self.large($0, 1 << 20) + close + #"{"method":"n\#($0)"}"# + "\n" }
    try await host.send(calls.joined())
    #expect(await host.log.next()?.contains("'n0'") == true)
    await host.settle()
    #expect((63...66).contains(host.log.all.count), "\(host.log.all.count)")
    host.end()
    await host.settle()
    #expect((63...66).contains(host.log.all.count), "\(host.log.all.count)")
    let transcript = try await host.transcript()
    let ids = transcript.frames.map { inBatches ? $0.at("0.id") : $0.id }
    #expect(ids == (0..<100).map { "\($0)" })
    #expect(transcript.frames.allSatisfy { $0.text.utf8.count > 1 << 20 })
    #expect(transcript.log.count == 100)
  }

  @Test(arguments: ["test.wait", "test.look"])
  func `refuses what takes its time above 1,024 unfinished ones, and serves all else`(method: String) async throws {
    let host = TestHost()
    let calls = (1...1030).map { #"{"id":\#($0),"method":"\#(method)","params":{"gate":"g"}}"# + "\n" }
    try await host.send(calls.joined())
    for id in 1025...1030 {
      let refusal = try await host.next()
      #expect(refusal.id == "\(id)" && refusal.errorCode == 108, "\(refusal)")
    }
    try await host.send(#"{"id":"p","method":"shell.ping"}"# + "\n")
    #expect(try await host.next().text == #"{"jsonrpc":"2.0","id":"p","result":{}}"#)
    try await host.notify("test.unblock", #"{"gate":"g"}"#)
    let transcript = try await host.finish()
    #expect(transcript.frames.count == 1024)
    #expect(Set(transcript.frames.map(\.id)) == Set((1...1024).map { "\($0)" }))
    #expect(transcript.status == .failure)
  }

  @Test func `starts actions in the order of their requests`() async throws {
    let tokens = (1...50).map {
      #"{"id":\#($0),"method":"test.slow","params":{"seconds":0,"workDoneToken":\#($0)}}"# + "\n"
    }
    let transcript = try await converse(tokens.joined())
    let begun = transcript.frames.filter { $0.at("params.value.kind") == "\"begin\"" }
    #expect(begun.map { $0.at("params.token") } == (1...50).map { "\($0)" })
  }

  @Test func `answers in the framing of the request, and sends events in the newest`() async throws {
    func framed(_ text: String) -> String { "Content-Length: \(text.utf8.count)\r\n\r\n\(text)" }
    let transcript = try await converse(
      Self.event(1, 1) + framed(LifeTests.ping) + framed(String(Self.event(2, 2).dropLast())) + LifeTests.ping + "\n")
    #expect(transcript.frames.map(\.framing) == [.lines, .lines, .headers, .headers, .headers, .lines])
    #expect(transcript.leftover == "")
  }
}
