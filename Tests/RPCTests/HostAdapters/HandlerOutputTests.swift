import RPCShell
import Testing

@testable import HostAdapters

/// What a handler's process says, as values.
struct HandlerOutputTests {
  private struct Heard {
    var output = HandlerOutput()
    var reports: [String] = []

    mutating func take(_ bytes: [UInt8]) {
      var heard: [String] = []
      output.take(bytes) { heard.append("\($0.fraction.map { "\($0)" } ?? "-") \($0.message ?? "-")") }
      reports += heard
    }

    mutating func end() {
      var heard: [String] = []
      output.end { heard.append("\($0.fraction.map { "\($0)" } ?? "-") \($0.message ?? "-")") }
      reports += heard
    }

    /// The outcome, or why there is none; nil where nothing was said.
    var outcome: String? {
      do throws(SchemaViolation) { return try output.readResult { _ in }?.outcome.rawValue } catch { return error.text }
    }
  }

  /// - Parameter pieces: bytes that come at once.
  private static func heard(_ text: [UInt8], pieces: Int = .max) -> Heard {
    var heard = Heard()
    var rest = text[...]
    while !rest.isEmpty {
      heard.take(Array(rest.prefix(pieces)))
      rest = rest.dropFirst(pieces)
    }
    heard.end()
    return heard
  }

  private static func heard(_ text: String, pieces: Int = .max) -> Heard { heard(Array(text.utf8), pieces: pieces) }

  // MARK: Lines

  @Test(
    arguments: [
      ("", [], nil, nil), ("\n \r\n\t\n", [], nil, nil), (#"{"outcome":"pending"}"#, [], "pending", nil),
      ("{\"outcome\":\"pending\"}\r\n\n", [], "pending", nil), ("{}\n", [], "completed", nil),
      (#"  {"message":"m"}  "# + "\n", [], "completed", nil),
      // What belongs to a result makes it one, whatever stands beside it.
      (#"{"progress":1,"outcome":"failed"}"#, [], "failed", nil), (#"{"progress":1,"plan":{}}"#, [], "completed", nil),
      (#"{"progress":1,"message":"m","restored":2}"#, [], "completed", nil),
      (#"{"progress":0.5,"step":2,"of":4}"#, ["0.5 -"], nil, nil),
      (
        #"{"progress":0.4,"message":"Waiting"}"# + "\n" + #"{"progress":null}"# + "\n" + #"{"progress":1,"more":2}"#,
        ["0.4 Waiting", "- -", "1.0 -"], nil, nil
      ),
      (#"{"progress":1,"outcome":"cancelled"}"#, [], "cancelled", nil),
      (
        #"{"outcome":"failed"}"# + "\n" + #"{"progress":1}"# + "\nbye\n", ["1.0 -"], "failed",
        "ignored a line of its output that is neither a report nor the result: 'bye'"
      ),
      (
        "Connecting\u{1B}[1m…\n" + #"{"outcome":"failed"}"# + "\n" + #"{"outcome":"completed"}"# + "\n7\n", [],
        "completed",
        "ignored 3 lines of its output that are neither reports nor the result, the first: 'Connecting…'"
      ),
      (
        #"{"progress":40}"# + "\n" + #"{"progress":"0.4"}"# + "\n" + #"{"progress":0,"message":1}"#, [], nil,
        "ignored 3 lines of its output that are neither reports nor the result, the first: '{\"progress\":40}'"
      ),
      (
        "[]\n", [], nil, "ignored a line of its output that is neither a report nor the result: '[]'"
      ),
      ("{\"outcome\":", [], "result: expected JSON", nil), ("{'outcome': 'failed'}", [], "result: expected JSON", nil),
    ] as [(String, [String], String?, String?)])
  func `tells reports, the result and noise apart, however it comes`(
    text: String, reports: [String], outcome: String?, noise: String?
  ) {
    for pieces in [1, 2, 7, .max] {
      let heard = Self.heard(text, pieces: pieces)
      #expect(heard.reports == reports)
      #expect(heard.outcome == outcome)
      #expect(heard.output.noise == noise)
    }
  }

  @Test func `what is no UTF-8 is noise, and a result with it cannot be read`() {
    let noise = Self.heard([0xFF, 0xFE, 0x0A])
    #expect(noise.outcome == nil)
    #expect(
      noise.output.noise == "ignored a line of its output that is neither a report nor the result: '\u{FFFD}\u{FFFD}'")
    #expect(Self.heard(Array(#"{"message":""#.utf8) + [0xFF] + Array("\"}\n".utf8)).outcome == "result: expected JSON")
  }

  @Test(arguments: [1 << 16, .max])
  func `a line of 10 MB is passed over, and the next one counts`(pieces: Int) {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 10 << 20)
    let heard = Self.heard(long + Array("\n{\"outcome\":\"pending\"}\n".utf8), pieces: pieces)
    #expect(heard.outcome == "pending")
    #expect(heard.output.noise?.utf8.count ?? .max < 400)
  }

  @Test func `a result of 10 MB is refused and does not count as none`() {
    let long = Array(#"{"message":""#.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 10 << 20) + Array("\"}".utf8)
    #expect(Self.heard(long, pieces: 1 << 16).outcome == "result: expected at most 1 MiB on a line")
  }

  // MARK: Errors

  private static func errors(_ text: [UInt8], pieces: Int) -> (errors: HandlerErrors, shown: [String]) {
    var errors = HandlerErrors()
    var shown: [String] = []
    var rest = text[...]
    while !rest.isEmpty {
      errors.take(Array(rest.prefix(pieces))) { shown.append($0) }
      rest = rest.dropFirst(pieces)
    }
    errors.end { shown.append($0) }
    return (errors, shown)
  }

  @Test(arguments: [1, 3, .max])
  func `lines on stderr are shown without what moves a terminal, and the last is kept`(pieces: Int) {
    let (errors, shown) = Self.errors(Array("one\u{1B}[2J\r\n\n tür\tzwei \n\n".utf8), pieces: pieces)
    #expect(shown == ["one", "tür zwei"])
    #expect(errors.lastLine == "tür zwei")
    #expect(errors.tail == "one\u{1B}[2J\r\n\n tür\tzwei \n\n")
  }

  @Test(arguments: [1 << 10, 1 << 16])
  func `of a megabyte on stderr a hundred lines are shown and the end is kept`(pieces: Int) throws {
    let text = Array(String(repeating: "größer als gedacht\n", count: 50_000).utf8)
    let (errors, shown) = Self.errors(text, pieces: pieces)
    #expect(shown.count == 101 && shown.last == "what else it says is not shown")
    let tail = try #require(errors.tail)
    #expect(((64 << 10) - 3...64 << 10).contains(tail.utf8.count) && tail.hasSuffix("gedacht\n"))
    #expect(!tail.unicodeScalars.contains("\u{FFFD}"))
  }

  @Test func `a line without end on stderr takes no room`() {
    let (errors, shown) = Self.errors([UInt8](repeating: UInt8(ascii: "x"), count: 10 << 20), pieces: 1 << 16)
    #expect(shown.map(\.utf8.count) == [2000] && errors.lastLine?.utf8.count == 2000)
    #expect(errors.tail?.utf8.count == 64 << 10)
  }

  @Test func `nothing on stderr is nothing`() {
    let (errors, shown) = Self.errors([], pieces: 1)
    #expect(shown == [] && errors.lastLine == nil && errors.tail == nil)
  }
}
