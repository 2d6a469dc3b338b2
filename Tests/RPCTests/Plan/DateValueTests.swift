import AccountModel
import Testing

struct DateValueTests {
  @Test(arguments: [
    "2026-02-30", "2026-13-02", "2026-00-10", "2026-04-31", "2027-02-29", "2100-02-29", "0000-01-01", "0001-01-01",
    "0001-01-01T00:00:00Z", "1582-12-31", "2026-1-2",
    "20261102", "2026-11-02 ", "2026-11-02T", "2026-11-02T10:00:00", "2026-11-02T24:00:00Z", "2026-11-02T10:60:00Z",
    "2026-11-02T10:00:60Z", "2026-11-02 10:00:00Z", "2026-11-02T10:00:00.Z", "2026-11-02T10:00:00+1:00",
    "2016-12-31T23:59:60Z", "2026-11-31", "1900-02-29", "2026-11-00", "+2026-11-02", "02026-11-02", "2026-11-02Z",
    "2026-11-02T10:00:00+24:00", "2026-11-02T10:00Z", "2026-11-02T10:00:00ZZ", "", "٢٠٢٦-١١-٠٢",
  ])
  func `dates that do not exist are refused`(text: String) {
    #expect(DateValue(text) == nil)
  }

  @Test(arguments: [
    ("2026-11-02", 2026, 11, 2), ("2024-02-29", 2024, 2, 29), ("2000-02-29", 2000, 2, 29), ("1583-01-01", 1583, 1, 1),
    ("9999-12-31", 9999, 12, 31),
  ])
  func `days stay as they were given, in every zone`(text: String, year: Int, month: Int, day: Int) throws {
    let date = try #require(DateValue(text))
    #expect(date.text == text)
    #expect(date.moment == .day(try #require(Day(year: year, month: month, day: day))))
    for offset in [-43_200, 0, 50_400] { #expect(date.day { Day(at: $0, secondsFromUTC: offset) }.description == text) }
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0, 0), ("2026-11-02T00:00:00Z", 1_793_577_600, 0),
    ("2026-11-02t00:00:00.999z", 1_793_577_600, 999_000_000), ("2026-11-02T01:30:00+01:30", 1_793_577_600, 0),
    ("2026-11-01T16:00:00.0000000019-08:00", 1_793_577_600, 1), ("1969-12-31T23:59:59Z", -1, 0),
    ("2024-02-29T12:00:00Z", 1_709_208_000, 0),
  ])
  func `instants are seconds since 1970`(text: String, seconds: Int, nanoseconds: Int) {
    #expect(DateValue(text)?.moment == .instant(seconds: seconds, nanoseconds: nanoseconds))
    #expect(DateValue(text)?.text == text)
  }

  @Test(arguments: [
    ("2026-11-01", "2026-11-02", true), ("2026-11-02", "2026-11-02", false), ("2026-11-03", "2026-11-02", false),
    ("2026-11-02T10:00:00Z", "2026-11-02T10:00:01Z", true), ("2026-11-02T10:00:00.1Z", "2026-11-02T10:00:00.9Z", true),
    ("2026-11-02T10:00:00.9Z", "2026-11-02T10:00:00.10Z", false),
    ("2026-11-02T10:00:00+02:00", "2026-11-02T09:00:00Z", true), ("2026-11-02T10:00:00Z", "2026-11-02", false),
    ("2026-11-01T23:59:59Z", "2026-11-02", true), ("2026-11-01", "2026-11-02T00:00:00Z", true),
  ])
  func `instants compare by the moment, and days by the day`(one: String, other: String, isEarlier: Bool) throws {
    let one = try #require(DateValue(one))
    let other = try #require(DateValue(other))
    #expect(one.isEarlier(than: other) { Day(at: $0, secondsFromUTC: 0) } == isEarlier)
  }

  @Test func `days and their numbers agree over four centuries and at the ends`() {
    for number in Array(-1_000...145_100) + Array(-719_162 ... -718_000) + Array(2_932_000...2_932_896) {
      let day = Day(number: number)
      #expect(day.number == number)
      #expect(Day(year: day.year, month: day.month, day: day.day) == day)
    }
    #expect(Day(number: 0).description == "1970-01-01")
    #expect(Day(number: -719_162).description == "0001-01-01")
    #expect(Day(number: 2_932_896).description == "9999-12-31")
    #expect(Day(number: .max).description == "9999-12-31")
  }

  @Test(arguments: [(-1, 0, "1969-12-31"), (0, -1, "1969-12-31"), (86_399, 0, "1970-01-01"), (86_399, 1, "1970-01-02")])
  func `a moment's day depends on the distance from UTC`(seconds: Int, offset: Int, day: String) {
    #expect(Day(at: seconds, secondsFromUTC: offset).description == day)
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (-0.5, "1969-12-31T23:59:59Z"), (1e20, "9999-12-31T23:59:59Z"),
    (.infinity, "9999-12-31T23:59:59Z"), (-1e300, "0001-01-01T00:00:00Z"), (.nan, "1970-01-01T00:00:00Z"),
    (Double(Int.max), "9999-12-31T23:59:59Z"),
  ])
  func `every number of seconds has a nearest moment`(seconds: Double, text: String) {
    #expect(DateValue(at: seconds).text == text)
  }
}
