import Glibc
import Testing

@testable import RPCShell

/// `shutdown`, `exit`, the end of input and signals: what is still answered, and the exit status.
@Suite(.timeLimit(.usualMinutes(1)))
struct LifeTests {
  static let ping = #"{"id":9,"method":"shell.ping"}"#
  static let pong = #"{"jsonrpc":"2.0","id":9,"result":{}}"#

  // MARK: shutdown and exit

  struct Row: Sendable, CustomTestStringConvertible {
    var sent: [String]
    /// Each answer as `id result` or `id code`.
    var answers: [String]
    var status: ShellStatus
    var testDescription: String { sent.joined(separator: " ") }
  }

  @Test(arguments: [
    Row(sent: [], answers: [], status: .success),
    Row(sent: [ping], answers: ["9 {}"], status: .success),
    Row(sent: [#"{"method":"exit"}"#], answers: [], status: .failure),
    Row(sent: [#"{"id":1,"method":"shutdown"}"#, #"{"method":"exit"}"#], answers: ["1 null"], status: .success),
    Row(
      sent: [#"{"id":1,"method":"shutdown","params":null}"#, #"{"method":"exit","params":null}"#], answers: ["1 null"],
      status: .success),
    Row(sent: [#"{"id":1,"method":"shutdown"}"#], answers: ["1 null"], status: .success),
    Row(
      sent: [#"{"id":1,"method":"shutdown"}"#, ping, #"{"method":"exit"}"#], answers: ["1 null", "9 -32600"],
      status: .success),
    Row(
      sent: [#"{"id":1,"method":"shutdown"}"#, #"{"id":2,"method":"shutdown"}"#, #"{"id":3,"method":"no.such"}"#],
      answers: ["1 null", "2 -32600", "3 -32600"], status: .failure),
    Row(
      sent: [#"{"id":1,"method":"shutdown"}"#, #"{"id":2,"method":"exit"}"#, ping], answers: ["1 null", "2 null"],
      status: .success),
    // Nothing is started behind `shutdown`, not even by a notification.
    Row(
      sent: [
        #"{"id":1,"method":"shutdown"}"#, #"{"method":"test.event","params":{"revision":1,"section":"x"}}"#,
        #"{"method":"$/anything"}"#, #"{"method":"exit"}"#,
      ],
      answers: ["1 null"], status: .success),
    // What is read behind `exit` is not served.
    Row(sent: [#"{"method":"exit"}"#, ping], answers: [], status: .failure),
    Row(sent: [#"[{"id":1,"method":"shutdown"},{"method":"exit"}]"#, ping], answers: ["1 null"], status: .success),
    // Anything refused or failed, but for a cancel.
    Row(sent: [#"{"id":1,"method":"no.such"}"#, ping], answers: ["1 -32601", "9 {}"], status: .failure),
    Row(sent: ["nonsense", ping], answers: ["null -32700", "9 {}"], status: .failure),
    Row(
      sent: [
        #"{"id":1,"method":"test.fail","params":{"message":"m"}}"#, #"{"id":2,"method":"shutdown"}"#,
        #"{"method":"exit"}"#,
      ],
      answers: ["1 100", "2 null"], status: .success),
    Row(sent: [#"{"id":1,"method":"shell.ping"#], answers: ["null -32700"], status: .failure),
  ])
  func `answers what was accepted, and says how it went`(_ row: Row) async throws {
    let transcript = try await converse(row.sent.joined(separator: "\n"))
    let answers = transcript.frames.flatMap { frame -> [Received] in
      frame.text.hasPrefix("[") ? [Received(text: frame.at("0") ?? "")] : [frame]
    }
    // Replies may overtake one another.
    let outline = answers.map { "\($0.id ?? "no id") \($0.at("result") ?? $0.at("error.code") ?? "")" }
    #expect(outline.sorted() == row.answers.sorted())
    #expect(transcript.status == row.status)
  }

  @Test func `answers a shutdown at once, while actions run`() async throws {
    let host = TestHost()
    let slow = try await host.start("test.slow", #"{"seconds":1}"#)
    #expect(try await host.call("shutdown").at("result") == "null")
    await host.clock.waitForSleepers()
    host.clock.advance(by: .seconds(1))
    #expect(try await host.reply(to: slow).at("result") == "true", "what ran before goes on")
    try await host.notify("exit")
    #expect(try await host.transcript().status == .success)
  }

  @Test(arguments: [true, false])
  func `gives running actions two seconds at exit`(_ isShutDown: Bool) async throws {
    let host = TestHost()
    let slow = try await host.start("test.slow", #"{"seconds":60}"#)
    if isShutDown { #expect(try await host.call("shutdown").errorCode == nil) }
    try await host.notify("exit")
    await host.clock.waitForSleepers(2)
    host.clock.advance(by: .seconds(2))
    #expect(try await host.reply(to: slow).errorCode == 105)
    #expect(try await host.transcript().status == (isShutDown ? .success : .failure))
  }

  // MARK: End of input

  @Test func `finishes everything accepted at the end of input`() async throws {
    let host = TestHost()
    for _ in 0..<200 { try await host.start("test.slow", #"{"seconds":30}"#) }
    host.end()
    await host.clock.waitForSleepers(200)
    host.clock.advance(by: .seconds(30))
    let transcript = try await host.transcript()
    #expect(Set(transcript.frames.map(\.id)) == Set((1...200).map { "\($0)" }))
    #expect(transcript.frames.allSatisfy { $0.at("result") == "true" })
    #expect(transcript.status == .success)
  }

  @Test(arguments: ["test.slow", "test.stubborn"])
  func `cuts off what runs longer than the drain allows`(_ method: String) async throws {
    let host = TestHost({ $0.drain = .seconds(3) })
    try await host.send(
      #"{"id":1,"method":"\#(method)","params":{"seconds":1000}}"# + "\n"
        + #"{"id":2,"method":"test.slow","params":{"seconds":2}}"# + "\n")
    host.end()
    await host.clock.waitForSleepers(3)
    host.clock.advance(by: .seconds(2))
    #expect(try await host.next().text == #"{"jsonrpc":"2.0","id":2,"result":true}"#)
    host.clock.advance(by: .seconds(1))
    if method == "test.stubborn" {
      // It takes no notice: given up a moment later.
      try await host.pass(HandlerRun.graceAtEnd * 4)
    }
    let transcript = try await host.transcript()
    #expect(transcript.frames.map(\.id) == ["1"])
    #expect(transcript.frames.map(\.errorCode) == [105])
    #expect(transcript.status == .failure)
  }

  @Test func `leaves actions their own time without a drain`() async throws {
    let host = TestHost()
    let slow = try await host.start("test.slow", #"{"seconds":100000}"#)
    host.end()
    await host.clock.waitForSleepers()
    host.clock.advance(by: .seconds(99999))
    #expect(host.clock.sleeping == [.seconds(1)])
    host.clock.advance(by: .seconds(1))
    #expect(try await host.reply(to: slow).at("result") == "true")
    #expect(try await host.transcript().status == .success)
  }

  // MARK: Signals

  @Test func `ends at once, with success, when it is told to while nothing runs`() async throws {
    let host = TestHost()
    #expect(try await host.call("shell.ping").errorCode == nil)
    host.interrupt()
    let transcript = try await host.transcript()
    #expect(transcript.status == .success)
    #expect(transcript.frames == [])
  }

  @Test func `gives running actions two seconds when it is told to end`() async throws {
    let host = TestHost()
    let quick = try await host.start("test.slow", #"{"seconds":1.5}"#)
    let slow = try await host.start("test.slow", #"{"seconds":60}"#)
    await host.clock.waitForSleepers(2)
    host.interrupt()
    await host.clock.waitForSleepers(3)
    host.clock.advance(by: .seconds(1.5))
    #expect(try await host.reply(to: quick).at("result") == "true")
    host.clock.advance(by: .seconds(0.5))
    #expect(try await host.reply(to: slow).errorCode == 105)
    #expect(try await host.transcript().status == .failure)
  }

  @Test func `ends at once when it is told to a second time`() async throws {
    let host = TestHost()
    try await host.start("test.stubborn", #"{"seconds":60}"#)
    await host.clock.waitForSleepers()
    host.interrupt()
    await host.clock.waitForSleepers(2)
    host.interrupt()
    #expect(try await host.transcript().status == .failure)
  }

  @Test func `does not wait for a host that reads nothing longer than the two seconds of a signal`() async throws {
    let host = TestHost()
    try await host.send(
      #"{"id":1,"method":"test.large","params":{"bytes":1000000}}"# + "\n" + #"{"id":5,"result":"stray"}"# + "\n")
    #expect(await host.log.next()?.contains("dropped an answer") == true, "the large one is written as far as it goes")
    host.interrupt()
    await host.clock.waitForSleepers(2)
    host.clock.advance(by: .seconds(2))
    #expect(try await host.status == .failure)
  }

  // MARK: Silence

  @Test(arguments: ["{\"id\":1,", "{\"id\":1,\n\"method\":", "[{\"id\":1}\n"])
  func `gives up an unfinished message after five seconds of silence`(_ start: String) async throws {
    let host = TestHost()
    try await host.send(start)
    await host.clock.waitForSleepers()
    host.clock.advance(by: .seconds(5))
    let refusal = try await host.next()
    #expect(refusal.id == "null" && refusal.errorCode == -32700, "\(refusal)")
    try await host.send("\n" + Self.ping + "\n")
    #expect(try await host.next().text == Self.pong)
    #expect(try await host.finish().status == .failure)
  }

  @Test func `gives up an unfinished message behind more whole ones than are served at once`() async throws {
    let host = TestHost()
    host.output.start()
    try await host.send(String(repeating: "{}\n", count: 5000) + "{\"id\":1,")
    for _ in 1...5000 { #expect(try await host.next().errorCode == -32600) }
    await host.clock.waitForSleepers()
    host.clock.advance(by: .seconds(5))
    #expect(try await host.next().errorCode == -32700)
    #expect(try await host.finish().frames == [])
  }

  @Test func `starts the five seconds afresh with each byte`() async throws {
    let host = TestHost()
    for piece in ["{\"id\":9,", "\"method\":", "\"shell.ping\""] {
      try await host.send(piece)
      await host.settle()
      await host.clock.waitForSleepers()
      host.clock.advance(by: .seconds(4))
    }
    try await host.send("}\n")
    #expect(try await host.next().text == Self.pong)
    #expect(try await host.finish().status == .success)
  }
}
