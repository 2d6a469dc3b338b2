import Configuration
import Glibc
import RPCShell
import Testing

/// `rpcshell schema`, `rpcshell config`, and what is said of a command line that makes no sense.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct CommandTests {
  private static func run(
    _ arguments: [String], variables: [String: String] = ["TZ": "UTC"]
  ) async throws -> RunningShell.Ending {
    var setup = try RunningShell.Setup(.rpcshell, arguments)
    setup.environment = variables
    return try await RunningShell.run(setup)
  }

  // MARK: Usage

  @Test(arguments: [
    (["cal", "plan.get"], "unknown command 'cal'; did you mean 'call'?", "rpcshell"),
    (["plan.get"], "unknown command 'plan.get'; did you mean 'call plan.get'?", "rpcshell"),
    (["frobnicate"], "unknown command 'frobnicate'", "rpcshell"), ([""], "unknown command ''", "rpcshell"),
    (["call"], "call: expected a method; rpcshell schema lists what there is", "rpcshell call"),
    (
      ["call", "plan.set", #"{"plan":"#, "null}"],
      "call: unexpected argument 'null}'; the parameters are one argument", "rpcshell call"
    ),
    (["call", "plan.get", "--framing", "lines"], "rpcshell call takes no option '--framing'", "rpcshell call"),
    (["--strict", "call", "plan.get"], "rpcshell call takes no option '--strict'", "rpcshell call"),
    (
      ["call", "plan.get", "--output", "txt"], "--output: expected 'json' or 'text', got 'txt'; did you mean 'text'?",
      "rpcshell call"
    ),
    (["call", "plan.get", "--quite"], "unknown option '--quite'; did you mean '--quiet'?", "rpcshell call"),
    (["schema", "plan"], "unexpected argument 'plan'", "rpcshell schema"),
    (["schema", "--demo"], "rpcshell schema takes no option '--demo'", "rpcshell schema"),
    (["config"], "config: expected 'check' or 'example'", "rpcshell config"),
    (["config", "chekc"], "unknown command 'config chekc'; did you mean 'config check'?", "rpcshell config"),
    (["config", "check", "x"], "unexpected argument 'x'", "rpcshell config"),
    (["config", "check", "--quiet"], "rpcshell config takes no option '--quiet'", "rpcshell config"),
    (["config", "example", "--demo"], "rpcshell config example takes no option '--demo'", "rpcshell config"),
    (["store"], "store: expected 'check', 'export' or 'import'", "rpcshell store"),
    (["store", "exprot"], "unknown command 'store exprot'; did you mean 'store export'?", "rpcshell store"),
    (["store", "check", "x"], "unexpected argument 'x'", "rpcshell store"),
    (["store", "import", "x", "y"], "unexpected argument 'y'", "rpcshell store"),
    (["store", "export", "--force"], "rpcshell store export takes no option '--force'", "rpcshell store"),
    (["store", "check", "--demo"], "rpcshell store check takes no option '--demo'", "rpcshell store"),
    (["--output", "text"], "rpcshell without a command takes no option '--output'", "rpcshell"),
  ])
  func `names what makes no sense, and whose help to read`(
    arguments: [String], line: String, command: String
  ) async throws {
    let ending = try await Self.run(arguments)
    #expect(ending.errors == ["rpcshell: " + line, "\(command) --help lists what there is"])
    #expect(ending.texts == [])
    #expect(ending.exit == .status(2))
  }

  @Test func `options stand anywhere, and behind two dashes there are none`() async throws {
    for variables in [[:], ["POSIXLY_CORRECT": "1"]] {
      for arguments in [
        ["--demo", "call", "shell.ping"], ["call", "--demo", "shell.ping"], ["call", "shell.ping", "--demo"],
        ["--demo", "--", "call", "shell.ping"], ["--demo", "call", "--", "shell.ping"],
      ] {
        let ending = try await Self.run(arguments, variables: variables)
        #expect(ending.texts == ["{}"] && ending.exit == .status(0), "\(arguments)")
      }
    }
    let ending = try await Self.run(["call", "--", "--demo"])
    #expect(ending.errors == ["rpcshell: unknown method '--demo'; rpc.discover lists what there is"])
  }

  // MARK: schema

  @Test func `schema prints what rpc.discover answers, over several lines`() async throws {
    let ending = try await Self.run(["schema"], variables: ["RPCSHELL_CONFIG": "/nowhere.json"])
    #expect(ending.exit == .status(0) && ending.errors == [])
    let session = try await RunningShell.run(.frozenDemo(), input: #"{"id":1,"method":"rpc.discover"}"# + "\n")
    let text = Array(ending.texts.joined(separator: "\n").utf8)
    #expect(try JSONDocument(wholeText: text).view.text.description == session.frames.first?.at("result"))
    #expect(ending.texts.prefix(3) == ["{", #"  "openrpc": "1.3.2","#, #"  "info": {"#])
  }

  // MARK: config

  @Test func `config check says what would be used where nothing is configured`() async throws {
    let own = ["share/rpcshell/downloads", ".cache", "share/rpcshell/photos", "state/rpcshell"].map {
      $0 == ".cache" ? "/home/me/.cache/rpcshell" : "/home/me/.local/" + $0
    }
    let sample = Array(repeating: "sample", count: 4)
    let file = "sqlite:/home/me/.local/state/rpcshell/account.db"
    for (arguments, origin, store, folders) in [
      ([], "default", file, own), (["--demo"], "option", "memory", sample),
    ] {
      let ending = try await Self.run(
        ["config", "check"] + arguments, variables: ["HOME": "/home/me", "TZ": "UTC", "XDG_STATE_HOME": ""])
      #expect(ending.exit == .status(0) && ending.errors == [])
      #expect(
        ending.texts.map(Row.init) == [
          Row("file", "built-in", origin), Row("locale", "en_US", "default"), Row("timeZone", "UTC", "environment"),
          Row("store", store, "default"), Row("accountId", "default", "default"),
          Row("account.plan", "Plus", "default"), Row("account.catalogue", "Plus, Studio", "default"),
          Row("account.manageURL", "none", "default"), Row("storage.roots.downloads", folders[0], "default"),
          Row("storage.roots.cache", folders[1], "default"), Row("storage.roots.photos", folders[2], "default"),
          Row("storage.roots.other", folders[3], "default"), Row("storage.manifest", "none", "default"),
          Row("storage.showsFreeSpace", "yes", "default"), Row("storage.watch", "no", "default"),
          Row("storage.applyAutoRemove", "no", "default"), Row("handlers.onUpgrade", "local, 600 s", "default"),
          Row("handlers.onManage", "local, 60 s", "default"), Row("handlers.onRestore", "local, 60 s", "default"),
          Row("handlers.onClearCache", "local, 3600 s", "default"),
          Row("handlers.onRemove", "local, 3600 s", "default"), Row("plugins", "none", "default"),
          Row("holds.upgrade", "1.2 s", "default"), Row("holds.restore", "3 s", "default"),
          Row("holds.clearCache", "3 s", "default"),
        ])
    }
  }

  @Test func `config check says what would be used, and who says so`() async throws {
    let plan = #"{"name":"P\u001b[1m","price":{"free":true},"status":{"noRenewal":true}}"#
    let file = try TemporaryFile(
      #"""
      {"locale":"de","timeZone":"Europe/Berlin","holds":{"restore":0.25},"account":{"catalogue":[\#(plan)]},
      "handlers":{"onUpgrade":{"adapter":"host"},"onManage":{"adapter":"local","timeout":1.5},"onRemove":null}}
      """#)
    let ending = try await Self.run(
      ["config", "check", "--locale", "fr"], variables: ["RPCSHELL_CONFIG": file.path, "TZ": "Asia/Tokyo"])
    #expect(ending.exit == .status(0) && ending.errors == [])
    let rows = ending.texts.map(Row.init)
    for row in [
      Row("file", file.path, "environment"), Row("locale", "fr", "option"),
      Row("timeZone", "Europe/Berlin", "configuration"), Row("account.plan", "P", "configuration"),
      Row("account.catalogue", "P", "configuration"), Row("handlers.onUpgrade", "host, 600 s", "configuration"),
      Row("handlers.onManage", "local, 1.5 s", "configuration"), Row("handlers.onRestore", "local, 60 s", "default"),
      Row("handlers.onRemove", "not available", "configuration"), Row("holds.restore", "0.25 s", "configuration"),
      Row("holds.upgrade", "1.2 s", "default"),
    ] {
      #expect(rows.contains(row), "\(row) in \(ending.texts)")
    }
  }

  @Test(arguments: [
    ("https://me:secret@billing.example/me?token=secret#secret", "https://…@billing.example/me?…"),
    ("https://secret@billing.example", "https://…@billing.example"), ("https:me:secret@h/x", "https:…@h/x"),
    ("https:/me:secret@h", "https:/…@h"), ("https:////me:secret@h/", "https:////…@h/"),
    ("mailto:me:secret@x", "mailto:…@x"), ("app:settings?secret", "app:settings?…"),
    ("https://billing.example/@me#secret", "https://billing.example/@me#…"),
  ])
  func `config check shows no secret of a URL`(url: String, shown: String) async throws {
    let file = try TemporaryFile(#"{"account":{"manageURL":"\#(url)"}}"#)
    let ending = try await Self.run(["--config", file.path, "config", "check"])
    #expect(ending.texts.map(Row.init).contains(Row("account.manageURL", shown, "configuration")), "\(ending.texts)")
    #expect(!ending.texts.joined().contains("secret"))
  }

  @Test func `config check says what is wrong on one line`() async throws {
    let file = try TemporaryFile("{\"holds\": 1}")
    let ending = try await Self.run(["config", "check", "--config", file.path])
    #expect(ending.errors == ["rpcshell: \(file.path): holds: expected an object, got an integer"])
    #expect(ending.texts == [])
    #expect(ending.exit == .status(2))
  }

  @Test func `config example is good as it stands`() async throws {
    let example = try await Self.run(["config", "example"])
    #expect(example.exit == .status(0) && example.errors == [])
    let file = try TemporaryFile(example.texts.joined(separator: "\n"))
    let check = try await Self.run(["config", "check", "--config", file.path])
    #expect(check.exit == .status(0) && check.errors == [])
    #expect(check.texts.allSatisfy { $0.hasSuffix("  configuration") || $0.hasPrefix("file ") }, "it says everything")
    let state = try TemporaryFolder()
    var setup = try RunningShell.Setup(.rpcshell, ["call", "plan.upgrade", "--config", file.path])
    setup.environment = ["XDG_STATE_HOME": state.path]
    let call = try await RunningShell.run(setup)
    #expect(call.texts == [#"{"outcome":"completed","revision":2}"#])
    #expect(Received(text: example.texts.joined(separator: "\n")).at("locale") == "\"en_US\"")
  }

  /// A line of `config check`.
  private struct Row: Equatable {
    var columns: [String]

    init(_ columns: String...) { self.columns = columns }

    init(_ line: String) {
      let parts = line.split(separator: "  ", omittingEmptySubsequences: true)
      columns = parts.map { String($0.drop { $0 == " " }) }
    }
  }
}
