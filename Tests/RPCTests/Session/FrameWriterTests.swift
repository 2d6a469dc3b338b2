import Testing

@testable import RPCShell

/// A sink that does what a script says, then takes everything.
private final class ScriptedSink: ByteSink {
  let descriptor: Int32 = -1
  private var script: [WriteOutcome]
  private(set) var written: [UInt8] = []
  private(set) var calls = 0

  init(_ script: [WriteOutcome] = []) { self.script = script }

  var text: String { String(decoding: written, as: UTF8.self) }

  func write(_ bytes: UnsafeRawBufferPointer) -> WriteOutcome {
    calls += 1
    #expect(!bytes.isEmpty, "nothing to write")
    let outcome = script.isEmpty ? .wrote(bytes.count) : script.removeFirst()
    guard case .wrote(let count) = outcome else { return outcome }
    let taken = min(count, bytes.count)
    written += bytes.prefix(taken)
    return .wrote(taken)
  }
}

extension FrameWriter {
  fileprivate func line(_ text: String) { frame(.lines) { $0.append(Array(text.utf8)) } }
  fileprivate func body(_ text: String) { frame(.headers) { $0.append(Array(text.utf8)) } }
}

extension StateEvent {
  fileprivate init(_ plugin: String, _ revision: Int, _ section: String = "a") {
    self.init(
      plugin: plugin, revision: revision, cause: "set", from: StateSnapshot(sections: []),
      to: StateSnapshot(sections: [StateSection(section, JSONText(trusted: Array("\(revision)".utf8)))]))
  }
}

struct FrameWriterTests {
  @Test func `gathers frames for one write`() {
    let sink = ScriptedSink()
    let writer = FrameWriter(sink: sink)
    #expect(writer.isEmpty)
    #expect(writer.flush() == .done)
    writer.line(#"{"id":1}"#)
    writer.body(#"{"id":"é"}"#)
    writer.body("[]")
    writer.line("{}")
    #expect(sink.calls == 0)
    #expect(writer.flush() == .done)
    #expect(writer.isEmpty)
    #expect(sink.calls == 1)
    #expect(sink.text == "{\"id\":1}\nContent-Length: 11\r\n\r\n{\"id\":\"é\"}Content-Length: 2\r\n\r\n[]{}\n")
  }

  @Test(arguments: [0, 1, 9, 10, 99, 100, 12345, 1 << 20])
  func `writes the length of a body and nothing else in front of it`(count: Int) {
    let sink = ScriptedSink()
    let writer = FrameWriter(sink: sink)
    let body = String(repeating: "x", count: count)
    writer.line("before")
    writer.body(body)
    writer.line("behind")
    #expect(writer.flush() == .done)
    #expect(sink.text == "before\nContent-Length: \(count)\r\n\r\n\(body)behind\n")
  }

  @Test(arguments: [1, 2, 7, 100])
  func `keeps frames whole and in order for a sink that takes a few bytes at a time`(size: Int) {
    let sink = ScriptedSink((0..<400).map { $0 % 3 == 2 ? .wouldBlock : .wrote(size) })
    let writer = FrameWriter(sink: sink)
    var expected = ""
    for number in 0..<20 {
      writer.line(#"{"id":\#(number)}"#)
      writer.body(#"{"id":\#(number)}"#)
      expected += "{\"id\":\(number)}\nContent-Length: \(number < 10 ? 8 : 9)\r\n\r\n{\"id\":\(number)}"
      _ = writer.flush()
    }
    while writer.flush() == .blocked { #expect(writer.isBlocked) }
    #expect(!writer.isBlocked)
    #expect(writer.isEmpty)
    #expect(sink.text == expected)
  }

  @Test(arguments: 0..<8, [WriteOutcome.closed, .failed(errno: 5)])
  func `drops everything once a write has failed`(goodWrites: Int, failure: WriteOutcome) {
    let good = (0..<goodWrites).map { $0 % 2 == 0 ? WriteOutcome.wrote(3) : .wouldBlock }
    let sink = ScriptedSink(good + [failure])
    let writer = FrameWriter(sink: sink)
    writer.line(#"{"id":1}"#)
    while writer.flush() == .blocked { writer.event(StateEvent("plan", 1), .lines) }
    let ending: FrameWriter.Flush = failure == .closed ? .closed : .failed(errno: 5)
    #expect(writer.ending == ending)
    #expect(writer.isEmpty)
    #expect(!writer.isBlocked)
    let calls = sink.calls
    writer.line(#"{"id":2}"#)
    writer.event(StateEvent("plan", 2), .lines)
    #expect(writer.flush() == ending)
    #expect(writer.isEmpty)
    #expect(sink.calls == calls)
    #expect("{\"id\":1}\n".hasPrefix(String(sink.text.prefix(9))))
  }

  @Test func `says when enough is gathered for a write`() {
    let writer = FrameWriter(sink: ScriptedSink())
    writer.line(String(repeating: "x", count: FrameWriter.gather - 2))
    #expect(!writer.isFull)
    writer.line("x")
    #expect(writer.isFull)
    #expect(writer.flush() == .done)
    #expect(!writer.isFull)
  }
}

/// A client that reads slowly.
struct BlockedWriterTests {
  @Test func `merges events into the one of their plugin that waits`() {
    let sink = ScriptedSink([.wouldBlock])
    let writer = FrameWriter(sink: sink)
    writer.line("first")
    #expect(writer.flush() == .blocked)
    writer.event(StateEvent("plan", 1), .lines)
    writer.line("second")
    writer.event(StateEvent("storage", 1), .lines)
    writer.event(StateEvent("plan", 2, "b"), .lines)
    writer.event(StateEvent("storage", 2), .headers)
    writer.line("third")
    writer.event(StateEvent("plan", 3), .lines)
    #expect(writer.flush() == .done)
    #expect(
      sink.text == """
        first
        {"jsonrpc":"2.0","method":"plan.state","params":{"revision":3,"cause":"set","state":{"a":3},\
        "earlier":[{"revision":1,"cause":"set"},{"revision":2,"cause":"set"}]}}
        second
        {"jsonrpc":"2.0","method":"storage.state","params":{"revision":2,"cause":"set","state":{"a":2},\
        "earlier":[{"revision":1,"cause":"set"}]}}
        third

        """)
  }

  @Test func `writes events at once while nothing is held up`() {
    let sink = ScriptedSink()
    let writer = FrameWriter(sink: sink)
    writer.event(StateEvent("plan", 1), .lines)
    writer.event(StateEvent("plan", 2), .headers)
    #expect(writer.flush() == .done)
    let second =
      #"{"jsonrpc":"2.0","method":"plan.state","params":{"revision":2,"cause":"set","state":{"a":2}}}"#
    let first = second.replacing("2,", with: "1,").replacing(":2}", with: ":1}")
    #expect(sink.text == "\(first)\nContent-Length: \(second.utf8.count)\r\n\r\n\(second)")
  }

  @Test func `tells nothing before an answer that was published after it`() {
    let sink = ScriptedSink([.wouldBlock])
    let writer = FrameWriter(sink: sink)
    writer.line("first")
    #expect(writer.flush() == .blocked)
    for (revision, answer) in [(1, "state 1"), (3, "state 3")] {
      writer.event(StateEvent("plan", revision), .lines)
      writer.keepOrder()
      writer.line(answer)
      writer.event(StateEvent("plan", revision + 1), .lines)
    }
    #expect(writer.flush() == .done)
    let revisions = sink.text.split(separator: "\n").map { line in
      line.split(separator: ",").first { $0.contains("revision") }?.split(separator: ":").last ?? line
    }
    #expect(revisions == ["first", "1", "state 1", "3", "state 3", "4"])
  }

  @Test func `leaves an event alone that is on its way`() throws {
    let sink = ScriptedSink([.wouldBlock, .wrote(6), .wrote(10), .wouldBlock])
    let writer = FrameWriter(sink: sink)
    writer.line("first")
    #expect(writer.flush() == .blocked)
    writer.event(StateEvent("plan", 1), .lines)
    #expect(writer.flush() == .blocked)
    #expect(sink.text == "first\n{\"jsonrpc\"")
    writer.event(StateEvent("plan", 2), .lines)
    writer.event(StateEvent("plan", 3), .lines)
    #expect(writer.flush() == .done)
    let lines = sink.text.split(separator: "\n")
    try #require(lines.count == 3)
    #expect(lines[1].contains(#""revision":1,"#) && !lines[1].contains("earlier"))
    #expect(lines[2].contains(#""revision":3,"#) && lines[2].contains(#""earlier":[{"revision":2,"#))
  }

  @Test func `keeps no more than the newest events however many there are`() {
    let writer = FrameWriter(sink: ScriptedSink([.wouldBlock]))
    writer.line("first")
    #expect(writer.flush() == .blocked)
    for revision in 1...2000 { writer.event(StateEvent("plan", revision), .lines) }
    #expect(!writer.isOverLimit)
  }

  @Test func `is over the limit above 64 MiB that nobody takes`() {
    let mebibyte = String(repeating: "x", count: (1 << 20) - 1)
    let sink = ScriptedSink([.wouldBlock])
    let writer = FrameWriter(sink: sink)
    for _ in 0..<65 { writer.line(mebibyte) }
    #expect(!writer.isOverLimit, "nothing was held up yet")
    #expect(writer.flush() == .blocked)
    #expect(writer.isOverLimit)
    #expect(writer.flush() == .done)
    #expect(!writer.isOverLimit)
  }

  @Test func `counts no longer what is written`() {
    let mebibyte = String(repeating: "x", count: (1 << 20) - 1)
    let sink = ScriptedSink([.wouldBlock] + [WriteOutcome](repeating: .wrote(1 << 20), count: 41) + [.wouldBlock])
    let writer = FrameWriter(sink: sink)
    writer.line("first")
    #expect(writer.flush() == .blocked)
    for _ in 0..<40 { writer.line(mebibyte) }
    writer.event(StateEvent("plan", 1), .lines)
    #expect(writer.flush() == .blocked)
    #expect(sink.written.count == 6 + (40 << 20))
    for _ in 0..<63 { writer.line(mebibyte) }
    #expect(!writer.isOverLimit)
    for _ in 0..<2 { writer.line(mebibyte) }
    #expect(writer.isOverLimit)
    #expect(writer.flush() == .done)
  }
}
