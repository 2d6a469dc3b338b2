import Testing

@testable import HTTPCall
@testable import HTTPHelper

/// When another try is made, and where calls may go.
struct HTTPBackoffTests {
  @Test(arguments: [(0.0, [0.5, 1, 2, 4, 8]), (0.5, [0.75, 1.5, 3, 6, 12])])
  func `waits twice as long each time, up to half of it by chance`(chance: Double, waits: [Double]) {
    var backoff = Backoff(retries: 5) { chance }
    for wait in waits { #expect(backoff.next(after: 0, remaining: 60) == wait) }
    #expect(backoff.next(after: 0, remaining: 60) == nil)
  }

  @Test func `waits no less than the server asks for, within bounds`() {
    var backoff = Backoff(retries: 5) { 0 }
    #expect(backoff.next(after: 30, remaining: 60) == 30)
    #expect(backoff.next(after: 0.1, remaining: 60) == 1, "the second wait")
    #expect(backoff.next(after: 121, remaining: 600) == nil, "nobody waits that long")
    #expect(backoff.next(after: .infinity, remaining: 600) == nil)
    #expect(backoff.next(after: 30, remaining: 30) == nil, "no time is left then")
    #expect(backoff.next(after: 29, remaining: 30) == 29)
    #expect(Backoff(retries: 0).left == 0)
  }

  @Test(arguments: [
    ("Retry-After: 99999999999999999999\r\n", true), ("retry-after:9223372036854775808", true),
    ("RETRY-AFTER: 120\r\n", false), ("Retry-After: 000000000000000000000005\r\n", false),
    ("Retry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n", false), ("Retry-Aftermath: 99999999999999999999\r\n", false),
    ("", false),
  ])
  func `a number of seconds that does not fit is a very long time`(line: String, isTooLong: Bool) {
    #expect(Array(line.utf8).withUnsafeBytes { Transfer.asksForTooLong($0) } == isTooLong)
  }

  @Test(arguments: [
    ("https://billing.example/restore?x=1", "https://billing.example"),
    ("HTTPS://Billing.Example:443", "https://billing.example"),
    ("https://a_b.example:8443/", "https://a_b.example:8443"),
    ("https://[2001:DB8::1]/", "https://[2001:db8::1]"), ("https://127.0.0.1:1/", "https://127.0.0.1:1"),
    ("http://127.0.0.1", "http://127.0.0.1"), ("http://127.1.2.3:80/x", "http://127.1.2.3"),
    ("http://localhost:8080/x", "http://localhost:8080"), ("http://[::1]:8080/x", "http://[::1]:8080"),
  ])
  func `calls may go to a plain https URL, or by http to this machine`(text: String, origin: String) {
    #expect(WebAddress(text)?.origin == origin)
    #expect(WebAddress(text)?.text == text)
  }

  @Test(arguments: [
    "", "billing.example", "ftp://billing.example/", "file:///etc/passwd", "http://billing.example/",
    "http://127.0.0.1.example/", "http://localhost.example/", "http://127.0.0.256/", "http://127.1/",
    "http://127.0.0.01/",
    "http://0x7f.0.0.1/", "http://2130706433/", "http://[::2]/", "http://[::ffff:127.0.0.1]/", "https://", "https:///x",
    "https:billing.example", "https://user@billing.example/", "https://user:pw@billing.example/", "https://:443/",
    "https://billing.example:/", "https://billing.example:0/", "https://billing.example:65536/",
    "https://billing.example:+1/", "https://billing.example/#x", "https://billing.example/a b",
    "https://billing.example\\@x/",
    "https://[::1/", "https://[::1]x/", "https://b%69lling.example/", "https://bücher.example/",
    "https://billing.example/\n",
    "http://127.0.0.1@billing.example/", "http://127.0.0.1\\@billing.example/",
  ])
  func `and nowhere else`(text: String) { #expect(WebAddress(text) == nil) }
}
