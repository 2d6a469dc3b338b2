import Testing

@testable import RPCShell

/// Text on its way out: writer, escapes, numbers, compaction; and views of text on its way in.
struct JSONTextTests {
  @Test(arguments: [
    Row(#"""#, #"\""#), Row("\\", "\\\\"), Row("/", "/"), Row("\u{8}\u{9}\u{A}\u{C}\u{D}", #"\b\t\n\f\r"#),
    Row("\u{0}", #"\u0000"#), Row("\u{1}", #"\u0001"#), Row("\u{B}", #"\u000b"#), Row("\u{1F}", #"\u001f"#),
    Row("\u{7F}", "\u{7F}"),
    Row("\u{2028}", #"\u2028"#), Row("a\u{2029}b", #"a\u2029b"#), Row("\u{2027}\u{202A}", "\u{2027}\u{202A}"),
    Row("é€😀", "é€😀"), Row("", ""), Row("plain", "plain"),
  ])
  func `escapes what must be escaped`(row: Row<String>) throws {
    let text = JSONText.string(row.text)
    #expect(text.description == #""\#(row.expected)""#)
    #expect(try JSONDocument(parsing: text).view.string == row.text)
  }

  @Test(
    arguments: [
      (8.2, "8.2"), (10, "10"), (0.1, "0.1"), (0.1 + 0.2, "0.30000000000000004"), (-1.5, "-1.5"), (0, "0"), (-0.0, "0"),
      (100, "100"), (123456789012345, "123456789012345"), (1e15, "1000000000000000"), (1e16, "1e16"), (1e21, "1e21"),
      (-2.5e21, "-2.5e21"), (1e100, "1e100"), (1.7976931348623157e308, "1.7976931348623157e308"),
      (.leastNonzeroMagnitude, "5e-324"),
      (0.0001, "0.0001"), (0.00001, "1e-5"), (1.5e-10, "1.5e-10"), (1e-100, "1e-100"),
    ] as [(Double, String)])
  func `writes numbers in their shortest form`(number: Double, expected: String) throws {
    let text = JSONText(shortest: number)
    #expect(text.description == expected)
    #expect(try JSONDocument(parsing: text).view.number == number)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `writes null for what is no number`(number: Double) {
    #expect(JSONText(shortest: number) == .null)
  }

  @Test func `reads back every number that it writes`() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      let number = Double(bitPattern: random.next())
      guard number.isFinite else { continue }
      let text = JSONText(shortest: number)
      #expect(Scanned("[\(text)]").failure == nil)
      #expect(try JSONDocument(parsing: text).view.number == number)
    }
  }

  @Test func `writes values in the order in which it is called`() {
    let text = JSONText { writer in
      writer.object { object in
        object.member("a", 1)
        object.member("b", true)
        object.member("c", nil as String?)
        object.member("d", nil as JSONText?)
        object.member("e", "x")
        object.key("f")
        object.array { list in
          list.integer(.min)
          list.array { _ in }
          list.object { $0.member("g", false) }
          list.text(JSONText(shortest: 8.2))
          list.null()
        }
        object.key(#"h""# as String)
        object.string("i" as String)
      }
    }
    #expect(
      text.description == """
        {"a":1,"b":true,"c":null,"d":null,"e":"x","f":[-9223372036854775808,[],{"g":false},8.2,null],"h\\"":"i"}
        """)
  }

  @Test(arguments: [
    Row(#"{"a":1}"#, #"{"a":1}"#), Row(" { \"a\" :\t[ 1 ,\r\n2 ] } ", #"{"a":[1,2]}"#), Row(#"" a  b ""#, #"" a  b ""#),
    Row(#"{"a b": "c \" d" }"#, #"{"a b":"c \" d"}"#),
    Row(#"[ "\\" , "\\\"" ]"#, #"["\\","\\\""]"#),
    Row("[\"\u{2028}\u{2029}\u{2027}\"]", "[\"\\u2028\\u2029\u{2027}\"]"), Row(#"["\u2028 "]"#, #"["\u2028 "]"#),
    Row(#"[1.0, 1e+5, "\u0061"]"#, #"[1.0,1e+5,"\u0061"]"#), Row(#"["€", "é"]"#, #"["€","é"]"#),
  ])
  func `compacts a value and changes nothing else`(row: Row<String>) {
    let buffer = ByteBuffer()
    Array(row.text.utf8).withUnsafeBytes { buffer.appendCompacted($0) }
    #expect(String(decoding: buffer.bytes, as: UTF8.self) == row.expected)
  }
}

struct JSONViewTests {
  private func view(_ text: String) throws -> JSONView {
    try JSONDocument(parsing: JSONText(trusted: Array(text.utf8))).view
  }

  @Test(arguments: [
    Row("{}", JSONView.Kind.object), Row("[]", .array), Row(#""""#, .string), Row("1", .integer), Row("1.0", .real),
    Row("true", .bool), Row("false", .bool), Row("null", .null),
  ])
  func `tells the kinds of values apart`(row: Row<JSONView.Kind>) throws {
    let value = try view(row.text)
    #expect(value.kind == row.expected)
    #expect(value.isNull == (row.expected == .null))
    #expect((value.bool != nil) == (row.expected == .bool))
    #expect((value.integer != nil) == (row.expected == .integer))
    #expect((value.number != nil) == (row.expected == .integer || row.expected == .real))
    #expect((value.string != nil) == (row.expected == .string))
  }

  @Test func `finds members and elements`() throws {
    let value = try view(#"{"b":[1,2.5,"\u0000x"],"a":{"c":true},"é":null}"#)
    #expect(value.members.map(\.name) == ["b", "a", "é"])
    #expect(value.count == 3)
    #expect(value["b"]?.elements.map(\.number) == [1, 2.5, nil])
    #expect(value["b"]?[2]?.string == "\u{0}x")
    #expect(value["b"]?[3] == nil)
    #expect(value["b"]?.count == 3)
    #expect(value["a"]?["c"]?.bool == true)
    #expect(value["x"] == nil)
    #expect(value["b"]?["x"] == nil)
    #expect(value["a"]?.elements.isEmpty == true)
    #expect(value["é"]?.members.isEmpty == true)
  }

  @Test func `keeps its document alive`() throws {
    var inner = try view(#"{"a":[{"b":"kept"}]}"#)["a"]
    inner = inner?[0]?["b"]
    #expect(inner?.string == "kept")
  }

  @Test(arguments: [
    Row(#"{ "b" : [ 1 , 8.20 , 1e1 ] , "a" : null }"#, #"{"b":[1,8.2,10],"a":null}"#),
    Row("\"\\u0061\\/\u{2028}\"", #""a/\u2028""#), Row("[true,false,{},[]]", "[true,false,{},[]]"), Row("-0.0", "0"),
  ])
  func `writes itself as text`(row: Row<String>) throws {
    #expect(try view(row.text).text.description == row.expected)
  }

  @Test func `says where a text is not JSON`() {
    #expect(throws: JSONParseFailure.self) { try view(#"{"a":}"#) }
    #expect(throws: JSONParseFailure.self) { try view(#"{"a":1,"a":2}"#) }
    #expect(throws: JSONParseFailure.self) { try view("") }
    #expect(throws: JSONParseFailure.self) { try view("1 2") }
  }
}
