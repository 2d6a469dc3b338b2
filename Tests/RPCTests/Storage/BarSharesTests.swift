import RPCShell
import Testing

@testable import StoragePlugin

struct BarSharesTests {
  @Test(
    arguments: [
      ([2_100_000_000, 1_200_000_000, 1_100_000_000, 400_000_000], 4_800_000_000, [4375, 2500, 2292, 833], 0),
      ([2_100_000_000, 0, 1_100_000_000, 400_000_000], 4_800_000_000, [4375, 0, 2292, 833], 2500),
      // What is cut off goes to those that lost most; of equals, to the first.
      ([1, 1, 1, 0], 3, [3334, 3333, 3333, 0], 0), ([1, 1, 1, 0], 6, [1667, 1667, 1666, 0], 5000),
      ([0, 0, 0, 0], 0, [0, 0, 0, 0], 10_000), ([0, 0, 0, 0], 5, [0, 0, 0, 0], 10_000),
      ([5, 0, 0, 0], 5, [10_000, 0, 0, 0], 0),
      // A part that is too small for a share has none.
      ([1, 0, 0, 1_000_000_000], 1_000_000_001, [0, 0, 0, 10_000], 0),
      ([.max, 0, 0, 0], .max, [10_000, 0, 0, 0], 0), ([0, 0, 0, 1], .max, [0, 0, 0, 0], 10_000),
      ([.max / 2, 0, 0, .max / 2], .max, [5000, 0, 0, 5000], 0),
      // More than there is room for: what does not fit is cut off.
      ([.max, .max, .max, .max], .max, [10_000, 0, 0, 0], 0), ([3, 3, 3, 3], 5, [6000, 4000, 0, 0], 0),
    ] as [([Int], Int, [Int], Int)])
  func `a bar is divided by the largest remainder`(bytes: [Int], capacity: Int, parts: [Int], empty: Int) {
    let shares = BarShares(bytes, of: capacity)
    #expect(shares.parts == parts)
    #expect(shares.empty == empty)
  }

  @Test func `a share has at most four decimals`() {
    for share in 0...BarShares.whole {
      let text = JSONText(share: share).description
      let digits = "0000\(share % 10_000)".suffix(4)
      var expected = "\(share / 10_000).\(digits)"
      while expected.last == "0" { expected.removeLast() }
      if expected.last == "." { expected.removeLast() }
      #expect(text == (expected.isEmpty ? "0" : expected))
    }
  }

  @Test func `the shares and what is empty always add up, whatever the sizes`() {
    var random = SeededGenerator(seed: 7)
    let sizes: [Int] = [0, 1, 2, 9_999, 10_000, 10_001, 1 << 31, .max / 10_000, .max / 4, .max / 2, .max - 1, .max]
    for _ in 1...20_000 {
      let bytes = (1...4).map { _ in
        Bool.random(using: &random) ? sizes.randomElement(using: &random)! : Int.random(in: 0...(.max), using: &random)
      }
      let capacity =
        Bool.random(using: &random) ? sizes.randomElement(using: &random)! : Int.random(in: 0...(.max), using: &random)
      let shares = BarShares(bytes, of: capacity)
      #expect(shares.parts.reduce(shares.empty, +) == BarShares.whole)
      #expect(shares.parts.allSatisfy { (0...BarShares.whole).contains($0) } && shares.empty >= 0)
      for (part, share) in zip(bytes, shares.parts) where part == 0 { #expect(share == 0) }
    }
  }
}
