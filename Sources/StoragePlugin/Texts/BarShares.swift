/// How a bar is divided: ten-thousandths of its capacity for each part and for what is empty, which add up to exactly one.
///
/// Each has its share cut off; what is missing goes to those that lost most (the method of the largest remainder).
struct BarShares: Equatable {
  /// Ten-thousandths, in the order of the parts.
  let parts: [Int]
  /// The rest of the bar.
  let empty: Int

  static let whole = 10_000

  /// - Parameters:
  ///   - bytes: of the parts; what does not fit into the capacity is cut off from the last.
  ///   - capacity: 0 is an empty bar.
  init(_ bytes: [Int], of capacity: Int) {
    guard capacity > 0 else {
      parts = bytes.map { _ in 0 }
      empty = Self.whole
      return
    }
    var room = capacity
    let fitting = bytes.map { bytes in
      defer { room -= min(bytes, room) }
      return min(bytes, room)
    }
    let all = fitting + [room]
    let exact = all.map { bytes in
      let (high, low) = bytes.multipliedFullWidth(by: Self.whole)
      return capacity.dividingFullWidth((high, low))
    }
    var shares = exact.map(\.quotient)
    let missing = Self.whole - shares.reduce(0, +)
    let order = exact.indices.sorted { one, other in
      let (mine, others) = (exact[one].remainder, exact[other].remainder)
      return mine == others ? one < other : mine > others
    }
    for at in order.prefix(missing) { shares[at] += 1 }
    parts = Array(shares.dropLast())
    empty = shares[shares.count - 1]
  }
}
