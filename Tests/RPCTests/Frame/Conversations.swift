@testable import RPCShell

extension Conversation {
  // MARK: Lines

  static let lines: [Conversation] = [
    Conversation("nothing", "", []),
    Conversation("blank lines", " \n\r\n\t\n\n", []),
    Conversation("a line", "{\"a\":1}\n", [.line(#"{"a":1}"#)]),
    Conversation("lines", "{\"a\":1}\n[{}]\n{}\n", [.line(#"{"a":1}"#), .line("[{}]"), .line("{}")]),
    Conversation("CRLF", "{\"a\":1}\r\n[]\r\n", [.line(#"{"a":1}"#), .line("[]")]),
    Conversation("blanks around", "\n \t{\"a\":1} \t\r\n\n\n {}\n", [.line(#"{"a":1}"#), .line("{}")]),
    Conversation(
      "no line end before the end of input", "{\"a\":1}\n{\"b\":2}", [.line(#"{"a":1}"#), .line(#"{"b":2}"#)]),
    Conversation("two on a line", "{\"a\":1}{\"b\":2}\n", [.line(#"{"a":1}"#), .line(#"{"b":2}"#)]),
    Conversation(
      "three on a line", " [1] {\"b\":2}\t[] \n{}", [.line("[1]"), .line(#"{"b":2}"#), .line("[]"), .line("{}")]),
    Conversation("a byte order mark", "\u{FEFF}{\"a\":1}\n", [.line(#"{"a":1}"#)]),
    Conversation("a byte order mark later", "{}\n\u{FEFF}{\"a\":1}\n", [.line("{}"), .line(#"{"a":1}"#)]),
    Conversation("half a byte order mark", [0xEF, 0xBB], [.garbage]),
    Conversation("no byte order mark", [0xEF, 0xBB, 0x7B, 0x7D, 0x0A, 0x7B, 0x7D], [.garbage, .line("{}")]),
    Conversation("record separators", "\u{1E}{\"a\":1}\n\u{1E}{}\n", [.line(#"{"a":1}"#), .line("{}")]),
    Conversation(
      "pretty-printed", "{\n  \"a\": [\n    1\n  ]\n}\n{}\n", [.line("{\n  \"a\": [\n    1\n  ]\n}"), .line("{}")]),
    Conversation("pretty-printed, CRLF", "[\r\n true,\r\n\"{\"\r\n]\r\n", [.line("[\r\n true,\r\n\"{\"\r\n]")]),
    Conversation("words at column 0", "[\ntrue,\nnull\n,false\n]\n", [.line("[\ntrue,\nnull\n,false\n]")]),
    Conversation("blank lines inside", "{\n\n\"a\":\n\n1}\n", [.line("{\n\n\"a\":\n\n1}")]),
    Conversation(
      "the next one behind the last bracket", "{\n\"a\":1}{\"b\":2}\n", [.line("{\n\"a\":1}"), .line(#"{"b":2}"#)]),
    Conversation(
      "brackets in strings", "{\"a\":\"}\\\"}\"}\n{\"{\":\"[\"}\n",
      [.line(#"{"a":"}\"}"}"#), .line(#"{"{":"["}"#)]),
    Conversation("garbage", "what\n{}\n", [.garbage, .line("{}")]),
    Conversation("values that are no messages", "123\n\"x\"\nnull\n{}\n", [.garbage, .garbage, .garbage, .line("{}")]),
    Conversation("garbage that never ends", String(repeating: "g", count: 20000) + "\n{}", [.garbage, .line("{}")]),
    Conversation("garbage before the end of input", "{}\nwhat", [.line("{}"), .garbage]),
    Conversation("garbage behind a message", "{} what {}\n[]\n", [.line("{}"), .garbage, .line("[]")]),
    Conversation(
      "a bad line", "{\"a\" 1} {}\n{\"b\":2}\n", [.malformed("expected ':'", line: 1, column: 6), .line(#"{"b":2}"#)]),
    Conversation(
      "a bad line with an early bracket", "{\"a\":{} 1\n{\"b\":2}\n",
      [.malformed("expected ',' or '}'", line: 1, column: 9), .line(#"{"b":2}"#)]),
    Conversation(
      "a bad line, and what hung on it", "{\"a\":{} 1\n\"x\":2}\n{}\n",
      [.malformed("expected ',' or '}'", line: 1, column: 9), .garbage, .line("{}")]),
    Conversation(
      "a bad line at the end of input", #"{"a":{} 1"#, [.malformed("expected ',' or '}'", line: 1, column: 9)]),
    Conversation(
      "brackets that do not match", "[}\n{]\n{}\n",
      [
        .malformed("expected a value", line: 1, column: 2),
        .malformed("expected a member name in quotes", line: 1, column: 2),
        .line("{}"),
      ]),
    Conversation(
      "a bad third line", "{\n \"a\":1,\n \"b\" 2\n}\n{}\n",
      [
        .malformed("expected ':'", line: 3, column: 6), .line("{}"),
      ]),
    Conversation(
      "nested too deep", String(repeating: "[", count: 600) + "\n{}\n",
      [
        .malformed("nested deeper than 512 levels", line: 1, column: 513), .line("{}"),
      ]),
    Conversation(
      "not UTF-8", Array(#"{"é":""#.utf8) + [0xFF] + Array("\"}\n{}\n".utf8),
      [
        .malformed("invalid UTF-8", line: 1, column: 8), .line("{}"),
      ]),
    Conversation(
      "a line end in a string", "{\"a\":\"x\ny\"}\n{}\n",
      [
        .malformed("line end in a string", line: 1, column: 8), .garbage, .line("{}"),
      ]),
    Conversation(
      "a line end in a string, later", "{\n\"a\":\"}\ny\"}\n{}\n",
      [
        .malformed("line end in a string", line: 2, column: 7), .garbage, .line("{}"),
      ]),
    Conversation(
      "unfinished, then a new message", "{\"a\":\n{\"b\":2}\n",
      [
        .malformed("unfinished message", line: 2, column: 1), .line(#"{"b":2}"#),
      ]),
    Conversation(
      "unfinished, then a batch", "{\"a\":{}\n,\n[]\n",
      [
        .malformed("unfinished message", line: 3, column: 1), .line("[]"),
      ]),
    Conversation(
      "unfinished, then a header", "{\"a\":\nContent-Length: 2\r\n\r\n{}",
      [
        .malformed("unfinished message", line: 2, column: 1), .body("{}"),
      ]),
    Conversation("unfinished at the end of input", #"{"a":1"#, [.malformed("unfinished message", line: 1, column: 7)]),
    Conversation(
      "unfinished on line 2", "{}\n[1,\n\"", [.line("{}"), .malformed("unfinished message", line: 2, column: 2)]),
  ]

  // MARK: Headers

  static let headers: [Conversation] = [
    Conversation("headers", "Content-Length: 7\r\n\r\n{\"a\":1}", [.body(#"{"a":1}"#)]),
    Conversation(
      "two in headers", "Content-Length: 7\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n[]",
      [.body(#"{"a":1}"#), .body("[]")]),
    Conversation("lower case", "content-length:7\r\n\r\n{\"a\":1}", [.body(#"{"a":1}"#)]),
    Conversation("upper case and blanks", "CONTENT-LENGTH \t:  7 \t\r\n\r\n{\"a\":1}", [.body(#"{"a":1}"#)]),
    Conversation("LF only", "Content-Length: 7\n\n{\"a\":1}\n", [.body(#"{"a":1}"#)]),
    Conversation("leading zeros", "Content-Length: 0007\r\n\r\n{\"a\":1}", [.body(#"{"a":1}"#)]),
    Conversation("the same length twice", "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", [.body("{}")]),
    Conversation("unknown headers", "X-A: b:c\r\nContent-Length: 2\r\nX-2:\r\n\r\n{}", [.body("{}")]),
    Conversation(
      "a type", "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}", [.body("{}")]),
    Conversation("a type, old name", "Content-Length: 2\r\nContent-Type: a/b;charset=utf8\r\n\r\n{}", [.body("{}")]),
    Conversation(
      "a type, quoted", "Content-Length: 2\r\nCONTENT-TYPE: a/b; CHARSET=\"UTF-8\"\r\n\r\n{}", [.body("{}")]),
    Conversation(
      "a type without charset", "Content-Length: 2\r\nContent-Type: application/json\r\n\r\n{}", [.body("{}")]),
    Conversation("blanks in the body", "Content-Length: 12\r\n\r\n \n{ \"a\":1 }\n", [.body(" \n{ \"a\":1 }\n")]),
    Conversation(
      "a header line in the body", "Content-Length: 12\r\n\r\n[\"A: b\r\n\"]\r\n",
      [
        .malformed("control character in a string", line: 1, column: 7)
      ]),
    Conversation(
      "values that are no messages, in bodies", "Content-Length: 3\r\n\r\n123Content-Length: 4\r\n\r\nnull",
      [
        .body("123"), .body("null"),
      ]),
    Conversation(
      "lines and headers in turn", "{}\nContent-Length: 2\r\n\r\n[]{\"a\":1}\nContent-Length: 2\n\n{}\n[1]",
      [
        .line("{}"), .body("[]"), .line(#"{"a":1}"#), .body("{}"), .line("[1]"),
      ]),
  ]
}
