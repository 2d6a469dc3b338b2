import Glibc
import Testing

@testable import RPCShell

/// Sessions with a configuration file.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct ConfiguredSessionTests {
  private static func request(_ id: Int, _ method: String, _ params: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"# + "\n"
  }

  private static func run(
    _ configuration: String, _ arguments: [String] = [], input: String
  ) async throws -> RunningShell.Ending {
    let file = try TemporaryFile(configuration)
    return try await RunningShell.run(.frozenDemo(["--config", file.path] + arguments), input: input)
  }

  private static func plan(_ name: String, limit: Int, _ more: String = "") -> String {
    #"{"name":"\#(name)","price":{"amount":"\#(limit)","currencyCode":"EUR"},"status":{"renews":"2026-12-24"},"#
      + #""meters":[{"id":"seats","label":"Seats","used":1,"limit":\#(limit)}]\#(more)}"#
  }

  private static let catalogue = [
    plan("One", limit: 1, #","upgrade":{"title":"Go to Two"}"#),
    plan("Two", limit: 2, #","upgrade":{"title":"Go to Three"}"#), plan("Three", limit: 3),
  ].joined(separator: ",")

  // MARK: The account

  @Test func `starts with the first plan of the catalogue and climbs it`() async throws {
    let upgrades = (1...3).map { Self.request($0, "plan.upgrade") }
    let file = try TemporaryFile(#"{"account":{"catalogue":[\#(Self.catalogue)]},"holds":{"upgrade":0}}"#)
    let ending = try await RunningShell.run(.frozenDemo(["--config", file.path])) { shell in
      try await shell.send(Self.request(9, "plan.get"))
      #expect(try await shell.next().at("result.state.summary.name") == "\"One\"")
      for (index, name) in ["Two", "Three"].enumerated() {
        try await shell.send(upgrades[index])
        var frames = [try await shell.next()]
        while frames.last?.at("params.state.upgrade.phase") != "\"idle\"",
          frames.last?.at("params.state.upgrade") != "null"
        { frames.append(try await shell.next()) }
        #expect(frames.contains { $0.at("params.state.plan.name") == "\"\(name)\"" })
      }
      try await shell.send(upgrades[2])
    }
    #expect(ending.frames.last?.errorMessage == "There is nothing above the plan Three", "it is no sample")
    #expect(ending.frames.last?.errorCode == 103)
  }

  @Test func `starts with the plan that is given, wherever it is in the catalogue`() async throws {
    let two = Self.plan("Two", limit: 2, #","upgrade":{"title":"Go to Three"}"#)
    let ending = try await Self.run(
      #"{"account":{"plan":\#(two),"catalogue":[\#(Self.catalogue)]}}"#,
      input: Self.request(1, "plan.get") + Self.request(2, "plan.upgrade"))
    #expect(ending.frames.first?.at("result.state.plan") == two)
    #expect(ending.frames.contains { $0.at("params.state.plan.name") == "\"Three\"" })
    #expect(ending.exit == .status(0))
  }

  @Test func `a plan alone climbs the sample catalogue`() async throws {
    let free = #"{"name":"Free","price":{"free":true},"status":{"noRenewal":true},"upgrade":{"title":"Go up"}}"#
    let ending = try await Self.run(#"{"account":{"plan":\#(free)}}"#, input: Self.request(1, "plan.upgrade"))
    #expect(ending.frames.last?.errorMessage == "No plan follows Free in the catalogue.")
  }

  @Test func `the page of the account is what manage answers, and is no adapter of somebody else's`() async throws {
    let url = "https://billing.example/me"
    let ending = try await Self.run(
      #"{"account":{"manageURL":"\#(url)"},"handlers":{"onManage":{"adapter":"local","timeout":5}}}"#,
      input: Self.request(1, "plan.manage") + Self.request(2, "plan.get"))
    #expect(ending.frames.first { $0.id == "1" }?.at("result") == #"{"outcome":"presented","url":"\#(url)"}"#)
    #expect(ending.frames.first { $0.id == "2" }?.at("result.state.manage.custom") == "false")
    #expect(ending.exit == .status(0))
  }

  // MARK: Handlers

  @Test func `an action that is null is not available`() async throws {
    let ending = try await Self.run(
      #"{"handlers":{"onUpgrade":null,"onManage":null,"onRestore":null}}"#,
      input: ["upgrade", "manage", "restore"].enumerated().map { Self.request($0 + 1, "plan.\($1)") }.joined())
    #expect(ending.frames.map(\.errorCode) == [103, 103, 103])
    #expect(
      ending.frames.map(\.errorMessage)
        == ["onUpgrade", "onManage", "onRestore"].map { "No handler is bound to \($0)" })
    #expect(ending.exit == .status(1))
  }

  @Test func `an action that is the host's is asked of the client, with its time limit`() async throws {
    let file = try TemporaryFile(
      #"{"handlers":{"onUpgrade":{"adapter":"host","timeout":7.5},"onManage":{"adapter":"host"}}}"#)
    let ending = try await RunningShell.run(.frozenDemo(["--config", file.path])) { shell in
      try await shell.send(Self.request(1, "plan.get"))
      let state = try await shell.next()
      #expect(state.at("result.state.manage.custom") == "true")
      #expect(state.at("result.state.restore.custom") == "false")
      try await shell.send(Self.request(2, "plan.upgrade"))
      #expect(try await shell.next().at("params.state.upgrade.phase") == "\"working\"")
      let asked = try await shell.next()
      #expect(asked.method == "host.onUpgrade")
      #expect(asked.at("params.timeout") == "7.5")
      try await shell.send(#"{"jsonrpc":"2.0","id":1000001,"result":{"outcome":"cancelled"}}"# + "\n")
      #expect(try await shell.next().at("params.state.upgrade.phase") == "\"idle\"")
      #expect(try await shell.next().at("result.outcome") == "\"cancelled\"")
    }
    #expect(ending.exit == .status(0))
  }

  @Test func `a client that does not answer in time has failed`() async throws {
    let file = try TemporaryFile(#"{"handlers":{"onRestore":{"adapter":"host","timeout":0.01}}}"#)
    let ending = try await RunningShell.run(.frozenDemo(["--config", file.path])) { shell in
      try await shell.send(Self.request(1, "plan.restore"))
      var frame = try await shell.next()
      while frame.id != "1" { frame = try await shell.next() }
      #expect(frame.at("error.data") == #"{"action":"restore","seconds":0.01}"#)
    }
    #expect(ending.exit == .status(1))
  }

  @Test func `a client may take over what nobody does`() async throws {
    let file = try TemporaryFile(#"{"handlers":{"onUpgrade":null}}"#)
    _ = try await RunningShell.run(.frozenDemo(["--config", file.path])) { shell in
      try await shell.send(Self.request(1, "initialize", #"{"handlers":["onUpgrade"]}"#))
      _ = try await shell.next()
      try await shell.send(Self.request(2, "plan.upgrade"))
      _ = try await shell.next()
      #expect(try await shell.next().method == "host.onUpgrade")
    }
  }
}

/// How the person reads: initialize, then options, then the configuration, then the defaults.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct PrecedenceTests {
  /// What says something, and what is shown then.
  struct Case: Sendable, CustomTestStringConvertible {
    var initialize = "{}"
    var options: [String] = []
    var configuration = "{}"
    var variables: [String: String] = [:]
    let shown: [String]

    var testDescription: String { "\(initialize) \(options) \(configuration) \(variables)" }
  }

  @Test(arguments: [
    Case(
      initialize: #"{"locale":"fr","timeZone":"Asia/Tokyo"}"#,
      options: ["--locale", "it", "--time-zone", "Asia/Kolkata"],
      configuration: #"{"locale":"de","timeZone":"Europe/Berlin"}"#, variables: ["TZ": "Europe/Rome"],
      shown: ["fr", "Asia/Tokyo"]),
    Case(
      options: ["--locale", "it", "--time-zone", "Asia/Kolkata"],
      configuration: #"{"locale":"de","timeZone":"Europe/Berlin"}"#, variables: ["TZ": "Europe/Rome"],
      shown: ["it", "Asia/Kolkata"]),
    Case(
      options: ["--locale", "it"], configuration: #"{"locale":"de","timeZone":"Europe/Berlin"}"#,
      variables: ["TZ": "Europe/Rome"], shown: ["it", "Europe/Berlin"]),
    Case(
      initialize: #"{"locale":"fr"}"#, configuration: #"{"timeZone":"Europe/Berlin"}"#, shown: ["fr", "Europe/Berlin"]),
    Case(variables: ["TZ": "Europe/Rome", "LANG": "de_DE.UTF-8"], shown: ["en_US", "Europe/Rome"]),
  ])
  func `the first who says something wins`(expected: Case) async throws {
    let file = try TemporaryFile(expected.configuration)
    var setup = try RunningShell.Setup(.rpcshell, ["--config", file.path] + expected.options)
    let state = try TemporaryFolder()
    setup.environment = expected.variables
    setup.environment["XDG_STATE_HOME"] = state.path
    let ending = try await RunningShell.run(
      setup,
      input: #"{"id":1,"method":"initialize","params":\#(expected.initialize)}"# + "\n"
        + #"{"id":2,"method":"plan.get"}"# + "\n")
    let answer = ending.frames.last
    #expect(
      [answer?.at("result.state.locale"), answer?.at("result.state.timeZone")] == expected.shown.map { "\"\($0)\"" })
    #expect(ending.errors == [])
  }
}
