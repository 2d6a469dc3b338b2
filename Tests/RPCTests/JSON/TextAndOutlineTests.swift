import Testing

@testable import RPCShell

/// UTF-8 (RFC 3629) and what the outline notes in passing.
struct TextAndOutlineTests {
  @Test(
    arguments: [
      [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF],
      [0xE1, 0x80, 0x80], [0xF0, 0x90, 0x80, 0x80], [0xF1, 0x80, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], [0x7F],
    ] as [[UInt8]])
  func `accepts the first and last characters of each length`(character: [UInt8]) {
    for padding in 0...9 {
      let text =
        Array(#"{""#.utf8) + [UInt8](repeating: 0x61, count: padding) + character + Array(#"":""#.utf8) + character
        + Array(#""}"#.utf8)
      #expect(Scanned(text).verdict == .complete(end: text.count))
      let unfinished = text.dropLast(2 + character.count) + character.dropLast()
      #expect(Scanned(Array(unfinished)).verdict == .incomplete)
    }
  }

  @Test(
    arguments: [
      // No lead byte.
      [0x80], [0xBF], [0xFE], [0xFF],
      // Longer than need be.
      [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xF0, 0x80, 0x80, 0x80],
      [0xF0, 0x8F, 0xBF, 0xBF],
      // Surrogates.
      [0xED, 0xA0, 0x80], [0xED, 0xAF, 0xBF], [0xED, 0xB0, 0x80], [0xED, 0xBF, 0xBF],
      // Past U+10FFFF.
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
      // Cut off.
      [0xC2], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xE2, 0x28, 0xA1], [0xC3, 0xC3],
    ] as [[UInt8]])
  func `refuses what is not UTF-8`(bytes: [UInt8]) {
    for padding in 0...9 {
      let before = Array(#"{"a":""#.utf8) + [UInt8](repeating: 0x61, count: padding)
      let failure = Scanned(before + bytes + Array(#""}"#.utf8)).failure
      #expect(failure?.reason == "invalid UTF-8")
      #expect((before.count..<before.count + bytes.count).contains(failure?.offset ?? -1))
    }
  }

  @Test func `notes where the members of the envelope stand`() {
    let request = Scanned(
      #"{"jsonrpc":"2.0", "id": 7 ,"method":"a","params":{"id":8,"method":"b"},"x":1}"#)
    #expect(request[.jsonrpc] == #""2.0""#)
    #expect(request[.id] == "7")
    #expect(request[.method] == #""a""#)
    #expect(request[.params] == #"{"id":8,"method":"b"}"#)
    #expect(request[.result] == nil)
    #expect(request[.error] == nil)
    let response = Scanned(#" {"result":[{}],"error":null,"\u0069d":"\u0061"}"#)
    #expect(response[.result] == "[{}]")
    #expect(response[.error] == "null")
    #expect(response[.id] == #""\u0061""#)
    #expect(response[.method] == nil)
  }

  @Test(arguments: [
    "[]", #"[{"id":1}]"#, "[ 1, [ ] ]", #"{"x":{"id":1,"method":2}}"#, #"{"ID":1,"param":2}"#, "1 ",
  ])
  func `notes nothing that is not at the top`(text: String) {
    let scanned = Scanned(text)
    for member: Outline.Member in [.jsonrpc, .id, .method, .params, .result, .error] { #expect(scanned[member] == nil) }
    #expect(scanned.outline.isBatch == text.hasPrefix("["))
  }

  @Test(arguments: [
    Row(#"{"a":"b c"}"#, false), Row("{\"a\":\"\u{2027}\u{202A}\\u2028\"}", false), Row("{}", false),
    Row("{} ", false),
    Row(#"{"a": 1}"#, true), Row(#"{"a" :1}"#, true), Row("{ }", true), Row(#"{"a":[1 ,2]}"#, true),
    Row("{\"a\":1\n}", true),
    Row("{\"a\":\"\u{2028}\"}", true), Row("{\"\u{2029}\":1}", true),
  ])
  func `notes what cannot be echoed as it stands`(row: Row<Bool>) {
    #expect(Scanned(row.text).outline.needsCompaction == row.expected)
  }
}
