@testable import RPCShell

extension Conversation {
  /// A message of `count` bytes: `{"id":7,"x":"aaa…"}`.
  private static func message(_ count: Int, _ start: String = #"{"id":7,"x":""#) -> String {
    start + String(repeating: "a", count: count - start.utf8.count - 2) + #""}"#
  }

  private static let fits = message(64)
  private static let tooLong = message(65)

  /// Messages around a limit of 64 bytes.
  static let oversized: [Conversation] = [
    Conversation("as long as the limit", fits + "\n{}\n", [.line(fits), .line("{}")]),
    Conversation("as long as the limit at the end of input", fits, [.line(fits)]),
    Conversation(
      "as long as the limit in a body", "Content-Length: 64\r\n\r\n\(fits){}\n", [.body(fits), .line("{}")]),
    Conversation("a byte longer", tooLong + "\n{}\n", [.tooLarge(id: "7"), .line("{}")]),
    Conversation("a byte longer at the end of input", tooLong, [.tooLarge(id: "7")]),
    Conversation(
      "a byte longer in a body", "Content-Length: 65\r\n\r\n\(tooLong){}\n", [.tooLarge(id: "7"), .line("{}")]),
    Conversation("much longer", message(5000) + "\n{}\n", [.tooLarge(id: "7"), .line("{}")]),
    Conversation(
      "much longer in a body", "Content-Length: 5000\r\n\r\n\(message(5000))Content-Length: 2\r\n\r\n{}",
      [
        .tooLarge(id: "7"), .body("{}"),
      ]),
    Conversation(
      "a length out of this world", "Content-Length: 9000000000000000000\r\n\r\n\(tooLong)", [.tooLarge(id: "7")]),
    Conversation("a body cut off", "Content-Length: 5000\r\n\r\n{\"id\":1,", [.tooLarge(id: "1")]),
    Conversation("short messages on a long line", "\(fits) \(fits)[]\n", [.line(fits), .line(fits), .line("[]")]),
    Conversation(
      "a short message and many blanks", "{}" + String(repeating: " ", count: 200) + "\n[]\n",
      [.line("{}"), .line("[]")]),
    Conversation(
      "a short bad message on a long line", #"{"a" 1}"# + String(repeating: " ", count: 200) + "{}\n[]\n",
      [
        .malformed("expected ':'", line: 1, column: 6), .line("[]"),
      ]),
    Conversation(
      "another one on its line", tooLong + "{\"b\":2}\n{}\n", [.tooLarge(id: "7"), .line(#"{"b":2}"#), .line("{}")]),
    Conversation(
      "over several lines", "{\"id\":7,\n\"x\":[\"}]\\\"\",\n\(String(repeating: "\"{\",\n", count: 20))1]\n}\n{}\n",
      [
        .tooLarge(id: "7"), .line("{}"),
      ]),
    Conversation(
      "unfinished, then a new message", "{\"id\":7,\n\(String(repeating: "\"{\",\n", count: 20)){\"b\":2}\n",
      [
        .tooLarge(id: "7"), .line(#"{"b":2}"#),
      ]),
    Conversation(
      "unfinished, then a header", "{\"id\":7,\n\(String(repeating: "\"{\",\n", count: 20))Content-Length: 2\r\n\r\n{}",
      [
        .tooLarge(id: "7"), .body("{}"),
      ]),
    Conversation(
      "unfinished at the end of input", "{\"id\":7,\n\(String(repeating: "\"{\",\n", count: 20))", [.tooLarge(id: "7")]),
    Conversation(
      "a line end in a string", "{\"id\":7,\"x\":\"\(String(repeating: "a", count: 80))\n{}\n",
      [
        .tooLarge(id: "7"), .line("{}"),
      ]),
    Conversation(
      "garbage that only starts like a message", "[" + String(repeating: "x", count: 100) + "\n{}\n",
      [
        .tooLarge(id: nil), .line("{}"),
      ]),
    Conversation(
      "an id of text", message(100, #"{"id":"a\u0062","x":""#) + "\n", [.tooLarge(id: #""a\u0062""#)]),
    Conversation("an id of null", message(100, #"{"id":null,"x":""#) + "\n", [.tooLarge(id: "null")]),
    Conversation(
      "a large id", message(100, #"{"id":-12345678901234567890,"x":""#) + "\n",
      [.tooLarge(id: "-12345678901234567890")]),
    Conversation("an id that cannot be one", message(100, #"{"id":{"id":1},"x":""#) + "\n", [.tooLarge(id: nil)]),
    Conversation("an id of a list", message(100, #"{"id":[1],"x":""#) + "\n", [.tooLarge(id: nil)]),
    Conversation("no id", message(100, #"{"method":"a","x":""#) + "\n", [.tooLarge(id: nil)]),
    Conversation(
      "an id of something else", message(100, #"{"params":{"id":1},"x":""#) + "\n", [.tooLarge(id: nil)]),
    Conversation("half an id", #"{"id":""# + String(repeating: "1", count: 100) + "\"}\n", [.tooLarge(id: nil)]),
    Conversation("half a number", #"{"id":"# + String(repeating: "1", count: 100) + "}\n", [.tooLarge(id: nil)]),
    Conversation("an id far behind", message(100, #"{"x":""#).dropLast() + ",\"id\":7}\n", [.tooLarge(id: nil)]),
    Conversation(
      "the ids of a batch", "[{\"id\":1},{\"id\":2},{\"id\":3,\"x\":\"\(String(repeating: "a", count: 80))\"}]\n{}\n",
      [
        .tooLarge(id: nil), .line("{}"),
      ]),
    Conversation("a pinned line", tooLong + "\n{}\n", [.tooLarge(id: "7"), .line("{}")]).pinned(to: .lines),
    Conversation(
      "a pinned body", "Content-Length: 65\r\n\r\n\(tooLong)Content-Length: 2\r\n\r\n{}",
      [.tooLarge(id: "7"), .body("{}")]
    )
    .pinned(to: .headers),
  ].map { $0.limited(to: 64) }
}
