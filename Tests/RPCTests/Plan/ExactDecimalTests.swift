import AccountModel
import RPCShell
import Testing

struct ExactDecimalTests {
  @Test(
    arguments: [
      ("8.2", "8.2"), ("10", "10"), ("10.0", "10"), ("0", "0"), ("-0.0", "0"), ("0.050", "0.05"), ("1e3", "1000"),
      ("1.5e-07", "0.00000015"), ("-12.50", "-12.5"), ("100e-2", "1"), ("99999999999999999999999999999999999999", nil),
    ] as [(String, String?)])
  func `numbers are written in their shortest form`(text: String, shortest: String?) {
    #expect(ExactDecimal(text)?.description == shortest ?? text)
  }

  @Test(arguments: ["", "-", ".5", "5.", "05", "+1", "1e", "1e99999", "1.2.3", "0x1", "٣", "1 ", "NaN"])
  func `what is not a number is refused`(text: String) {
    #expect(ExactDecimal(text) == nil)
  }

  @Test(arguments: [
    ("0.85", "5.9", "5.015"), ("-2", "3.5", "-7"), ("0", "-4", "0"),
    (
      "99999999999999999999999999999999999999", "99999999999999999999999999999999999999",
      "9999999999999999999999999999999999999800000000000000000000000000000000000001"
    ),
  ])
  func `products are exact`(one: String, other: String, product: String) {
    #expect((ExactDecimal(one)! * ExactDecimal(other)!).description == product)
  }

  @Test(arguments: [
    ("8.2", "10", 4, "0.82"), ("1", "3", 4, "0.3333"), ("2", "3", 4, "0.6666"), ("-2", "3", 2, "-0.66"),
    ("1059", "300", 4, "3.53"), ("1", "30000", 4, "0"), ("1000", "0.001", 0, "1000000"), ("0", "7", 4, "0"),
    ("100", "7", 0, "14"), ("99999999999999999999999999999999999999", "3", 4, "33333333333333333333333333333333333333"),
  ])
  func `quotients are cut`(dividend: String, divisor: String, places: Int, quotient: String) {
    #expect(ExactDecimal(dividend)!.divided(by: ExactDecimal(divisor)!, places: places).description == quotient)
  }

  @Test(arguments: [
    ("8.49", 1, "8.5", "8.4"), ("8.45", 1, "8.4", "8.4"), ("8.55", 1, "8.6", "8.5"), ("8.4501", 1, "8.5", "8.4"),
    ("9.96", 1, "10", "9.9"), ("999.95", 1, "1000", "999.9"), ("0.5", 0, "0", "0"), ("1.5", 0, "2", "1"),
    ("0.51", 0, "1", "0"), ("0.04", 0, "0", "0"), ("-2.5", 0, "-2", "-2"), ("7", 3, "7", "7"), ("0.005", 2, "0", "0"),
    ("0.0051", 2, "0.01", "0"),
  ])
  func `rounding is half-even, cutting goes toward zero`(text: String, places: Int, rounded: String, cut: String) {
    #expect(ExactDecimal(text)!.rounded(to: places).description == rounded)
    #expect(ExactDecimal(text)!.truncated(to: places).description == cut)
  }

  @Test func `numbers are ordered by value`() {
    let sorted = ["-10", "-9.5", "-0.1", "0", "0.05", "0.1", "0.11", "1", "9", "10", "10.5", "100"].map {
      ExactDecimal($0)!
    }
    for (at, one) in sorted.enumerated() {
      for (other, another) in sorted.enumerated() {
        #expect((one < another) == (at < other))
        #expect((one == another) == (at == other))
      }
    }
  }

  @Test func `whole hundredths agree with integers`() {
    for one in stride(from: -4_200, through: 4_200, by: 137) {
      for other in stride(from: 1, through: 900, by: 89) {
        let (left, right) = (ExactDecimal("\(one)e-2")!, ExactDecimal("\(other)e-2")!)
        #expect(left * right == ExactDecimal("\(one * other)e-4")!)
        #expect(left.divided(by: right, places: 4) == ExactDecimal("\(one * 10_000 / other)e-4")!)
        #expect((left < right) == (one < other))
      }
    }
  }
}
