import Testing

@testable import RPCShell

/// Numbers that do not fit: refused, but for the ids of messages.
struct NumberRangeTests {
  private static let big = "12345678901234567890"

  /// Texts with `#` where the big number goes.
  private static func row(_ text: String) -> String {
    text.split(separator: "#", omittingEmptySubsequences: false).joined(separator: big)
  }

  @Test(arguments: [
    "9223372036854775808", "-9223372036854775809", "12345678901234567890", "1e309", "-1e309", "1e400", "123e999999999",
    String(repeating: "9", count: 400), String(repeating: "9", count: 310) + ".0",
  ])
  func `refuses numbers that do not fit`(number: String) {
    #expect(Scanned(#"{"params":{"x":\#(number)}}"#).failure != nil)
    #expect(Scanned("[\(number)]").failure != nil)
    #expect(Scanned("[[\(number)]]").failure != nil)
  }

  @Test(arguments: [
    "9223372036854775807", "-9223372036854775808", "1e308", "-1e308", "1e-999", "0e999999999", "-0",
    String(repeating: "9", count: 300) + ".0", "0." + String(repeating: "1", count: 500),
  ])
  func `accepts numbers that do`(number: String) {
    let text = #"{"params":{"x":\#(number)}}"#
    #expect(Scanned(text).verdict == .complete(end: text.utf8.count))
  }

  @Test(
    arguments: [
      #"{"id":#}"#, #"{"id":-#}"#, #"{"id":#.5}"#, #"{"id":1e400}"#, #"{"id": # ,"method":"a"}"#,
      #"{"\u0069d":#}"#,
      #"[{"id":#}]"#, #"[{"id":1},{"id":#},{"id":#}]"#, #"{"id":#,"\u0061":1}"#,
      #"{"method":"$/cancelRequest","params":{"id":#}}"#,
      #"{"params":{"id":#},"method":"$/cancelRequest"}"#,
      #"{"id":#,"params":{"id":#},"method":"$/cancelRequest"}"#,
      #"{"method":"$/cancelRequest","params":{"x":{"y":1},"id":#}}"#,
      #"{"method":"$/cancelRequest","params":{"\u0061":1,"id":#}}"#,
      #"[{"method":"$/cancelRequest","params":{"id":#}}]"#, #"{"method":"$/cancelRequest","id":#}"#,
      #"{"method":"$\/cancelRequest","params":{"id":#}}"#,
    ].map(row))
  func `accepts any number as an id`(text: String) {
    #expect(Scanned(text).verdict == .complete(end: text.utf8.count))
  }

  @Test(
    arguments: [
      #"{"x":#}"#, #"{"params":{"x":#}}"#, #"{"params":#}"#, #"{"result":#}"#, #"{"id":[#]}"#, #"{"id":{"id":#}}"#,
      #"{"x":{"id":#}}"#, "[#]", #"[[{"id":#}]]"#, #"[{"id":1},#]"#, #"{"id":#,"x":#}"#,
      #"{"method":"a","params":{"id":#}}"#, #"{"params":{"id":#}}"#,
      #"{"method":"$/cancelRequest","params":{"x":#}}"#, #"{"method":"$/cancelRequest","params":[#]}"#,
      #"{"method":"$/cancelRequest","params":{"id":[#]}}"#,
      #"{"method":"$/cancelRequest","params":{"x":{"id":#}}}"#,
      #"{"method":"$/cancelRequest","params":[{"id":#}]}"#,
      #"{"method":"$/cancelRequest","params":{"id":#,"x":#}}"#,
      #"{"method":"$/cancelRequest","result":{"id":#}}"#,
      #"{"method":"$/cancelRequest","params":{"id":1,"\u0061":#}}"#,
      #"{"method":"$/cancelRequest","id":1,"params":{"\u0061":#}}"#,
      #"{"method":"$/cancelRequests","params":{"id":#}}"#,
    ].map(row))
  func `refuses them everywhere else`(text: String) {
    #expect(Scanned(text).failure != nil)
  }

  @Test func `notes where the id of a cancel stands only when the number may not fit`() {
    let text = Self.row(#"{"method":"$/cancelRequest","params":{"id":#}}"#)
    let span = Scanned(text).outline.paramsID
    #expect(Array(text.utf8)[span.start..<span.end].elementsEqual(Self.big.utf8))
    #expect(Scanned(#"{"method":"$/cancelRequest","params":{"id":5}}"#).outline.paramsID.isAbsent)
  }
}
