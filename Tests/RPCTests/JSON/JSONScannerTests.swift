import Testing

@testable import RPCShell

/// The grammar (RFC 8259): every kind of token, right and wrong.
struct JSONScannerTests {
  @Test(arguments: [
    "{}", "[]", "[{}]", "[[]]", #"{"a":{}}"#, #"{"a":[]}"#, #"{"a":[{},[]]}"#,
    "[true]", "[false]", "[null]", "[true,false,null]",
    "[0]", "[-0]", "[1]", "[-1]", "[10]", "[1.5]", "[0.5]", "[-0.0]", "[1e5]", "[1E5]", "[1e+5]", "[1e-5]", "[1.5e10]",
    "[0e0]", "[0.0e-0]", "[9223372036854775807]", "[-9223372036854775808]", "[1.7976931348623157e308]", "[1e-400]",
    #"[""]"#, #"["a"]"#, #"["\"\\\/\b\f\n\r\t"]"#, #"["\u0000"]"#, #"["\u00e9\u00E9"]"#,
    #"["\uD83D\uDE00"]"#, #"["\uD800\uDC00"]"#, #"["\uDBFF\uDFFF"]"#, #"["\uFFFF"]"#, "[\"\u{7F}\"]",
    #"["é€😀"]"#,
    #"{"":1}"#, #"{"a":1,"b":2}"#, #"{"a\n":1}"#, "{ \"a\" :\t1 ,\r\n\"b\" : [ 1 , 2 ] }", "[ ]", "{ }",
    #""text""#, "true", "null", #"{"aVeryLongNameThatTakesSeveralWords":"and a value, as long as that, or longer"}"#,
  ])
  func `accepts valid JSON to its last byte`(text: String) {
    #expect(Scanned(text).verdict == .complete(end: text.utf8.count))
  }

  @Test(arguments: [
    Row(#"{"a" 1}"#, Flaw(5, "expected ':'")),
    Row(#"{"a":1 "b":2}"#, Flaw(7, "expected ',' or '}'")),
    Row(#"{"a":1]"#, Flaw(6, "expected ',' or '}'")),
    Row(#"{"x":[1}"#, Flaw(7, "expected ',' or ']'")),
    Row("[1 2]", Flaw(3, "expected ',' or ']'")),
    Row("[1}", Flaw(2, "expected ',' or ']'")),
    Row("[truex]", Flaw(5, "expected ',' or ']'")),
    Row("{a:1}", Flaw(1, "expected a member name in quotes")),
    Row("{1:1}", Flaw(1, "expected a member name in quotes")),
    Row(#"{"a":1,}"#, Flaw(7, "expected a member name in quotes")),
    Row("{,}", Flaw(1, "expected a member name in quotes")),
    Row("{]", Flaw(1, "expected a member name in quotes")),
    Row(#"{"a":}"#, Flaw(5, "expected a value")),
    Row(#"{"a"::1}"#, Flaw(5, "expected a value")),
    Row("[1,]", Flaw(3, "expected a value")),
    Row("[,1]", Flaw(1, "expected a value")),
    Row("[}", Flaw(1, "expected a value")),
    Row("[nul]", Flaw(4, "expected a value")),
    Row("[True]", Flaw(1, "expected a value")),
    Row("[falsE]", Flaw(5, "expected a value")),
    Row("[NaN]", Flaw(1, "expected a value")),
    Row("[Infinity]", Flaw(1, "expected a value")),
    Row("['a']", Flaw(1, "expected a value")),
    Row("[+1]", Flaw(1, "expected a value")),
    Row("[.5]", Flaw(1, "expected a value")),
    Row("[/**/1]", Flaw(1, "expected a value")),
    Row("[\u{B}1]", Flaw(1, "expected a value")),
    Row("[\u{A0}1]", Flaw(1, "expected a value")),
    Row("[\u{0}]", Flaw(1, "expected a value")),
    Row("[01]", Flaw(2, "a number must not start with 0")),
    Row("[-01]", Flaw(3, "a number must not start with 0")),
    Row("[00]", Flaw(2, "a number must not start with 0")),
    Row("[1.]", Flaw(3, "expected a digit")),
    Row("[1.e5]", Flaw(3, "expected a digit")),
    Row("[1e]", Flaw(3, "expected a digit")),
    Row("[1e+]", Flaw(4, "expected a digit")),
    Row("[1e5.5]", Flaw(4, "expected ',' or ']'")),
    Row("[-]", Flaw(2, "expected a digit")),
    Row("[--1]", Flaw(2, "expected a digit")),
    Row("[0x10]", Flaw(2, "expected ',' or ']'")),
    Row(#"["\x41"]"#, Flaw(2, "invalid escape")),
    Row(#"["\U0041"]"#, Flaw(2, "invalid escape")),
    Row(#"["ab\u12G4"]"#, Flaw(4, #"invalid \u escape"#)),
    Row(#"["\u123"]"#, Flaw(2, #"invalid \u escape"#)),
    Row(#"["\uDC00"]"#, Flaw(2, "lone low surrogate")),
    Row(#"["\uD800"]"#, Flaw(2, "lone high surrogate")),
    Row(#"["\uD800x"]"#, Flaw(2, "lone high surrogate")),
    Row(#"["\uD800\n"]"#, Flaw(2, "lone high surrogate")),
    Row(#"["\uD800\u0041"]"#, Flaw(2, "lone high surrogate")),
    Row(#"["\uD800\uD800"]"#, Flaw(2, "lone high surrogate")),
    Row(#"["\uD800\u00G0"]"#, Flaw(2, #"invalid \u escape"#)),
    Row("[\"a\tb\"]", Flaw(3, "control character in a string")),
    Row("[\"a\nb\"]", Flaw(3, "line end in a string")),
    Row("[\"123456789\u{0}\"]", Flaw(11, "control character in a string")),
    Row("{\"a\u{1F}\":1}", Flaw(3, "control character in a string")),
    Row("nulL", Flaw(3, "expected a value")),
    Row("}", Flaw(0, "expected a value")),
    Row(#"[{"a":1},{"b" 2}]"#, Flaw(14, "expected ':'")),
    Row("[{}{}]", Flaw(3, "expected ',' or ']'")),
  ])
  func `says where and why a text is not JSON`(row: Row<Flaw>) {
    let failure = Scanned(row.text).failure
    #expect(failure.map { Flaw($0.offset, $0.reason) } == row.expected)
  }

  @Test(arguments: [
    #"{"jsonrpc":"2.0","id":12.5e+3,"method":"a.b","params":{"x":[true,false,null,-1]}}"#,
    #"[{"id":"\uD83D\uDE00\n"},{"é€😀":"é€😀"},[]]"#,
    #"{ "a" : [ 1 , { } ] }"#,
    #"{"\u0061":"\\"}"#,
  ])
  func `takes every beginning of a message for unfinished`(text: String) {
    let bytes = Array(text.utf8)
    for cut in bytes.indices {
      for slack: Character in ["}", #"""#, "0"] {
        #expect(Scanned(Array(bytes[..<cut]), slack: slack).verdict == .incomplete, "cut after \(cut) bytes")
      }
    }
    #expect(Scanned(bytes).verdict == .complete(end: bytes.count))
  }

  @Test(arguments: [Row(#"{"a":1}{"b":2}"#, 7), Row("[1]]", 3), Row("{} x", 2), Row(" {}\n", 3), Row("truex", 4)])
  func `stops behind the first value`(row: Row<Int>) {
    #expect(Scanned(row.text).verdict == .complete(end: row.expected))
  }

  @Test(arguments: ["1", "-", "12", "1.", "1.5", "1e", "1e5", "-0"])
  func `takes a number at the end for unfinished`(text: String) {
    for slack: Character in ["7", " ", "}"] {
      #expect(Scanned(Array(text.utf8), slack: slack).verdict == .incomplete)
    }
  }

  @Test(arguments: [
    ("[", "]", "1"), (#"{"a":"#, "}", "1"), (#"[{"a":"#, "}]", "[]"), ("[", "]", "[]"), ("[", "]", "{}"),
  ])
  func `nests 512 levels and no more`(open: String, close: String, core: String) {
    let levels = open.filter { $0 == "[" || $0 == "{" }.count
    let inside = core == "1" ? 0 : 1
    let times = (512 - inside) / levels
    let odd = String(repeating: "[", count: 512 - inside - times * levels)
    let fits =
      odd + String(repeating: open, count: times) + core + String(repeating: close, count: times)
      + String(odd.map { _ in "]" })
    #expect(Scanned(fits).verdict == .complete(end: fits.utf8.count))
    let tooDeep = Scanned("[" + fits + "]").failure
    #expect(tooDeep?.reason == "nested deeper than 512 levels")
    let brackets = fits.utf8.enumerated().filter { $0.element == UInt8(ascii: "[") || $0.element == UInt8(ascii: "{") }
    #expect(tooDeep?.offset == brackets[511].offset + 1)
  }
}
