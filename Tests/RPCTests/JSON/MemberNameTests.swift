import Testing

@testable import RPCShell

/// Member names: each one once in an object.
struct MemberNameTests {
  /// An object with members `m0`, `m1`, …, and then these.
  private static func object(_ count: Int, and more: String...) -> String {
    let members = (0..<count).map { #""m\#($0)":\#($0)"# } + more
    return "{" + members.joined(separator: ",") + "}"
  }

  @Test(arguments: [
    Row(#"{"a":1,"a":2}"#, 7),
    Row(#"{"x":{"a":1,"b":2,"a":3}}"#, 18),
    Row(#"[{"a":1,"a":2}]"#, 8),
    Row(#"[{},{"a":1,"a":2}]"#, 11),
    Row(#"{"":1,"":2}"#, 6),
    Row(#"{"abcdefgh":1,"abcdefgh":2}"#, 14),
    Row(#"{"abcdefghi":1,"abcdefghi":2}"#, 15),
    Row(#"{"a":{"b":1},"c":[{"b":1}],"a":2}"#, 27),
    Row(#"{"jsonrpc":1,"jsonrpc":2}"#, 13),
    Row(#"{"id":1,"id":2}"#, 8),
    Row(#"{"method":1,"method":2}"#, 12),
    Row(#"{"params":{},"params":{}}"#, 13),
    Row(#"{"result":1,"result":2}"#, 12),
    Row(#"{"error":1,"error":2}"#, 11),
  ])
  func `refuses a second member of the same name`(row: Row<Int>) {
    #expect(Scanned(row.text).failure == JSONParseFailure(offset: row.expected, reason: "duplicate member name"))
  }

  @Test(arguments: [
    #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"\u0061":1,"\u0061":2}"#, #"{"a/b":1,"a\/b":2}"#,
    #"{"id":1,"\u0069d":2}"#, #"{"\u0069d":1,"id":2}"#, #"{"x":[{"é":1,"\u00e9":2}]}"#,
    MemberNameTests.object(32, and: #""m0":0"#), MemberNameTests.object(32, and: #""m31":0"#),
    MemberNameTests.object(33, and: #""m32":0"#), MemberNameTests.object(200, and: #""m199":0"#),
    MemberNameTests.object(40, and: #""id":1"#, #""id":2"#), MemberNameTests.object(40, and: #""\u006d0":1"#),
    "[{},\(MemberNameTests.object(33, and: "\"m32\":0"))]",
  ])
  func `refuses it however it is written and however many there are`(text: String) {
    #expect(Scanned(text).failure != nil)
  }

  @Test(arguments: [
    #"{"a":{"a":{"a":1}}}"#, #"[{"a":1},{"a":1}]"#, #"{"x":{"a":1},"y":{"a":1}}"#, #"{"a":1,"A":2}"#,
    #"{"abcdefgh1":1,"abcdefgh2":2}"#, #"{"abcdefgh":1,"abcdefghi":2}"#, #"{"a":1,"a ":2,"":3}"#,
    "{\"é\":1,\"e\u{301}\":2}", #"{"a":1,"\u0062":2}"#, #"{"id":1,"\u0069e":2}"#,
    #"{"a":{"id":1,"method":2},"id":3}"#, MemberNameTests.object(32), MemberNameTests.object(33),
    MemberNameTests.object(300), MemberNameTests.object(40, and: #""id":1"#, #""method":"m0""#),
    #"{"x":\#(MemberNameTests.object(40)),"y":\#(MemberNameTests.object(40))}"#,
  ])
  func `accepts names that only look alike`(text: String) {
    #expect(Scanned(text).verdict == .complete(end: text.utf8.count))
  }

  @Test(arguments: [#"{"\u0000":1}"#, #"{"a\u0000b":1}"#, #"{"x":{"id\u0000":1}}"#, #"[{"\u0000":1}]"#])
  func `refuses NUL in a name`(text: String) {
    #expect(Scanned(text).failure != nil)
  }

  @Test func `judges every object of a long message by itself`() {
    let objects = (0..<300).map { _ in Self.object(20) }.joined(separator: ",")
    let text = #"{"x":[\#(objects)],"m0":1}"#
    #expect(Scanned(text).verdict == .complete(end: text.utf8.count))
  }
}
