import AccountModel
import RPCShell
import Testing

@testable import Configuration

/// What a configuration file may say about storage.
struct StorageConfigurationTests {
  private static let variables = [
    "HOME": "/home/me", "XDG_DATA_HOME": "/data", "XDG_STATE_HOME": "state", "APP": "/opt/app",
  ]

  private static func read(_ storage: String) throws -> Configuration.Storage {
    let view = try JSONDocument(wholeText: Array(#"{"storage":\#(storage)}"#.utf8)).view
    return try Configuration(checking: view, paths: ConfiguredPath(folder: "/app") { variables[$0] }) { _ in true }
      .storage
  }

  @Test(arguments: [
    ("~", "/home/me"), ("~/Podcasts", "/home/me/Podcasts"), ("/a b/~c", "/a b/~c"), ("cache", "/app/cache"),
    ("./cache", "/app/./cache"), ("$APP/cache", "/opt/app/cache"), ("${APP}-cache", "/opt/app-cache"),
    ("$XDG_CACHE_HOME/podcasts", "/home/me/.cache/podcasts"), ("$XDG_DATA_HOME", "/data"),
    ("$XDG_STATE_HOME/x", "/home/me/.local/state/x"), ("${XDG_CONFIG_HOME}", "/home/me/.config"),
    ("$HOME/x", "/home/me/x"), ("Caché", "/app/Caché"),
  ])
  func `a path starts at the file, and names folders by ~ and variables`(text: String, path: String) throws {
    let storage = try Self.read(#"{"roots":{"cache":["\#(text)"]},"manifest":"\#(text)"}"#)
    #expect(storage.roots == StorageRoots(cache: [path]))
    #expect(storage.manifest == path)
  }

  @Test(arguments: [
    ("~root/x", "expected '~' alone or '~/…', got '~root/x'"), ("$NOWHERE/x", "the variable '$NOWHERE' is not set"),
    ("a$", "expected the name of a variable behind '$'"), ("${APP/x", "expected '}' behind '${APP'"),
    ("a\\u0000b", "expected a path without NUL"),
  ])
  func `a path that cannot be read is refused with its place`(text: String, reason: String) {
    let violation = #expect(throws: SchemaViolation.self) {
      try Self.read(#"{"roots":{"photos":["/a"],"cache":["/b","\#(text)"]}}"#)
    }
    #expect(violation?.text == "storage.roots.cache[1]: \(reason)")
  }

  @Test func `says nothing where nothing is given`() throws {
    for text in ["{}", "null", #"{"roots":null,"manifest":null,"watch":null,"// why":1}"#] {
      #expect(try Self.read(text) == Configuration.Storage())
    }
  }

  @Test func `says what is where, and what is done about it`() throws {
    let storage = try Self.read(
      #"""
      {"roots":{"downloads":["/d1","/d2"],"cache":[],"photos":null},"showsFreeSpace":false,"watch":true,
        "applyAutoRemove":true}
      """#)
    #expect(storage.roots == StorageRoots(downloads: ["/d1", "/d2"]))
    #expect(storage.showsFreeSpace == false)
    #expect(storage.watch == true)
    #expect(storage.applyAutoRemove == true)
    #expect(storage.roots?.all.map(\.name) == ["storage.roots.downloads[0]", "storage.roots.downloads[1]"])
  }

  @Test(arguments: [
    ("[]", "storage: expected an object, got an array"),
    (#"{"root":{}}"#, "storage.root: unknown member; did you mean 'roots'?"),
    (#"{"roots":{"caches":[]}}"#, "storage.roots.caches: unknown member; did you mean 'cache'?"),
    (#"{"roots":{"cache":"/x"}}"#, "storage.roots.cache: expected an array, got a string"),
    (#"{"roots":{"cache":[""]}}"#, "storage.roots.cache[0]: expected a string that is not empty"),
    (#"{"watch":1}"#, "storage.watch: expected a boolean, got an integer"),
  ])
  func `names what is wrong and what was expected`(text: String, expected: String) throws {
    let violation = #expect(throws: SchemaViolation.self) { try Self.read(text) }
    #expect(violation?.text == expected)
  }

  @Test func `rpcshell's own folders are where the XDG specification puts them`() {
    let own = StorageRoots.own(ConfiguredPath(folder: "/") { Self.variables[$0] })
    #expect(
      own
        == StorageRoots(
          downloads: ["/data/rpcshell/downloads"], cache: ["/home/me/.cache/rpcshell"],
          photos: ["/data/rpcshell/photos"], other: ["/home/me/.local/state/rpcshell"], mayBeMissing: true))
    #expect(StorageRoots.own(ConfiguredPath(folder: "/") { _ in nil }) == nil)
  }

  @Test func `files that somebody named have folders of their own for what is decided under them`() throws {
    let paths = ConfiguredPath(folder: "/") { Self.variables[$0] }
    func folder(_ path: String, _ origin: ConfigurationFile.Origin) -> String? {
      ConfigurationFile.stateFolder(of: ConfigurationFile(path: path, origin: origin), paths)
    }
    let usual = "/home/me/.local/state/rpcshell"
    #expect(ConfigurationFile.stateFolder(of: nil, paths) == usual)
    #expect(folder("/home/me/.config/rpcshell/config.json", .usualPlace) == usual)
    let named = try #require(folder("/apps/podcasts.json", .option))
    #expect(named.hasPrefix(usual + "/podcasts.json-") && named.utf8.count == usual.utf8.count + 31)
    #expect(folder("/apps/podcasts.json", .environment) == named)
    #expect(folder("/apps/2/podcasts.json", .option) != named)
  }
}
