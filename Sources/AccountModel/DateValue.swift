public import RPCShell

/// A date of the wire: a day, which no time zone shifts, or an instant (RFC 3339). Kept as it was given.
public struct DateValue: Sendable, Equatable, JSONWritable {
  /// What the text stands for.
  public enum Moment: Sendable, Equatable {
    case day(Day)
    /// Whole seconds since 1970-01-01T00:00:00Z, and what is left as nanoseconds (further digits are dropped).
    case instant(seconds: Int, nanoseconds: Int)
  }

  /// As it was given.
  public let text: String
  public let moment: Moment

  /// A day, as `2026-11-02`.
  public init(_ day: Day) {
    text = day.description
    moment = .day(day)
  }

  /// The moments that there are, in seconds since 1970-01-01T00:00:00Z: those of the years 1 … 9999.
  public static let moments = -62_135_596_800.0...253_402_300_799.0

  /// The moment that is nearest to a number of seconds, which somebody else may have written; 1970 where it is none.
  public static func moment(nearest seconds: Double) -> Double {
    seconds.isNaN ? 0 : min(max(seconds, moments.lowerBound), moments.upperBound)
  }

  /// An instant.
  /// - Parameter seconds: since 1970-01-01T00:00:00Z; see ``moment(nearest:)``.
  public init(at seconds: Double) {
    let now = Self.moment(nearest: seconds)
    let seconds = Int(now.rounded(.down))
    let second = (seconds % 86_400 + 86_400) % 86_400
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = [second / 3600, second / 60 % 60, second % 60].map(padded)
    text = "\(Day(at: seconds, secondsFromUTC: 0))T\(time[0]):\(time[1]):\(time[2])Z"
    moment = .instant(seconds: seconds, nanoseconds: Int((now - now.rounded(.down)) * 1e9))
  }

  /// - Parameter text: `2026-11-02`, `2026-11-02T09:30:00Z`, `2026-11-02T09:30:00.25+01:00`.
  /// - Returns: nil for another form, for days and times that do not exist (February 30, 24:00, second 60), and for years
  ///   before 1583, in which no calendar counts days like today's (ISO 8601-1, 4.3.2): they stand for a date that is
  ///   missing.
  public init?(_ text: String) {
    var scanner = Scanner(rest: Array(text.utf8)[...])
    guard let day = scanner.day(), day.year >= 1583 else { return nil }
    self.text = text
    if scanner.rest.isEmpty {
      moment = .day(day)
    } else {
      guard scanner.take("T"), let seconds = scanner.time(), let nanoseconds = scanner.nanoseconds(),
        let offset = scanner.offset(), scanner.rest.isEmpty
      else { return nil }
      moment = .instant(seconds: day.number * 86_400 + seconds - offset, nanoseconds: nanoseconds)
    }
  }

  /// The day that it is on.
  /// - Parameter day: the day of an instant (seconds since 1970-01-01T00:00:00Z) where the person is.
  public func day(_ day: (Int) -> Day) -> Day {
    switch moment {
    case .day(let day): day
    case .instant(let seconds, _): day(seconds)
    }
  }

  /// Whether it comes before another date: by the moment where both are instants, else by the day.
  /// - Parameter day: as in ``day(_:)``.
  public func isEarlier(than other: DateValue, day: (Int) -> Day) -> Bool {
    if case .instant(let seconds, let nanoseconds) = moment,
      case .instant(let otherSeconds, let otherNanoseconds) = other.moment
    {
      return (seconds, nanoseconds) < (otherSeconds, otherNanoseconds)
    }
    return self.day(day) < other.day(day)
  }

  /// Whether it comes before another date, wherever the person is.
  public func isEarlierEverywhere(than other: DateValue) -> Bool {
    [-12, 14].allSatisfy { hours in isEarlier(than: other) { Day(at: $0, secondsFromUTC: hours * 3600) } }
  }

  /// The later of two dates; of a day and a moment of that day, the moment, which says more.
  /// - Parameter day: as in ``day(_:)``.
  public func later(_ other: DateValue, day: (Int) -> Day) -> DateValue {
    if isEarlier(than: other, day: day) { return other }
    if case .day = moment, !other.isEarlier(than: self, day: day) { return other }
    return self
  }

  /// - Parameter view: was checked with ``schema``.
  public init(validated view: JSONView) { self.init(view.string!)! }

  public func write(to writer: inout JSONWriter) { writer.string(text) }

  /// A string that is such a date.
  public static let schema: Schema =
    Schema.checked(
      .string, expected: "a date that exists, YYYY-MM-DD or an RFC 3339 instant"
    ) { DateValue($0.string!) != nil }
}

/// Reads the parts of RFC 3339, section 5.6.
private struct Scanner {
  var rest: ArraySlice<UInt8>

  mutating func day() -> Day? {
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2) else { return nil }
    return Day(year: year, month: month, day: day)
  }

  /// Seconds since midnight.
  mutating func time() -> Int? {
    guard let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60, take(":"),
      let second = number(2), second < 60
    else { return nil }
    return hour * 3600 + minute * 60 + second
  }

  /// Parts of a second: 0 where there are none.
  mutating func nanoseconds() -> Int? {
    guard take(".") else { return 0 }
    let digits = rest.prefix(while: isDigit)
    rest = rest[digits.endIndex...]
    guard !digits.isEmpty else { return nil }
    return (0..<9).reduce(0) { sum, place in
      sum * 10 + (place < digits.count ? Int(digits[digits.startIndex + place] - UInt8(ascii: "0")) : 0)
    }
  }

  /// Seconds east of UTC.
  mutating func offset() -> Int? {
    if take("Z") { return 0 }
    let sign = take("+") ? 1 : take("-") ? -1 : 0
    guard sign != 0, let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60 else { return nil }
    return sign * (hour * 3600 + minute * 60)
  }

  /// Takes one character; a letter in either case.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    let wanted = UInt8(ascii: character)
    guard let next = rest.first, next == wanted || character.properties.isAlphabetic && next == wanted | 0x20 else {
      return false
    }
    rest.removeFirst()
    return true
  }

  private mutating func number(_ width: Int) -> Int? {
    let digits = rest.prefix(width)
    guard digits.count == width, digits.allSatisfy(isDigit) else { return nil }
    rest = rest[digits.endIndex...]
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
