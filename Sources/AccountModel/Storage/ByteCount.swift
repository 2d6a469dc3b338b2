/// A number of bytes, as a person reads it.
///
/// Foundation's own formatter is not used: it shows 999 bytes as "1 kB" and 999,499 bytes as "1 MB".
public struct ByteCount: Sendable, Hashable {
  /// 0 … 2^63-1
  public var bytes: Int

  /// - Parameter bytes: 0 … 2^63-1
  public init(_ bytes: Int) { self.bytes = bytes }

  /// A decimal unit and the decimals that its figures have at most.
  private struct Unit {
    var name: String
    /// Bytes in one.
    var size: Int
    var decimals: Int
  }

  private static let units = [
    Unit(name: "kB", size: 1_000, decimals: 0),
    Unit(name: "MB", size: 1_000_000, decimals: 1),
    Unit(name: "GB", size: 1_000_000_000, decimals: 2),
    Unit(name: "TB", size: 1_000_000_000_000, decimals: 2),
    Unit(name: "PB", size: 1_000_000_000_000_000, decimals: 2),
    Unit(name: "EB", size: 1_000_000_000_000_000_000, decimals: 2),
  ]

  /// `0 bytes`, `1 byte`, `999 kB`, `52.4 MB`, `1.25 GB`: the smallest unit whose figure, rounded half-even, stays below
  /// 1000.
  public var text: String {
    if bytes == 1 { return "1 byte" }
    if bytes < 1_000 { return "\(bytes) bytes" }
    for unit in Self.units {
      let parts = unit.decimals == 0 ? 1 : unit.decimals == 1 ? 10 : 100
      let rounded = Self.quotient(bytes, unit.size / parts)
      if rounded < 1_000 * parts { return "\(Self.figure(rounded, parts)) \(unit.name)" }
    }
    return "\(bytes) bytes"
  }

  /// The nearest whole quotient; of two as near, the even one.
  private static func quotient(_ number: Int, _ divisor: Int) -> Int {
    let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
    let half = divisor / 2
    let isUp = rest > half || rest == half && !quotient.isMultiple(of: 2)
    return quotient + (isUp ? 1 : 0)
  }

  /// - Parameter parts: what one is divided into: 1, 10 or 100.
  private static func figure(_ count: Int, _ parts: Int) -> String {
    let (whole, rest) = count.quotientAndRemainder(dividingBy: parts)
    guard rest > 0 else { return "\(whole)" }
    let digits = "\(parts + rest)".dropFirst()
    return "\(whole).\(digits.last == "0" ? digits.dropLast() : digits)"
  }
}
