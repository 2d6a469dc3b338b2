import Glibc
import Testing

@testable import RPCShell

/// Input that is cut, output that breaks: no trap, no hang, one answer per request, the exit status as documented.
@Suite(.timeLimit(.usualMinutes(1)))
struct AnomalyTests {
  private static let messages = [
    #"{"jsonrpc":"2.0","id":1,"method":"shell.ping","params":{"größe":"🚀"}}"#, #"{"method":"update","params":[1]}"#,
    #"[{"id":2,"method":"sum","params":[1,2,3]},{"id":3,"method":"test.slow","params":{"seconds":0}}]"#,
    #"{"id":4,"method":"test.event","params":{"revision":1,"section":"x"}}"#,
  ]
  private static let lines = Array(messages.map { $0 + "\n" }.joined().utf8)
  private static let framed = Array(messages.map { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" }.joined().utf8)
  private static let ids = ["1", "2", "3", "4"]

  /// The ids of all answers, those of batches too.
  private static func answeredIDs(_ transcript: Transcript) throws -> [String] {
    try transcript.replies.flatMap { frame -> [String] in
      let json = try frame.json
      return (json.kind == .array ? json.elements : [json]).map { $0["id"]?.text.description ?? "no id" }
    }
  }

  @Test(arguments: [Framing.lines, .headers])
  func `survives a conversation that is cut after any byte`(_ framing: Framing) async throws {
    let input = framing == .lines ? Self.lines : Self.framed
    for end in 0...input.count {
      let transcript = try await converse(Array(input[..<end]))
      let ids = try Self.answeredIDs(transcript)
      let known = ids.filter { $0 != "null" }.sorted()
      #expect(known == Array(Self.ids.prefix(known.count)), "after byte \(end): \(ids)")
      #expect(ids.count - known.count <= 1, "after byte \(end): \(ids)")
      // Cut inside a message: 1. A batch that starts a message of its own is cut at its end only.
      #expect(transcript.status == (ids.contains("null") ? .failure : .success), "after byte \(end): \(ids)")
      #expect(transcript.leftover == "")
    }
  }

  @Test(arguments: [Framing.lines, .headers])
  func `reads one byte at a time as it reads all at once`(_ framing: Framing) async throws {
    let input = framing == .lines ? Self.lines : Self.framed
    let whole = try await converse(input)
    let pieces = try await converse(input, source: { FaultySource($0, atMost: 1) })
    #expect(pieces.texts.sorted() == whole.texts.sorted())
    #expect(pieces.status == whole.status)
    #expect(whole.status == .success)
  }

  @Test(arguments: [1, 2, 3, 7, 64])
  func `writes the same in short writes, and in ones that must wait`(_ atMost: Int) async throws {
    let whole = try await converse(Self.framed)
    let short = try await converse(
      Self.framed, sink: { FaultySink($0) { $0 % 3 == 0 ? .refuse(.wouldBlock) : .shorten(to: atMost) } })
    #expect(short.texts.sorted() == whole.texts.sorted())
    #expect(short.status == .success)
    #expect(short.leftover == "")
  }

  struct Break: Sendable, CustomTestStringConvertible {
    var outcome: WriteOutcome
    var status: ShellStatus
    var lines: Int
    var testDescription: String { "\(outcome)" }
  }

  @Test(arguments: [
    // The reader went away: quietly, as `head -1` does.
    Break(outcome: .closed, status: .success, lines: 0),
    Break(outcome: .failed(errno: ENOSPC), status: .outputFailed, lines: 1),
    Break(outcome: .failed(errno: EIO), status: .outputFailed, lines: 1),
  ])
  func `ends when the n-th write fails, after what it had accepted`(_ row: Break) async throws {
    let whole = try await converse(Self.lines).texts.map { $0 + "\n" }.joined().utf8.count
    for n in stride(from: 1, through: whole / 16, by: 1) {
      let transcript = try await converse(
        Self.lines, sink: { FaultySink($0) { $0 < n ? .shorten(to: 16) : .refuse(row.outcome) } })
      #expect(transcript.status == row.status, "write \(n)")
      #expect(transcript.log.count == row.lines, "write \(n): \(transcript.log)")
      #expect(transcript.frames.map(\.text.utf8.count).reduce(0, +) <= n * 16)
    }
  }

  @Test func `finishes running actions when the reader goes away`() async throws {
    let host = TestHost(sink: { sink in FaultySink(sink) { _ in .refuse(.closed) } })
    try await host.start("test.slow", #"{"seconds":60}"#)
    await host.clock.waitForSleepers()
    try await host.send(LifeTests.ping + "\n")
    await host.settle()
    host.clock.advance(by: .seconds(60))
    // The input stays open: the end of the output ends the session.
    #expect(try await host.transcript().status == .success)
  }

  @Test func `says what went wrong with the output, even after the end of input`() async throws {
    let host = TestHost(sink: { sink in FaultySink(sink) { _ in .refuse(.failed(errno: ENOSPC)) } })
    try await host.start("test.slow", #"{"seconds":60}"#)
    host.end()
    await host.clock.waitForSleepers()
    host.clock.advance(by: .seconds(60))
    let transcript = try await host.transcript()
    #expect(transcript.status == .outputFailed)
    #expect(
      transcript.log.count == 1 && transcript.log.first?.contains("cannot write stdout") == true, "\(transcript.log)")
  }

  @Test(arguments: [EIO, EISDIR])
  func `ends with a line and status 1 when the input breaks`(_ code: Int32) async throws {
    let transcript = try await converse(
      LifeTests.ping + "\n", source: { FaultySource($0) { $0 == 2 ? .failed(errno: code) : nil } })
    #expect(transcript.texts == [LifeTests.pong])
    #expect(transcript.log.count == 1 && transcript.log[0].contains("cannot read stdin"))
    #expect(transcript.status == .failure)
  }

  @Test func `waits again when there was nothing to read after all`() async throws {
    let transcript = try await converse(
      LifeTests.ping + "\n", source: { FaultySource($0, atMost: 5) { $0 % 2 == 1 ? .wouldBlock : nil } })
    #expect(transcript.texts == [LifeTests.pong])
  }
}
