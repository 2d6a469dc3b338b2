import Testing

@testable import RPCShell

/// One table over both framings: what is found must not depend on how the input was cut when it came.
struct FrameDecoderTests {
  static let table =
    Conversation.lines + Conversation.headers + Conversation.broken + Conversation.pinned + Conversation.oversized

  @Test(arguments: table)
  func `decodes input that comes at once`(row: Conversation) {
    #expect(row.decoded(row.whole) == row.expected)
  }

  @Test(arguments: table)
  func `decodes input that comes in two pieces`(row: Conversation) {
    // Every place in short input, and some hundred places in long input.
    for offset in stride(from: 0, through: row.input.count, by: max(1, row.input.count / 300)) {
      #expect(row.decoded(row.cut(at: offset)) == row.expected, "cut at \(offset)")
    }
  }

  @Test(arguments: table)
  func `decodes input that comes byte by byte`(row: Conversation) {
    #expect(row.decoded(row.byteByByte) == row.expected)
  }

  @Test(arguments: table)
  func `decodes input that comes in pieces of any size`(row: Conversation) {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<20 {
      #expect(row.decoded(row.cut(using: &random)) == row.expected)
    }
  }

  @Test(arguments: table)
  func `decodes input whose end is known from the start`(row: Conversation) {
    #expect(FedDecoder(row.options).finish(after: row.input) == row.expected)
  }

  @Test func `serves a message before its line ends`() {
    let decoder = FedDecoder()
    #expect(decoder.feed(#"{"a":1}"#) == [.line(#"{"a":1}"#)])
    #expect(decoder.feed("\n[{}]\r") == [.line("[{}]")])
    #expect(decoder.feed(#"{"b":{}"#) == [])
    #expect(decoder.feed("}") == [.line(#"{"b":{}}"#)])
  }

  @Test(arguments: [#"{"a":"#, "{\"a\":1,\n", "[{}", "{\"a\":[{}]\n", "{"])
  func `gives up an unfinished message after silence`(unfinished: String) {
    let decoder = FedDecoder()
    #expect(!decoder.isWaitingForLines)
    #expect(decoder.feed(unfinished) == [])
    #expect(decoder.isWaitingForLines)
    guard case .malformed(let reason, _, _) = decoder.expire() else {
      Issue.record("nothing was given up")
      return
    }
    #expect(reason == "unfinished message, and nothing came for a while")
    #expect(!decoder.isWaitingForLines)
    #expect(decoder.expire() == nil)
    #expect(decoder.feed("{\"b\":2}\n") == [.line(#"{"b":2}"#)])
  }

  @Test func `serves a whole message while another one has begun behind it`() {
    let decoder = FedDecoder()
    #expect(decoder.feed(#"{"a":1} {"b":"#) == [.line(#"{"a":1}"#)])
    #expect(decoder.isWaitingForLines)
    #expect(decoder.feed("2}") == [.line(#"{"b":2}"#)])
  }

  @Test(arguments: ["\u{FEFF}", ""])
  func `a body may start with a byte order mark, and headers have names of many kinds`(mark: String) {
    let decoder = FedDecoder()
    let body = mark + "{}"
    let found = decoder.feed("X_Trace.id: 1\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
    #expect(found == [.body("{}")])
  }

  @Test func `a record separator starts a new message`() {
    let decoder = FedDecoder()
    let found = decoder.feed("{\"a\":\n\u{1E}{\"b\":2}\n")
    #expect(found == [.malformed("unfinished message", line: 2, column: 1), .line(#"{"b":2}"#)])
  }

  @Test(arguments: [
    "", #"{"a":1}"#, "{\"a\":1}\n", "Content-Le", "Content-Length: 7\r\n", "Content-Length: 7\r\n\r\n{", "!",
  ])
  func `has nothing to give up between messages and behind headers`(input: String) {
    let decoder = FedDecoder()
    _ = decoder.feed(input)
    #expect(!decoder.isWaitingForLines)
    #expect(decoder.expire() == nil)
  }
}

/// Messages over the limit stream by.
struct StreamedByTests {
  private static let options = DecoderOptions(maxMessage: 1 << 14)
  private static let chunk = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 14)

  @Test(arguments: [
    (#"{"id":1,"x":""#, "\"}\n"), ("{\"id\":1,\n\"x\":\n\"", "\"\n}\n"),
    ("Content-Length: \((1 << 20) + 13)\r\n\r\n{\"id\":1,\"x\":\"", ""),
    ("{\"id\":1,\n", "\n{}\n"),
  ])
  func `never stores what it skips`(start: String, end: String) {
    let decoder = FedDecoder(Self.options)
    var found = decoder.feed(start)
    for _ in 0..<64 {
      found += decoder.feed(Self.chunk)
      #expect(decoder.held <= 3 << 14)
      #expect(decoder.allocated <= 4 << 16)
    }
    found += decoder.feed(end)
    #expect(decoder.held == 0)
    found += decoder.feed("[]\n")
    #expect(found.first == .tooLarge(id: "1"))
    #expect(found.last == .line("[]"))
    #expect(found.count == (end.hasSuffix("{}\n") ? 3 : 2))
  }

  @Test(arguments: [
    "what ", "X: ", "Content-Length: x\n", "Content-Length: 1\nX:", "{\n\"x\":\nA", "X", "[}", #"{"x":1}"#,
  ])
  func `never stores what leads nowhere`(start: String) {
    let decoder = FedDecoder(Self.options)
    _ = decoder.feed(start)
    for filler in ["x", " ", "\n", "A ", "A\n", ":", "Content-Length: "] {
      for _ in 0..<8 {
        _ = decoder.feed(String(repeating: filler, count: (1 << 14) / filler.utf8.count))
        #expect(decoder.held <= 3 << 14)
      }
    }
  }
}

/// Input that stops anywhere.
struct CutConversationTests {
  /// Pieces of input, and the message that is whole with each one's last byte.
  private static let pieces: [(text: String, message: Decoded?)] = [
    ("\u{FEFF}", nil), (#"{"id":1,"method":"a"}"#, .line(#"{"id":1,"method":"a"}"#)), ("\r\n", nil),
    ("Content-Length: 8\r\nContent-Type: a/b; charset=utf-8\r\n\r\n{\"id\":2}", .body(#"{"id":2}"#)),
    ("{\n  \"id\": 3,\n  \"x\": \"é\\n}\"\n}", .line("{\n  \"id\": 3,\n  \"x\": \"é\\n}\"\n}")), ("\n\n\u{1E}", nil),
    (#"[{"id":4}]"#, .line(#"[{"id":4}]"#)), (#"{"id":5}"#, .line(#"{"id":5}"#)), (" \n", nil),
    ("content-length:10\n\n[\"\u{2028}\", 1]".replacingLength, .body("[\"\u{2028}\", 1]")),
    (#"{"id":6}"#, .line(#"{"id":6}"#)),
  ]

  @Test func `delivers each whole message and at most one failure wherever the input ends`() {
    let conversation = Conversation("mixed", Self.pieces.map(\.text).joined(), Self.pieces.compactMap(\.message))
    let input = conversation.input
    for cut in 0...input.count {
      var end = 0
      var expected: [Decoded] = []
      for (text, message) in Self.pieces {
        end += text.utf8.count
        if end <= cut, let message { expected.append(message) }
      }
      for chunks in [[input[..<cut]], input[..<cut].indices.map { input[$0...$0] }] {
        let found = conversation.decoded(chunks)
        #expect(Array(found.prefix(expected.count)) == expected, "cut after \(cut) bytes")
        let rest = found.dropFirst(expected.count)
        #expect(rest.count <= 1 && !rest.contains { $0.isMessage }, "cut after \(cut) bytes")
      }
    }
    #expect(conversation.decoded(conversation.whole) == conversation.expected)
  }
}

extension String {
  /// The length in a header block, set to that of the body behind it.
  fileprivate var replacingLength: String {
    let body = split(separator: "\n\n", maxSplits: 1)[1]
    return "content-length:\(body.utf8.count)\n\n\(body)"
  }
}
