import Testing

@testable import RPCShell

struct RequestIDTests {
  private func id(_ text: String) -> RequestID { RequestID(Array(text.utf8)) }

  @Test(arguments: [
    ["1", "1.0", "10e-1", "0.1e1", "1e0", "1E+0", "1.000", "0.0001e4", "1e-0"],
    ["0", "-0", "0.0", "0e5", "-0.0e-5", "0e99999999999999999999", "-0e-99999999999999999999"],
    ["-1", "-1.0", "-10e-1"], ["100", "1e2", "1.00e2", "10e1"], ["0.5", "5e-1", "0.50"],
    ["12345678901234567890", "12345678901234567890.0", "1234567890123456789e1"], ["12345678901234567891"],
    ["1e400", "10e399", "0.1e401"], ["1e-400"], [#""""#], [#""1""#, #""\u0031""#], [#""1.0""#], [#""null""#],
    [#""a""#, #""\u0061""#], [#""A""#, #""\u0041""#], [#""/""#, #""\/""#],
    [#""\n""#, #""\u000a""#, #""\u000A""#],
    [#""é""#, #""\u00e9""#], ["\"e\u{301}\"", #""e\u0301""#], [#""😀""#, #""\uD83D\uDE00""#], [#""\u0000""#],
    [#""\\u0061""#],
    ["null"], ["1e99999999999999999999"], ["1e-99999999999999999999"], ["1e9223372036854775807"],
    ["1e-9223372036854775808"],
    ["1e1099511627775"], ["1e1099511627776"],
  ])
  func `compares by value`(equals: [String]) {
    for one in equals {
      for other in equals {
        #expect(id(one) == id(other))
        #expect(id(one).hashValue == id(other).hashValue)
      }
      for other in Self.apart where !equals.contains(other) { #expect(id(one) != id(other), "\(one), \(other)") }
    }
  }

  /// Ids that are each their own.
  private static let apart = [
    "null", #""null""#, #""""#, #""1""#, #""1.0""#, #""a""#, #""A""#, "1", "-1", "0", "2", "10", "0.1", "1.1", "11",
    "100",
    "12345678901234567890", "12345678901234567891", "1e400", "1e-400", "1e99999999999999999999",
  ]

  @Test(arguments: ["1.0", "1e0", #""\u0061""#, #""""#, "null", "-0", "12345678901234567890"])
  func `goes back as it was sent`(text: String) {
    #expect(id(text).text == Array(text.utf8))
    #expect(id(text).description == text)
  }
}
