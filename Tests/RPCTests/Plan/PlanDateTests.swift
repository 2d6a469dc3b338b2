import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin
@testable import RPCShellMain

/// On which day a date is, and how it is written.
struct PlanDateTests {
  private func date(
    _ date: String, zone: String = "UTC", locale: String = "en_US", today: String = "2026-10-19"
  ) throws -> (text: String, isPast: Bool) {
    let formatting = PlanFormatting(localeID: locale, timeZoneID: zone)
    return formatting.date(try #require(DateValue(date)), today: try #require(DateValue(today)).day(formatting.day))
  }

  private static let zones = [
    "UTC", "America/Los_Angeles", "America/St_Johns", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe",
    "Pacific/Apia", "Pacific/Kiritimati", "Etc/GMT+12", "Europe/London", "America/New_York", "Asia/Tokyo",
  ]

  // MARK: Zones

  @Test(arguments: zones)
  func `a day is that day everywhere`(zone: String) throws {
    #expect(try date("2026-11-02", zone: zone).text == "Nov 2")
    #expect(try date("2026-10-19", zone: zone) == ("Oct 19", false))
    #expect(try date("2026-10-18", zone: zone) == ("Oct 18, 2026", true))
  }

  @Test(arguments: [
    ("2026-11-02T00:00:00Z", "UTC", "Nov 2"), ("2026-11-02T00:00:00Z", "America/Los_Angeles", "Nov 1"),
    ("2026-11-02T00:00:00Z", "Asia/Tokyo", "Nov 2"), ("2026-11-19T02:00:00Z", "America/New_York", "Nov 18"),
    // Quarters and halves of an hour from UTC.
    ("2026-11-01T18:14:59Z", "Asia/Kathmandu", "Nov 1"), ("2026-11-01T18:15:00Z", "Asia/Kathmandu", "Nov 2"),
    ("2026-11-01T18:29:59Z", "Asia/Kolkata", "Nov 1"), ("2026-11-01T18:30:00Z", "Asia/Kolkata", "Nov 2"),
    // Both ends of the day line.
    ("2026-11-01T10:59:59Z", "Pacific/Apia", "Nov 1"), ("2026-11-01T11:00:00Z", "Pacific/Apia", "Nov 2"),
    ("2026-11-01T10:00:00Z", "Pacific/Kiritimati", "Nov 2"), ("2026-11-02T11:59:59Z", "Etc/GMT+12", "Nov 1"),
    // Before and after clocks are set: by half an hour, by an hour.
    ("2027-04-03T12:59:59Z", "Australia/Lord_Howe", "Apr 3"), ("2027-04-03T13:00:00Z", "Australia/Lord_Howe", "Apr 4"),
    ("2027-04-04T13:29:59Z", "Australia/Lord_Howe", "Apr 4"), ("2027-04-04T13:30:00Z", "Australia/Lord_Howe", "Apr 5"),
    ("2026-10-24T22:59:59Z", "Europe/London", "Oct 24"), ("2026-10-24T23:00:00Z", "Europe/London", "Oct 25"),
    ("2026-10-25T23:59:59Z", "Europe/London", "Oct 25"), ("2026-10-26T00:00:00Z", "Europe/London", "Oct 26"),
    ("2026-10-31T02:29:59Z", "America/St_Johns", "Oct 30"), ("2026-10-31T02:30:00Z", "America/St_Johns", "Oct 31"),
    ("2026-11-03T03:29:59Z", "America/St_Johns", "Nov 2"), ("2026-11-03T03:30:00Z", "America/St_Johns", "Nov 3"),
    // A day that was left out, and rules of a far year.
    ("2011-12-30T09:59:59Z", "Pacific/Apia", "Dec 29, 2011"), ("2011-12-30T10:00:00Z", "Pacific/Apia", "Dec 31, 2011"),
    ("2050-07-01T03:59:59Z", "America/New_York", "Jun 30, 2050"),
    ("2050-07-01T04:00:00Z", "America/New_York", "Jul 1, 2050"),
  ])
  func `an instant is on the day that it is where the person is`(instant: String, zone: String, text: String) throws {
    #expect(try date(instant, zone: zone).text == text)
  }

  @Test(arguments: [
    // now, zone, date, line, past
    ("2026-10-19T00:00:00Z", "UTC", "2026-10-19", "Renews Oct 19", false),
    ("2026-10-19T00:00:00Z", "America/Los_Angeles", "2026-10-18", "Renews Oct 18", false),
    ("2026-10-19T06:59:59Z", "America/Los_Angeles", "2026-10-18", "Renews Oct 18", false),
    ("2026-10-19T07:00:00Z", "America/Los_Angeles", "2026-10-18", "Renews Oct 18, 2026", true),
    ("2026-10-18T15:00:00Z", "Asia/Tokyo", "2026-10-18", "Renews Oct 18, 2026", true),
    ("2026-10-18T14:59:59Z", "Asia/Tokyo", "2026-10-18", "Renews Oct 18", false),
    ("2026-10-18T18:14:59Z", "Asia/Kathmandu", "2027-10-18", "Renews Oct 18, 2027", false),
    ("2026-10-18T18:15:00Z", "Asia/Kathmandu", "2027-10-18", "Renews Oct 18", false),
    ("2026-12-31T23:59:59Z", "UTC", "2027-12-30", "Renews Dec 30", false),
    ("2026-12-31T23:59:59Z", "UTC", "2027-12-31", "Renews Dec 31, 2027", false),
    ("2027-01-01T00:00:00Z", "UTC", "2026-12-31", "Renews Dec 31, 2026", true),
    // Minutes ago is still today.
    ("2026-10-19T12:00:00Z", "UTC", "2026-10-19T00:30:00Z", "Renews Oct 19", false),
  ])
  func `today is the day where the person is`(
    now: String, zone: String, on: String, line: String, isPast: Bool
  ) throws {
    guard case .instant(let seconds, _) = try #require(DateValue(now)).moment else { return }
    let plan = PlanUsage(name: "P", price: .free, status: .renews(try #require(DateValue(on))))
    let summary = PlanState.showing(plan).snapshot(now: Double(seconds), Environment(timeZone: zone))["summary"]
    #expect(
      summary?.description.contains(
        #""dateLine":"\#(line)","dateTone":"secondary","dateIsPast":\#(isPast),"changeLine":null,"stale":\#(isPast),"#)
        == true)
  }

  /// Moments after 2026-10-19T00:00:00Z, each minute of a day and the seconds around it.
  private static let moments = (0...1500).flatMap { [Double($0 * 60) - 0.5, Double($0 * 60)] }

  @Test(arguments: zones + ["GMT+0530", "GMT+0537", "GMT-3"])
  func `a new day begins at midnight in every zone that is known`(zone: String) {
    guard SystemTimeZone.isKnown(zone) else { return }
    let environment = Environment(timeZone: zone)
    let formatting = PlanFormatting(localeID: environment.locale, timeZoneID: zone)
    var cache = PlanTextCache()
    var shown = formatting.day(at: Int(PlanRig.today) - 1)
    _ = cache.texts(for: .plus, PlanUsage.plus.jsonText, asOf: nil, now: PlanRig.today - 0.5, environment)
    for moment in Self.moments {
      let now = PlanRig.today + moment
      let day = formatting.day(at: Int(now.rounded(.down)))
      guard cache.isOutdated(now: now, environment) == (day != shown) else {
        Issue.record("the day of \(now) is \(day)")
        return
      }
      _ = cache.texts(for: .plus, PlanUsage.plus.jsonText, asOf: nil, now: now, environment)
      shown = day
    }
  }

  @Test(arguments: [
    "bogus", "Mars/Olympus", "", "GMT+0537", "GMT-3", "UTC+5", "GMT+99", "Asia/./Tokyo", "./Europe/Berlin", "../UTC",
    "posixrules", "localtime", "posix/UTC", "right/UTC", "Europe/Berlin/", "europe", "tzdata.zi", "U\u{301}TC",
  ])
  func `a zone that is not in the IANA list is not known`(zone: String) {
    #expect(!SystemTimeZone.isKnown(zone))
  }

  // MARK: Calendar

  @Test(arguments: [
    ("1583-01-01", "Jan 1, 1583"), ("1700-03-01", "Mar 1, 1700"), ("1899-12-31", "Dec 31, 1899"),
    ("2000-02-29", "Feb 29, 2000"),
    ("2400-02-29", "Feb 29, 2400"), ("9999-12-31", "Dec 31, 9999"),
  ])
  func `days of every year are Gregorian`(day: String, text: String) throws {
    #expect(try date(day).text == text)
  }

  @Test(arguments: [
    ("en_US", "Nov 2, 2027"), ("ar_SA", "٢ نوفمبر، ٢٠٢٧"), ("fa_IR", "۲ نوامبر ۲۰۲۷"), ("th_TH", "2 พ.ย. 2027"),
    ("ja_JP", "2027年11月2日"), ("he_IL", "2 בנוב׳ 2027"), ("en_US@calendar=islamic", "Nov 2, 2027"),
    ("en_US@calendar=buddhist", "Nov 2, 2027"), ("en_US@calendar=chinese", "Nov 2, 2027"),
    ("ja_JP@calendar=japanese", "2027年11月2日"), ("he_IL@calendar=hebrew", "2 בנוב׳ 2027"),
    ("fa-IR-u-ca-persian", "۲ نوامبر ۲۰۲۷"), ("ar-SA-u-ca-islamic-umalqura", "٢ نوفمبر، ٢٠٢٧"),
    ("th-TH-u-ca-buddhist", "2 พ.ย. 2027"), ("zh_Hant_TW@calendar=roc", "2027年11月2日"),
    ("am_ET@calendar=ethiopic", "ኖቬም 2 2027"),
  ])
  func `years are Gregorian in every locale`(locale: String, text: String) throws {
    #expect(try date("2027-11-02", locale: locale).text == text)
  }

  @Test(arguments: [
    ("2026-10-19", "2026-10-19", "Oct 19", false), ("2026-10-19", "2027-10-18", "Oct 18", false),
    ("2026-10-19", "2027-10-19", "Oct 19, 2027", false), ("2026-10-19", "2026-10-18", "Oct 18, 2026", true),
    ("2026-10-19", "2027-01-05", "Jan 5", false), ("2026-10-19", "2027-11-02", "Nov 2, 2027", false),
    ("2026-10-19", "2026-10-01", "Oct 1, 2026", true), ("2026-01-01", "2026-12-31", "Dec 31", false),
    ("2026-01-01", "2027-01-01", "Jan 1, 2027", false), ("2026-12-31", "2027-12-30", "Dec 30", false),
    ("2028-02-29", "2029-02-28", "Feb 28", false), ("2028-02-29", "2029-03-01", "Mar 1, 2029", false),
    ("2027-02-28", "2028-02-28", "Feb 28, 2028", false), ("2027-03-01", "2028-02-29", "Feb 29", false),
    ("9999-12-31", "9999-12-31", "Dec 31", false), ("9999-12-31", "1970-01-01", "Jan 1, 1970", true),
  ])
  func `the year is there unless the date is within the next one`(
    today: String, day: String, text: String, isPast: Bool
  ) throws {
    #expect(try date(day, today: today) == (text, isPast))
  }
}
