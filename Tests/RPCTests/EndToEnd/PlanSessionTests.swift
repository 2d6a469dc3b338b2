import Testing

@testable import RPCShell

/// A host that hands over its own plan, over real pipes.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct PlanSessionTests {
  private static func request(_ id: Int, _ method: String, _ params: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"# + "\n"
  }

  private static func set(_ id: Int, _ plan: String, _ more: String = "") -> String {
    request(id, "plan.set", #"{"plan":\#(plan)\#(more)}"#)
  }

  /// Sends a request and takes everything up to its reply, which is last.
  private static func ask(_ shell: RunningShell, _ id: Int, _ text: String) async throws -> [Received] {
    try await shell.send(text)
    var frames = [try await shell.next()]
    while frames.last?.id != "\(id)" { frames.append(try await shell.next()) }
    return frames
  }

  // MARK: A session

  @Test func `a host hands over a plan, reads it, restores and dismisses`() async throws {
    // However slow the machine is, the checkmark stays until the end of input.
    let file = try TemporaryFile(#"{"holds":{"restore":3600}}"#)
    let ending = try await RunningShell.run(.frozenDemo(["--config", file.path])) { shell in
      var frames = try await Self.ask(shell, 1, Self.set(1, PlanLines.plus(storage: "8.6")))
      #expect(frames.map { $0.at("params.cause") } == ["\"set\"", nil])
      #expect(frames[0].at("params.state.usage.meters.0.statusText") == "\"Almost full\"")
      #expect(frames.last?.text == PlanLines.reply(#"{"revision":1}"#))
      frames = try await Self.ask(shell, 2, Self.request(2, "plan.get"))
      #expect(frames.count == 1 && frames[0].at("result.revision") == "1")
      #expect(frames[0].at("result.state.plan") == PlanLines.plus(storage: "8.6"))
      frames = try await Self.ask(shell, 3, Self.request(3, "plan.restore"))
      #expect(frames.map { $0.at("params.state.restore.phase") } == ["\"working\"", "\"done\"", nil])
      #expect(frames.last?.text == PlanLines.reply(#"{"outcome":"completed"}"#, id: "3"))
      frames = try await Self.ask(shell, 4, Self.request(4, "plan.dismiss", #"{"action":"restore"}"#))
      #expect(frames.map(\.text) == [PlanLines.reply(#"{"revision":3}"#, id: "4")])
      frames = try await Self.ask(shell, 5, Self.set(5, "null"))
      #expect(frames[0].at("params.state.loading") == "true")
    }
    // The end of input ends what "Purchases restored" is held for.
    #expect(ending.texts.last == PlanLines.restore("idle", 5, id: nil))
    #expect(ending.exit == .status(0))
    #expect(ending.errors == [])
  }

  @Test func `the same session piped in at once says the same`() async throws {
    let input =
      Self.set(1, PlanLines.plus(storage: "8.6")) + Self.request(2, "plan.restore")
      + Self.request(3, "plan.dismiss", #"{"action":"upgrade"}"#)
    let ending = try await RunningShell.run(.frozenDemo(), input: input)
    #expect(
      ending.frames.map { $0.at("params.revision") ?? $0.id }
        == ["1", "1", "2", "3", "3", "2", "4"], "\(ending.texts)")
    #expect(ending.exit == .status(0))
  }

  @Test func `a restore that waits for its hold does not keep a second one out`() async throws {
    let ending = try await RunningShell.run(.frozenDemo()) { shell in
      for id in 1...3 {
        let frames = try await Self.ask(shell, id, Self.request(id, "plan.restore"))
        #expect(frames.last?.text == PlanLines.reply(#"{"outcome":"completed"}"#, id: "\(id)"))
      }
    }
    #expect(ending.frames.map { $0.at("params.revision") }.compactMap(\.self) == (1...7).map { "\($0)" })
    #expect(ending.exit == .status(0))
  }

  @Test func `the sample account has no page to manage it`() async throws {
    let ending = try await RunningShell.run(.frozenDemo(), input: Self.request(1, "plan.manage"))
    #expect(
      ending.texts == [
        PlanLines.refusal(
          103, "There is no page to manage this subscription: no manageURL is configured", #"{"action":"manage"}"#)
      ])
    #expect(ending.exit == .status(1))
  }

  // MARK: Notifications

  @Test(arguments: [
    (#"{"plan":{"name":""}}"#, "plan.set: plan.name: expected a string that is not empty"),
    ("{}", "plan.set: plan: missing; expected an object, or null while nothing is known"),
    (
      #"{"plan":\#(PlanLines.plan(PlanLines.meter("1", of: "-1")))}"#,
      "plan.set: plan.meters[0].limit: expected a number of at least 0"
    ),
    (
      #"{"plan":null,"asOf":"yesterday"}"#,
      "plan.set: asOf: expected a date that exists, YYYY-MM-DD or an RFC 3339 instant"
    ),
  ])
  func `a plan that was refused without a request is one line on stderr, and the status 1`(
    params: String, line: String
  ) async throws {
    let ending = try await RunningShell.run(
      .frozenDemo(),
      input: #"{"jsonrpc":"2.0","method":"plan.set","params":\#(params)}"# + "\n" + Self.request(1, "plan.get"))
    #expect(ending.errors == ["rpcshell: " + line])
    #expect(ending.texts == [PlanLines.get], "the last good state stays")
    #expect(ending.exit == .status(1))
  }

  @Test func `a plan that was taken without a request is an event, and the status 0`() async throws {
    let ending = try await RunningShell.run(
      .frozenDemo(), input: #"{"method":"plan.set","params":{"plan":\#(PlanLines.top)}}"# + "\n")
    #expect(ending.frames.map { $0.at("params.state.plan") } == [PlanLines.top])
    #expect(ending.errors == [])
    #expect(ending.exit == .status(0))
  }

  // MARK: Two clicks

  @Test func `of two upgrades in one write the second is refused`() async throws {
    let ending = try await RunningShell.run(
      .frozenDemo(), input: Self.request(1, "plan.upgrade") + Self.request(2, "plan.upgrade"))
    #expect(
      ending.texts == [
        PlanLines.working,
        PlanLines.refusal(101, "An upgrade is already running", #"{"action":"upgrade","running":"upgrade"}"#, id: "2"),
        PlanLines.done, PlanLines.completed, PlanLines.folded,
      ])
    #expect(ending.exit == .status(1))
  }

  @Test func `of two upgrades with one key in one write both have the one answer`() async throws {
    let key = #"{"idempotencyKey":"k"}"#
    let ending = try await RunningShell.run(
      .frozenDemo(), input: Self.request(1, "plan.upgrade", key) + Self.request(2, "plan.upgrade", key))
    let replies = ending.frames.filter { $0.method == nil }
    #expect(Set(replies.map(\.id)) == ["1", "2"])
    #expect(replies.map { $0.at("result") } == Array(repeating: #"{"outcome":"completed","revision":2}"#, count: 2))
    #expect(
      ending.texts.filter { !$0.contains("\"result\"") } == [PlanLines.working, PlanLines.done, PlanLines.folded])
    #expect(ending.exit == .status(0))
  }

  @Test func `an upgrade that is cancelled in the same write is not begun`() async throws {
    let ending = try await RunningShell.run(
      .frozenDemo(),
      input: Self.request(1, "plan.upgrade") + #"{"method":"$/cancelRequest","params":{"id":1}}"# + "\n"
        + Self.request(2, "plan.get"))
    #expect(
      ending.texts.filter { !$0.contains("\"id\":2") } == [
        PlanLines.working, PlanLines.resting, PlanLines.requestCancelled,
      ])
    #expect(ending.exit == .status(0))
  }

  @Test func `an upgrade and a restore in one write do not both start`() async throws {
    let ending = try await RunningShell.run(
      .frozenDemo(), input: Self.request(1, "plan.restore") + Self.request(2, "plan.upgrade"))
    #expect(ending.frames.first { $0.id == "2" }?.errorCode == 101)
    #expect(ending.frames.first { $0.id == "1" }?.at("result.outcome") == "\"completed\"")
  }

  // MARK: Where it runs

  /// Dates around midnight, and money: what a process could get wrong by its surroundings.
  private static let delicate =
    set(
      2,
      PlanLines.plan(
        PlanLines.meter("1", of: "2", #""resets":"2026-11-02T23:30:00Z""#) + #","period":"month""#, name: "Plus",
        price: #"{"amount":"9.99","currencyCode":"USD"}"#, status: #"{"renews":"2026-11-02T00:30:00Z"}"#))
    + request(3, "plan.get") + request(4, "plan.upgrade")

  private static func run(_ environment: [String: String], _ arguments: [String], _ input: String) async throws
    -> RunningShell.Ending
  {
    var setup = try RunningShell.Setup(.rpcshell, ["--demo"] + arguments)
    setup.environment = environment
    setup.environment["RPCSHELL_NOW"] = "2026-10-19T00:00:00Z"
    return try await RunningShell.run(setup, input: input)
  }

  @Test(arguments: [["--time-zone", "UTC"], []])
  func `with a zone that was given, the process's own changes no byte`(arguments: [String]) async throws {
    let first = arguments.isEmpty ? Self.request(1, "initialize", #"{"timeZone":"UTC"}"#) : ""
    var outputs: [[String]] = []
    for zone in ["Asia/Tokyo", "America/Los_Angeles", "UTC"] {
      let ending = try await Self.run(["TZ": zone], arguments, first + Self.delicate)
      #expect(ending.errors == [])
      outputs.append(ending.texts)
    }
    #expect(outputs[0] == outputs[2])
    #expect(outputs[1] == outputs[2])
    let got = try #require(outputs[0].first { $0.contains("\"id\":3") })
    #expect(Received(text: got).at("result.state.summary.dateLine") == "\"Renews Nov 2\"")
  }

  @Test func `a zone that the client sets decides the day, and is echoed`() async throws {
    let ending = try await Self.run(
      ["TZ": "UTC"], [], Self.request(1, "initialize", #"{"timeZone":"Europe/Berlin"}"#) + Self.delicate)
    let got = try #require(ending.frames.first { $0.id == "3" })
    #expect(got.at("result.state.timeZone") == "\"Europe/Berlin\"")
    #expect(got.at("result.state.usage.meters.0.resetsText") == "\"Resets Nov 3\"")
    #expect(got.at("result.state.summary.dateLine") == "\"Renews Nov 2\"")
  }

  @Test(arguments: ["de_DE.UTF-8", "C", "ar_SA.UTF-8", "no_such"])
  func `the process's locale changes no text`(locale: String) async throws {
    let ending = try await Self.run(
      ["LC_ALL": locale, "LANG": locale, "TZ": "UTC"], [], Self.request(1, "plan.get"))
    #expect(ending.texts == [PlanLines.get])
    #expect(ending.errors == [])
  }

  @Test func `a plan of two megabytes is taken like any other`() async throws {
    let meters = (0..<25_000).map { #"{"id":"m\#($0)","label":"Größe \#($0)","used":\#($0),"limit":null,"unit":"GB"}"# }
    let plan = PlanLines.plan(#""meters":[\#(meters.joined(separator: ","))]"#)
    #expect(plan.utf8.count > 1_500_000)
    let ending = try await RunningShell.run(.frozenDemo(), input: Self.set(1, plan))
    #expect(ending.frames.first?.at("params.state.plan") == plan)
    #expect(ending.texts.last == PlanLines.reply(#"{"revision":1}"#))
    #expect(ending.exit == .status(0))
  }

  // MARK: After the reply

  @Test func `who asks right after each reply sees that revision`() async throws {
    // However slow the machine is, the checkmark stays until the end of input.
    let file = try TemporaryFile(#"{"holds":{"restore":3600}}"#)
    let ending = try await RunningShell.run(.frozenDemo(["--config", file.path])) { shell in
      var frames = try await Self.ask(shell, 1, Self.request(1, "plan.upgrade"))
      let revision = frames.last?.at("result.revision")
      #expect(revision == "2")
      try await shell.send(Self.request(2, "plan.get"))
      frames = [try await shell.next()]
      while frames.last?.id != "2" { frames.append(try await shell.next()) }
      #expect(frames.last?.at("result.state.plan") == PlanLines.top)
      #expect(["2", "3"].contains(frames.last?.at("result.revision")))
    }
    #expect(ending.exit == .status(0))
  }
}
