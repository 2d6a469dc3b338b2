import RPCShell
import Testing

@testable import Configuration

/// What a configuration file may say about the store of the account.
struct StoreConfigurationTests {
  private static func read(_ text: String) throws -> Configuration {
    let paths = ConfiguredPath(folder: "/app") { ["HOME": "/home/me"][$0] }
    return try Configuration(checking: JSONDocument(wholeText: Array(text.utf8)).view, paths: paths) { _ in false }
  }

  @Test(arguments: [
    ("memory", Configuration.Store.memory, "memory"),
    ("sqlite:/x/account.db", .sqlite(path: "/x/account.db"), "sqlite:/x/account.db"),
    ("sqlite:$XDG_STATE_HOME/a", .sqlite(path: "/home/me/.local/state/a"), "sqlite:/home/me/.local/state/a"),
    ("sqlite:~/a b.db", .sqlite(path: "/home/me/a b.db"), "sqlite:/home/me/a b.db"),
    ("sqlite:account.db", .sqlite(path: "/app/account.db"), "sqlite:/app/account.db"),
    (
      "postgresql://me:secret@host/db?sslkey=secret", .postgresql(url: "postgresql://me:secret@host/db?sslkey=secret"),
      "postgresql://…@host/db?…"
    ),
    ("postgres://host", .postgresql(url: "postgres://host"), "postgres://host"),
  ])
  func `names a file, a server or memory`(text: String, store: Configuration.Store, shown: String) throws {
    let configuration = try Self.read(#"{"store":"\#(text)","accountId":"me@x"}"#)
    #expect(configuration.store == store)
    #expect(configuration.store?.shown == shown)
    #expect(configuration.accountID == "me@x")
  }

  @Test(arguments: [
    (#"{"store":"mysql://me:secret@host"}"#, "store: expected 'sqlite:PATH', 'memory' or 'postgresql://…'"),
    (#"{"store":"Memory"}"#, "store: expected 'sqlite:PATH', 'memory' or 'postgresql://…'"),
    (#"{"store":""}"#, "store: expected 'sqlite:PATH', 'memory' or 'postgresql://…'"),
    (#"{"store":"sqlite:"}"#, "store: expected 'sqlite:PATH', 'memory' or 'postgresql://…'"),
    (#"{"store":"sqlite:~/"}"#, "store: expected 'sqlite:PATH', 'memory' or 'postgresql://…'"),
    (#"{"store":"sqlite:$NOWHERE/x"}"#, "store: the variable '$NOWHERE' is not set"),
    (#"{"store":{}}"#, "store: expected a string, got an object"),
    (#"{"accountId":""}"#, "accountId: expected a name of 1 to 128 bytes without control characters"),
    (#"{"accountId":"a\nb"}"#, "accountId: expected a name of 1 to 128 bytes without control characters"),
    (#"{"accountId":7}"#, "accountId: expected a string, got an integer"),
  ])
  func `names what was expected, and no secret`(text: String, expected: String) throws {
    let violation = #expect(throws: SchemaViolation.self) { try Self.read(text) }
    #expect(violation?.text == expected)
  }
}
