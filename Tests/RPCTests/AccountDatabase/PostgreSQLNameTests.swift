import RPCShell
import Testing

@testable import AccountDatabase

/// What is shown of a URL that may hold a password.
struct PostgreSQLNameTests {
  @Test(arguments: [
    ("postgresql://me:secret@db.example/podcasts", "db.example/podcasts", "…@db.example/podcasts"),
    ("postgres://db.example:5433/p?password=secret&sslmode=require", "db.example:5433/p", "db.example:5433/p?…"),
    ("postgresql://me:secret@/p?host=/run/pg&password=secret", "/run/pg/p", "…@/p?…"),
    ("postgresql://a,b:2/p?target_session_attrs=read-write", "a,b:2/p", "a,b:2/p?…"),
    ("postgresql://me@[::1]:5433/p", "[::1]:5433/p", "…@[::1]:5433/p"),
    ("postgresql://[::1]:5433,b:1/p", "[::1]:5433,b:1/p", "[::1]:5433,b:1/p"),
    ("postgresql:///?dbname=podcasts", "/podcasts", "/?…"), ("postgresql://", "/", ""),
    ("postgresql://me:s%40cr%2Fet@%2Frun%2Fpg/p", "%2Frun%2Fpg/p", "…@%2Frun%2Fpg/p"),
    ("postgresql://me:sec?ret@db.example/p", "db.example/p", "…"),
  ])
  func `a URL is shown without who logs in`(url: String, name: String, shown: String) {
    #expect(url.postgreSQLName == "postgresql://" + name)
    #expect(url.withoutSecrets == url.prefix { $0 != "/" } + "//" + shown)
  }

  /// Passwords as they are, each letter of which is in none of the other parts.
  private static let passwords = [
    "SEC@RET", "SEC/RET", "SEC?RET", "SEC#RET", "SEC:RET", "SEC&RET", "SEC=RET", "SEC RET", "@SECRET", "/SECRET",
    "SECRET@", "SECRET/", "SECRET?", "S@E/C?R#E:T", "S/E@C@R/E@T", "S?E=C&R@E/T", "SEC,RET", "[SECRET", "SECRET]",
    "SEC\nRET", "SEC%RET", "S?host=ECRET", "S&host=ECRET", "S?password=E@CRET", "S/E@CRET:1", "//SECRET", "S://ECRET",
  ]

  @Test(arguments: passwords)
  func `no letter of a password is shown, whatever is in it`(password: String) {
    for url in [
      "postgresql://me:\(password)@db.x/p", "postgresql://me:\(password)@/p?host=/run/pg",
      "postgresql://:\(password)@db.x",
      "postgresql://db.x/p?password=\(password)", "postgresql://me@db.x/p?password=\(password)&sslmode=disable",
      "postgresql://db.x/p?sslmode=disable&sslpassword=\(password)",
      "postgresql://me:\(password)@db.x:1,e.x:2/p?user=x",
    ] {
      for shown in [url.postgreSQLName, url.withoutSecrets] {
        let isHost = password.contains("&host=") && url.contains("password=")
        #expect(!shown.contains { "SECRT".contains($0) } || isHost, "\(url): \(shown)")
      }
    }
  }

  @Test(arguments: [
    "postgresql://me:SECRET", "postgresql://me:SECRET/p", "postgresql://me:SEC?RET", "postgresql://a,me:S/p",
  ])
  func `what may be a password whose host is missing is not shown`(url: String) {
    #expect(url.postgreSQLName == "postgresql://…")
    #expect(url.withoutSecrets == "postgresql://…")
  }

  @Test func `what libpq says of such a URL is not shown either`() {
    for kind in [PostgreSQLRefusal.Kind.lost, .statement] {
      let refusal = PostgreSQLRefusal(kind, "could not translate host name \"cret@db.x\"", state: nil)
      #expect(!PostgreSQLFailure.failure(refusal.withoutURL).reason.contains("cret"))
    }
  }
}
