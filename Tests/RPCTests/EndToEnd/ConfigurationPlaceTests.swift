import Glibc
import Testing

@testable import RPCShell

/// Which configuration file a process reads, and how it says that it cannot.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct ConfigurationPlaceTests {
  private static let get = #"{"id":1,"method":"plan.get"}"# + "\n"

  /// A folder with `.config/rpcshell/config.json` (locale de), `xdg/rpcshell/config.json` (fr), `named.json` (it).
  private static func withHome(_ body: (String) async throws -> Void) async throws {
    var template = Array(("/tmp/rpctests-home-" + String(repeating: "X", count: 6)).utf8CString)
    let home = String(cString: try #require(mkdtemp(&template)))
    for (folder, locale) in [(".config", "de"), ("xdg", "fr")] {
      for path in ["\(home)/\(folder)", "\(home)/\(folder)/rpcshell"] { mkdir(path, 0o700) }
      write(#"{"locale":"\#(locale)"}"#, to: "\(home)/\(folder)/rpcshell/config.json")
    }
    write(#"{"locale":"it"}"#, to: home + "/named.json")
    try await body(home)
    _ = try await RunningShell.run(.init(script: "rm -rf '\(home)'"))
  }

  private static func write(_ text: String, to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    writeAll(Array(text.utf8), to: descriptor)
    close(descriptor)
  }

  private static func run(_ arguments: [String], _ variables: [String: String]) async throws -> RunningShell.Ending {
    var setup = try RunningShell.Setup(.rpcshell, arguments)
    let state = try TemporaryFolder()
    setup.environment = variables
    setup.environment["TZ"] = "UTC"
    setup.environment["XDG_STATE_HOME"] = state.path
    return try await RunningShell.run(setup, input: get)
  }

  @Test func `is found by the option, the variable, and in the usual places`() async throws {
    try await Self.withHome { home in
      let cases: [(arguments: [String], variables: [String: String], locale: String)] = [
        ([], ["HOME": home, "XDG_CONFIG_HOME": ""], "de"),
        ([], ["HOME": home, "XDG_CONFIG_HOME": home + "/xdg"], "fr"),
        ([], ["HOME": home, "RPCSHELL_CONFIG": home + "/named.json"], "it"),
        (["--config", home + "/xdg/rpcshell/config.json"], ["RPCSHELL_CONFIG": home + "/named.json"], "fr"),
        (["--demo"], ["HOME": home, "XDG_CONFIG_HOME": "", "RPCSHELL_CONFIG": home + "/named.json"], "en_US"),
        (["--demo", "--config", home + "/named.json"], ["HOME": home], "it"),
        ([], ["HOME": home + "/nobody", "XDG_CONFIG_HOME": ""], "en_US"),
      ]
      for (arguments, variables, locale) in cases {
        let ending = try await Self.run(arguments, variables)
        #expect(ending.frames.first?.at("result.state.locale") == "\"\(locale)\"", "\(arguments) \(variables)")
        #expect(ending.errors == [] && ending.exit == .status(0))
      }
    }
  }

  @Test func `what is wrong is one line with the status 2, before anything is read`() async throws {
    let file = try TemporaryFile(#"{"handlers":{"onUpgarde":null}}"#)
    let wrong = "\(file.path): handlers.onUpgarde: unknown member; did you mean 'onUpgrade'?"
    let cases: [(arguments: [String], variables: [String: String], line: String)] = [
      (["--config", file.path], [:], wrong), ([], ["RPCSHELL_CONFIG": file.path], wrong),
      (["--demo", "--config", file.path], [:], wrong),
      (["--config", "/nowhere.json"], [:], "/nowhere.json: cannot be read: No such file or directory"),
      (
        [], ["RPCSHELL_CONFIG": "/nowhere.json"],
        "/nowhere.json: cannot be read: No such file or directory (RPCSHELL_CONFIG names it)"
      ),
      (["--config", "/tmp"], [:], "/tmp: cannot be read: Is a directory"),
    ]
    for (arguments, variables, line) in cases {
      let ending = try await Self.run(arguments, variables)
      #expect(ending.errors == ["rpcshell: " + line])
      #expect(ending.texts == [])
      #expect(ending.exit == .status(2))
    }
  }

  @Test(arguments: [
    ("{\n  \"locale\": de\n}", "line 2, column 13: expected a value"),
    (
      #"{"timeZone":"Mars/Olympus"}"#,
      "timeZone: unknown time zone 'Mars/Olympus'; expected one like 'Europe/Berlin'"
    ),
    (#"{"locale":"no such"}"#, "locale: expected an identifier like 'en_US' or 'pt-BR', got 'no such'"),
    (
      #"{"account":{"plan":{"name":"P","price":{"free":true},"status":{"renews":"2026-02-30"}}}}"#,
      "account.plan.status.renews: expected a date that exists, YYYY-MM-DD or an RFC 3339 instant"
    ),
  ])
  func `says where in the file`(text: String, place: String) async throws {
    let file = try TemporaryFile(text)
    let ending = try await Self.run(["--config", file.path], [:])
    #expect(ending.errors == ["rpcshell: \(file.path): \(place)"])
    #expect(ending.exit == .status(2))
  }
}
