extension ExactDecimal {
  /// The exact product.
  public static func * (one: ExactDecimal, other: ExactDecimal) -> ExactDecimal {
    var sums = [Int](repeating: 0, count: one.digits.count + other.digits.count)
    for (row, digit) in one.digits.enumerated() {
      for (column, factor) in other.digits.enumerated() { sums[row + column + 1] += Int(digit) * Int(factor) }
    }
    for at in sums.indices.dropFirst().reversed() {
      sums[at - 1] += sums[at] / 10
      sums[at] %= 10
    }
    return ExactDecimal(
      isNegative: one.isNegative != other.isNegative, digits: sums.map(UInt8.init),
      exponent: one.exponent + other.exponent)
  }

  /// The quotient with `places` decimals, rounded toward zero.
  /// - Parameter divisor: not zero.
  public func divided(by divisor: ExactDecimal, places: Int) -> ExactDecimal {
    let shift = exponent - divisor.exponent + places
    let dividend = digits + repeatElement(0, count: max(0, shift))
    let quotient = Self.quotient(dividend, divisor.digits + repeatElement(0, count: max(0, -shift)))
    return ExactDecimal(isNegative: isNegative != divisor.isNegative, digits: quotient, exponent: -places)
  }

  /// Long division of whole numbers.
  private static func quotient(_ dividend: [UInt8], _ divisor: [UInt8]) -> [UInt8] {
    var rest: [UInt8] = []
    return dividend.map { digit in
      if digit != 0 || !rest.isEmpty { rest.append(digit) }
      var times: UInt8 = 0
      while subtract(divisor, from: &rest) { times += 1 }
      return times
    }
  }

  /// - Parameter number: a whole number without leading zeros.
  /// - Returns: false, with `number` as it was, when `part` is larger.
  private static func subtract(_ part: [UInt8], from number: inout [UInt8]) -> Bool {
    guard number.count > part.count || number.count == part.count && !number.lexicographicallyPrecedes(part) else {
      return false
    }
    var borrow: UInt8 = 0
    for back in 1...number.count {
      let taken = (back <= part.count ? part[part.count - back] : 0) + borrow
      let at = number.count - back
      borrow = number[at] < taken ? 1 : 0
      number[at] += borrow * 10
      number[at] -= taken
    }
    number.removeFirst(number.prefix { $0 == 0 }.count)
    return true
  }

  /// Cut to `places` decimals.
  public func truncated(to places: Int) -> ExactDecimal {
    let surplus = -exponent - places
    guard surplus > 0 else { return self }
    return ExactDecimal(isNegative: isNegative, digits: digits.dropLast(surplus), exponent: -places)
  }

  /// The nearest number with `places` decimals; of two as near, the even one.
  public func rounded(to places: Int) -> ExactDecimal {
    let surplus = -exponent - places
    guard surplus > 0, surplus <= digits.count else { return truncated(to: places) }
    var kept = [0] + digits.dropLast(surplus)
    let dropped = digits.suffix(surplus)
    let isHalf = dropped.first == 5 && dropped.count == 1
    if isHalf ? !kept.last!.isMultiple(of: 2) : dropped.first! >= 5 {
      var at = kept.count - 1
      while kept[at] == 9 {
        kept[at] = 0
        at -= 1
      }
      kept[at] += 1
    }
    return ExactDecimal(isNegative: isNegative, digits: kept, exponent: -places)
  }
}

extension ExactDecimal {
  private init(isNegative: Bool, digits: ArraySlice<UInt8>, exponent: Int) {
    self.init(isNegative: isNegative, digits: Array(digits), exponent: exponent)
  }
}
