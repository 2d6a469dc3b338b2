import Glibc
import Testing

@testable import Configuration

/// Which file is read, and what is said of one that cannot be.
struct ConfigurationFileTests {
  private static func find(
    _ option: String? = nil, isDemo: Bool = false, _ variables: [String: String] = [:]
  ) -> ConfigurationFile? {
    ConfigurationFile.find(option: option, isDemo: isDemo) { variables["\($0)"] }
  }

  private static let everything = [
    "RPCSHELL_CONFIG": "/named.json", "XDG_CONFIG_HOME": "/xdg", "HOME": "/home/me",
  ]

  @Test func `the option comes first, then the variable, then the usual places`() {
    #expect(Self.find("mine.json", Self.everything) == .init(path: "mine.json", origin: .option))
    #expect(Self.find(nil, Self.everything) == .init(path: "/named.json", origin: .environment))
    var variables = Self.everything
    variables["RPCSHELL_CONFIG"] = nil
    #expect(Self.find(nil, variables) == .init(path: "/xdg/rpcshell/config.json", origin: .usualPlace))
    variables["XDG_CONFIG_HOME"] = "relative"
    #expect(Self.find(nil, variables) == .init(path: "/home/me/.config/rpcshell/config.json", origin: .usualPlace))
    #expect(Self.find(nil, [:]) == nil)
  }

  @Test func `a demo reads what the option names and nothing else`() {
    #expect(Self.find(isDemo: true, Self.everything) == nil)
    #expect(Self.find("mine.json", isDemo: true, Self.everything) == .init(path: "mine.json", origin: .option))
  }

  @Test func `an empty variable counts as unset`() {
    setenv("RPCTESTS_EMPTY", "", 1)
    #expect(ConfigurationFile.environmentVariable("RPCTESTS_EMPTY") == nil)
    #expect(ConfigurationFile.environmentVariable("RPCTESTS_NEVER_SET") == nil)
    #expect(ConfigurationFile.environmentVariable("PATH")?.isEmpty == false)
  }

  private static func read(_ path: String, _ origin: ConfigurationFile.Origin = .option) throws -> Configuration? {
    try ConfigurationFile(path: path, origin: origin).read { _ in true }
  }

  @Test(arguments: ["/nowhere/at/all.json", "/dev/null/config.json"])
  func `a file that is not there is an error unless nobody named it`(path: String) throws {
    #expect(try Self.read(path, .usualPlace) == nil)
    let reason = path.hasPrefix("/dev") ? "Not a directory" : "No such file or directory"
    #expect(throws: ConfigurationError(file: path, reason: "cannot be read: \(reason)")) { try Self.read(path) }
    #expect(throws: ConfigurationError(file: path, reason: "cannot be read: \(reason) (RPCSHELL_CONFIG names it)")) {
      try Self.read(path, .environment)
    }
  }

  @Test(arguments: [ConfigurationFile.Origin.option, .usualPlace])
  func `a folder is no file`(origin: ConfigurationFile.Origin) {
    #expect(throws: ConfigurationError(file: "/tmp", reason: "cannot be read: Is a directory")) {
      try Self.read("/tmp", origin)
    }
  }

  @Test func `a file without end is not read to its end`() {
    #expect(throws: ConfigurationError(file: "/dev/zero", reason: "expected at most 16 MiB")) {
      try Self.read("/dev/zero")
    }
  }

  @Test(arguments: [
    ("", "line 1, column 1: the text ends too soon"),
    ("{\n  \"locale\": \"de\",\n}\n", "line 3, column 1: expected a member name in quotes"),
    ("{\n  \"locale\": \"de\"\n  \"timeZone\": \"UTC\"\n}\n", "line 3, column 3: expected ',' or '}'"),
    ("{} // mine\n", "line 1, column 4: expected nothing more"),
    ("// mine\n{}\n", "line 1, column 1: expected a value"),
    ("{\"locale\": \"de\", \"locale\": \"fr\"}", "line 1, column 18: duplicate member name"),
    (
      "{\"//\": 1, \"//\": 2}",
      "line 1, column 11: duplicate member name; each comment needs one of its own in its object, like '// 2'"
    ),
    ("{\"locale\": \"\u{1}\"}", "line 1, column 13: control character in a string"),
    ("{\"handlers\": {\"onManag\": null}}", "handlers.onManag: unknown member; did you mean 'onManage'?"),
  ])
  func `says where it is wrong`(text: String, reason: String) throws {
    let file = try TemporaryFile(text)
    let error = #expect(throws: ConfigurationError.self) { try Self.read(file.path) }
    #expect(error?.text == "\(file.path): \(reason)")
  }

  @Test(arguments: ["", "\u{FEFF}"])
  func `reads a file, with a byte order mark too`(mark: String) throws {
    let file = try TemporaryFile(mark + "{\"locale\": \"de\"}\r\n")
    #expect(try Self.read(file.path)?.locale == "de")
  }
}
