import Testing

@testable import RPCShell

/// JSON that a person wrote, and JSON for a person to read.
struct WholeTextTests {
  @Test(arguments: [
    "{}", " [1, 2]\n", "5", "-0.5e3", "null", "\"größe\"", "\u{FEFF}{\"a\": 1}\r\n", "[{\"id\": 1}]",
    "{\"a\": [[], {}]}\n\n",
  ])
  func `takes one value, with blanks and a byte order mark around it`(text: String) throws {
    let document = try JSONDocument(wholeText: Array(text.utf8))
    let line = try JSONText(wholeText: Array(text.utf8))
    #expect(try JSONDocument(parsing: line).view.text == document.view.text)
    #expect(!line.bytes.contains(UInt8(ascii: "\n")))
  }

  @Test(arguments: [
    ("", "line 1, column 1: the text ends too soon"),
    ("\n{\"a\": 1,\n", "line 3, column 1: the text ends too soon"),
    ("{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3: expected ',' or '}'"),
    ("{\"größe\" 1}", "line 1, column 12: expected ':'"),
    ("{\"a\": tru}", "line 1, column 10: expected a value"),
    ("{\"a\": 1,}", "line 1, column 9: expected a member name in quotes"),
    ("{'a': 1}", "line 1, column 2: expected a member name in quotes"),
    ("{} {}", "line 1, column 4: expected nothing more"), ("{}\n\nx", "line 3, column 1: expected nothing more"),
    ("\u{FEFF}{\"a\": x}", "line 1, column 10: expected a value"),
    ("{\"a\": 1, \"b\": 2,\n \"a\": 3}", "line 2, column 2: duplicate member name"),
    ("{\"a\": \"open}", "line 1, column 13: the text ends too soon"),
    ("{\"a\": \"open\n}", "line 1, column 12: line end in a string"),
    (String(repeating: "[", count: 513), "line 1, column 513: nested deeper than 512 levels"),
  ])
  func `says where and why a text is none`(text: String, reason: String) {
    let bytes = Array(text.utf8)
    let failure = #expect(throws: JSONParseFailure.self) { try JSONDocument(wholeText: bytes) }
    #expect(failure?.text(in: bytes) == reason)
  }

  @Test(arguments: [
    ("5", "5"), ("[]", "[]"), ("{}", "{}"), (#"{"a":{},"b":[]}"#, "{\n  \"a\": {},\n  \"b\": []\n}"),
    (
      #"{"a":[1,{"b":"x:,{}\"[\\"}],"c":null}"#,
      #"{N  "a": [N    1,N    {N      "b": "x:,{}\"[\\"N    }N  ],N  "c": nullN}"#
    ),
  ])
  func `is indented for people, and stays the same value`(text: String, indented: String) throws {
    let lines = JSONText(trusted: Array(text.utf8)).indented
    #expect(String(decoding: lines, as: UTF8.self) == indented.split(separator: "N").joined(separator: "\n"))
    #expect(try JSONDocument(wholeText: lines).view.text.description == text)
  }
}
