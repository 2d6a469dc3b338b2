import Testing

@testable import RPCShell

/// What becomes of output that is not read yet when a session's end is bounded (docs/PROTOCOL.md, "The life of a session").
@Suite(.timeLimit(.usualMinutes(1)))
struct OutputAtEndTests {
  /// Their answers take more than a pipe holds.
  private static let calls = 1000

  /// Many calls that go on for ever, and the end of their input or whatever else ends the session.
  private func endWhileManyRun(
    drain: Duration?, _ end: (TestHost) async throws -> Void = { $0.end() }
  ) async throws -> TestHost {
    let host = TestHost { $0.drain = drain }
    let calls = (1...Self.calls).map { #"{"id":\#($0),"method":"test.wait","params":{"gate":"g"}}"# + "\n" }
    try await host.send(calls.joined())
    await host.settle()
    try await end(host)
    return host
  }

  private func expectAll(_ transcript: Transcript, _ source: SourceLocation = #_sourceLocation) {
    #expect(Set(transcript.frames.map(\.id)) == Set((1...Self.calls).map { "\($0)" }), sourceLocation: source)
    #expect(transcript.frames.count == Self.calls, sourceLocation: source)
    #expect(transcript.frames.allSatisfy { $0.errorCode == 105 }, sourceLocation: source)
    #expect(transcript.leftover == "", sourceLocation: source)
    #expect(transcript.status == .failure, sourceLocation: source)
  }

  @Test func `a host that reads gets every answer of what the end of input cut off`() async throws {
    let host = try await endWhileManyRun(drain: .seconds(1))
    host.output.start()
    try await host.pass(.seconds(1))
    try await host.pass(HandlerRun.graceAtEnd * 4)
    expectAll(try await host.transcript())
  }

  @Test(arguments: ["signal", "exit"])
  func `it gets every one by a signal and by exit, too`(_ way: String) async throws {
    let host = try await endWhileManyRun(drain: nil) { host in
      if way == "signal" { host.interrupt() } else { try await host.notify("exit") }
    }
    host.output.start()
    try await host.pass(.seconds(2))
    try await host.pass(HandlerRun.graceAtEnd * 4)
    expectAll(try await host.transcript())
  }

  @Test func `a host that reads late, but within two seconds, gets every answer`() async throws {
    let host = try await endWhileManyRun(drain: .seconds(1))
    try await passUntilAnswersWait(host)
    expectAll(try await host.transcript())
  }

  @Test func `a host that reads nothing for two seconds is cut off`() async throws {
    let host = try await endWhileManyRun(drain: .seconds(1))
    try await passUntilAnswersWait(host)
    try await host.pass(.seconds(2))
    #expect(try await host.status == .failure)
    #expect(await host.rest().count < Self.calls)
  }

  @Test func `a host that reads a little every two seconds is waited for`() async throws {
    let host = TestHost { $0.drain = .seconds(1) }
    try await host.send(#"{"id":1,"method":"test.large","params":{"bytes":1000000}}"# + "\n")
    await host.settle()
    host.end()
    for _ in 1...5 {
      try await waitForLook(host)
      #expect(readSome(host.output.descriptor, atMost: 1 << 13).count == 1 << 13)
      host.clock.advance(by: .seconds(2))
    }
    #expect(try await host.transcript().frames.first.map { $0.text.utf8.count > 900_000 } ?? false)
  }

  /// Moves the time to the moment when the reader is looked at first, which is after the answers were given.
  private func passUntilAnswersWait(_ host: TestHost) async throws {
    try await host.pass(.seconds(1))
    try await host.pass(HandlerRun.graceAtEnd * 4)
    try await host.pass(.milliseconds(800))
    try await waitForLook(host)
  }

  /// Waits until the reader has been looked at, and will be in two seconds.
  private func waitForLook(_ host: TestHost) async throws {
    while !host.clock.sleeping.contains(.seconds(2)) {
      try Task.checkCancellation()
      await host.settle()
    }
  }
}
