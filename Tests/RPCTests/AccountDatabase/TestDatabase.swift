import Glibc
import RPCShell
import Testing

@testable import AccountDatabase

/// The PostgreSQL server that tests run against, which `make test` starts.
enum TestServer {
  /// The URL of a database whose user may do everything; nil where there is no server.
  static let url = getenv("RPCSHELL_TEST_POSTGRES").map { String(cString: $0) }
  static var isThere: Bool { url != nil }
  static let isMissing = Comment("there is no server: run `make test`, or Tests/Servers/with-postgres swift test")

  /// The program that speaks to servers.
  static let helper =
    getenv("POSTGRES_HELPER_BINARY").map { String(cString: $0) } ?? Binary.root + "/.build/debug/rpcshell-postgres"

  /// The URL of another database.
  static func url(of database: String, user: String = "tester") -> String {
    (url ?? "").replacing("//tester@/postgres?", with: "//\(user)@/\(database)?")
  }

  private static let connection = Locked<PostgreSQLConnection?>(nil)

  /// Carries out a statement beside all sessions.
  @discardableResult
  static func execute(_ statement: String) throws -> [[SQLValue]] {
    let result = connection.withLock { connection in
      Result {
        let open = try connection ?? PostgreSQLConnection(url ?? "", helper: helper) {}
        connection = open
        let answer = try open.runAll([statement])
        if let refusal = answer.refusal { throw refusal }
        return answer.results.last?.rows ?? []
      }
    }
    return try result.get()
  }
}

/// A database that is there as long as this value.
final class TestDatabase: Sendable {
  let name: String
  var url: String { TestServer.url(of: name) }

  init() throws {
    name = "test_\(UInt64.random(in: 0 ... .max))"
    try TestServer.execute("CREATE DATABASE \(name) TEMPLATE template0")
  }

  deinit { _ = try? TestServer.execute("DROP DATABASE \(name) WITH (FORCE)") }

  func engine(account: String = "default") -> PostgreSQLEngine {
    PostgreSQLEngine(url: url, account: account, helper: TestServer.helper)
  }

  /// Carries out a statement in it, on a connection of its own.
  @discardableResult
  func execute(_ statement: String) throws -> [[SQLValue]] {
    let answer = try PostgreSQLConnection(url, helper: TestServer.helper) {}.runAll([statement])
    if let refusal = answer.refusal { throw refusal }
    return answer.results.last?.rows ?? []
  }

  /// Ends all connections to it, as an administrator or a server that stops does.
  func endConnections() throws {
    try TestServer.execute("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '\(name)'")
  }

  /// Waits until a statement brings a row with a number.
  func wait(for statement: String, is number: Int = 1) throws {
    let end = ContinuousClock.now + .seconds(60)
    while try TestServer.execute(statement) != [[.integer(number)]] {
      guard ContinuousClock.now < end else { throw StoreSession.Unexpected() }
      sched_yield()
    }
  }
}
