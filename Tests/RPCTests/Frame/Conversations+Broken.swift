@testable import RPCShell

extension Conversation {
  /// A header block that is broken, and a message behind it.
  private static func block(_ block: String, _ reason: String, _ rest: [Decoded]) -> Conversation {
    Conversation(block.debugDescription.prefix(60).description, block, [.malformed(reason, line: 1, column: 1)] + rest)
  }

  // MARK: Broken header blocks, and the way back

  static let broken: [Conversation] = [
    block(
      "Content-Type: a/b; charset=latin1\r\nContent-Length: 2\r\n\r\n{}",
      "Content-Type charset must be utf-8, not 'latin1'", []),
    block("X: 1\r\n\r\n{}\n", "header block without Content-Length", [.line("{}")]),
    block("Content-Length: 99999999999999999999\r\n\r\n{}\n", "Content-Length does not fit", [.line("{}")]),
    block("Content-Length: 9223372036854775808\r\n\r\n{}\n", "Content-Length does not fit", [.line("{}")]),
    block("Content-Length: -2\r\n\r\n{}\n", "Content-Length is not a number", [.line("{}")]),
    block("Content-Length: 2 2\r\n\r\n{}\n", "Content-Length is not a number", [.line("{}")]),
    block("Content-Length: 0x2\r\n\r\n{}\n", "Content-Length is not a number", [.line("{}")]),
    block("Content-Length:\r\n\r\n{}\n", "Content-Length without a number", [.line("{}")]),
    block("Content-Length: 5\r\nContent-Length: 2\r\n\r\n{}", "two different Content-Length headers", [.body("{}")]),
    block("Content-Length: x\r\nX: 1\r\n\r\nwhat\n{}\n", "Content-Length is not a number", [.line("{}")]),
    block(
      "Content-Length: x\r\nwhat: Content-Length: 2\r\ncontent-length: 2\n\n{}", "Content-Length is not a number",
      [.body("{}")]),
    block(
      "note: hello\n{\"a\":\"b: c\"}\n{}\n", "expected a header line 'Name: value'",
      [.line(#"{"a":"b: c"}"#), .line("{}")]),
    block("Content-Length: 2\r\nwhat\r\n\r\n{}\n", "expected a header line 'Name: value'", [.line("{}")]),
    block(
      "X: " + String(repeating: "x", count: 17000) + "{}\nContent-Length: 2\r\n\r\n{}",
      "header block longer than 16384 bytes", [.body("{}")]),
    block(
      String(repeating: "X: " + String(repeating: "x", count: 1000) + "\n", count: 20) + "{}\n",
      "header block longer than 16384 bytes", [.line("{}")]),
    block("Content-Length: 2", "header block cut off by the end of input", []),
    block("Content-Length: 2\r\n", "header block cut off by the end of input", []),
    block("Content-Length: 2\r\n\r", "header block cut off by the end of input", []),
    block("Content-Length: 2\r\n\r\n", "body cut off after 0 of 2 bytes", []),
    block("Content-Length: 0\r\n\r\n{}\n", "empty body", [.line("{}")]),
    Conversation("half a header name", "{}\nContent-Le", [.line("{}"), .garbage]),
    Conversation(
      "a body cut off", "Content-Length: 9\r\n\r\n{\"a\"",
      [.malformed("body cut off after 4 of 9 bytes", line: 1, column: 5)]),
    Conversation(
      "a bad body", "Content-Length: 8\r\n\r\n{\"a\" 1} {}\n",
      [.malformed("expected ':'", line: 1, column: 6), .line("{}")]),
    Conversation(
      "a bad body on line 2", "Content-Length: 9\r\n\r\n{\n\"a\" 1}\n{}\n",
      [
        .malformed("expected ':'", line: 2, column: 5), .line("{}"),
      ]),
    Conversation(
      "two messages in a body", "Content-Length: 5\r\n\r\n{} {}[]",
      [
        .malformed("expected nothing after the message within its 5 bytes of Content-Length", line: 1, column: 4),
        .line("[]"),
      ]),
    Conversation(
      "half a message in a body", "Content-Length: 3\r\n\r\n{\"aContent-Length: 2\r\n\r\n{}",
      [
        .malformed("the message goes on past its 3 bytes of Content-Length", line: 1, column: 4), .body("{}"),
      ]),
    Conversation(
      "no JSON in a body", "Content-Length: 3\r\n\r\nabc{}\n",
      [.malformed("expected a value", line: 1, column: 1), .line("{}")]),
    Conversation(
      "blanks in place of a colon", "Name" + String(repeating: " ", count: 400) + "\n{}\n", [.garbage, .line("{}")]),
  ]

  // MARK: One framing only

  static let pinned: [Conversation] = [
    Conversation("lines only", "{}\n[]\n", [.line("{}"), .line("[]")]).pinned(to: .lines),
    Conversation(
      "lines only: headers are garbage", "Content-Length: 2\r\n\r\n{}\n",
      [
        .malformed("expected '{' or '['", line: 1, column: 1), .line("{}"),
      ]
    ).pinned(to: .lines),
    Conversation(
      "lines only: a header line ends nothing", "{\"a\":\nContent-Length: 2\n}\n{}\n",
      [
        .malformed("expected a value", line: 2, column: 1), .line("{}"),
      ]
    ).pinned(to: .lines),
    Conversation(
      "headers only", "Content-Length: 2\r\n\r\n{}\r\nContent-Length: 2\r\n\r\n[]", [.body("{}"), .body("[]")]
    )
    .pinned(to: .headers),
    Conversation(
      "headers only: lines are garbage", "{\"a\":1}\nContent-Length: 2\r\n\r\n{}",
      [
        .malformed("expected a header line", line: 1, column: 1), .body("{}"),
      ]
    ).pinned(to: .headers),
    Conversation(
      "headers only: the way back leads to headers", "Content-Length: x\r\n\r\n{}\nContent-Length: 2\r\n\r\n{}",
      [
        .malformed("Content-Length is not a number", line: 1, column: 1), .body("{}"),
      ]
    ).pinned(to: .headers),
  ]
}
