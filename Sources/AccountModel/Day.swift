/// A day of the Gregorian calendar, years 1 … 9999, in no time zone.
public struct Day: Sendable, Hashable {
  /// 1 … 9999
  public let year: Int
  /// 1 … 12
  public let month: Int
  /// 1 … 31
  public let day: Int

  /// - Returns: nil for a day that is in no calendar, such as February 30.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year) else {
      return nil
    }
    self.year = year
    self.month = month
    self.day = day
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  // MARK: Counting

  /// Days since 1970-01-01.
  public var number: Int {
    // Years begin in March, so that a leap day comes last.
    let shifted = month > 2 ? year : year - 1
    let era = shifted / 400
    let yearOfEra = shifted % 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// - Parameter number: days since 1970-01-01; what lies outside the years 1 … 9999 is brought to their nearest day.
  public init(number: Int) {
    let shifted = min(max(number, -719_162), 2_932_896) + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The day that it is at a moment, at a distance from UTC.
  /// - Parameter seconds: since 1970-01-01T00:00:00Z.
  public init(at seconds: Int, secondsFromUTC: Int) {
    let local = seconds + secondsFromUTC
    self.init(number: local / 86_400 - (local % 86_400 < 0 ? 1 : 0))
  }
}

extension Day: Comparable {
  public static func < (one: Day, other: Day) -> Bool {
    (one.year, one.month, one.day) < (other.year, other.month, other.day)
  }
}

extension Day: CustomStringConvertible {
  /// `2026-11-02`
  public var description: String {
    func padded(_ number: Int, to width: Int) -> String {
      let digits = "\(number)"
      return String(repeating: "0", count: width - digits.count) + digits
    }
    return "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))"
  }
}
