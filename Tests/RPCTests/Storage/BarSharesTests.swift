import Testing

@testable import StoragePlugin

/// How a bar is divided.
struct BarSharesTests {
  @Test(arguments: [
    ([2_100, 1_200, 1_100, 400], 4_800, [4_375, 2_500, 2_292, 833], 0),
    ([2_100, 0, 1_100, 400], 4_800, [4_375, 0, 2_292, 833], 2_500),
    ([0, 0, 0, 0], 0, [0, 0, 0, 0], 10_000), ([0, 0, 0, 0], 10, [0, 0, 0, 0], 10_000),
    ([1, 1, 1, 0], 3, [3_334, 3_333, 3_333, 0], 0), ([.max, 0, 0, 0], .max, [10_000, 0, 0, 0], 0),
    ([.max, .max, 1, 1], .max, [10_000, 0, 0, 0], 0), ([1, 0, 0, 0], .max, [0, 0, 0, 0], 10_000),
  ])
  func `each part has its share, and all add up`(bytes: [Int], capacity: Int, parts: [Int], empty: Int) {
    let shares = BarShares(bytes, of: capacity)
    #expect(shares.parts == parts && shares.empty == empty)
  }

  @Test func `whatever the parts, they add up to exactly one`() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let top = Int.random(in: 0...62, using: &random)
      let bytes = (0..<4).map { _ in Int.random(in: 0...(1 << top), using: &random) }
      let total = bytes.reduce(0) { $0.addingReportingOverflow($1).overflow ? .max : $0 + $1 }
      let capacity = Bool.random(using: &random) ? total : Int.random(in: total...(.max), using: &random)
      let shares = BarShares(bytes, of: capacity)
      #expect(shares.parts.reduce(shares.empty, +) == 10_000)
      #expect((shares.parts + [shares.empty]).allSatisfy { (0...10_000).contains($0) })
    }
  }
}
