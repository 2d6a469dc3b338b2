import Glibc
import Testing

@testable import RPCShell

/// Sessions whose actions a server does.
@Suite(.serialized, .timeLimit(.usualMinutes(2)))
struct HTTPSessionTests {
  private static let secret = "s3cret-7f1"

  /// A configuration with one action at a path of the server.
  private static func configuration(_ action: String, _ url: String, _ more: String = "") -> String {
    #"{"handlers":{"\#(action)":{"adapter":"http","url":"\#(url)","retries":1,"#
      + #""headers":{"Authorization":{"env":"BILLING_TOKEN","prefix":"Bearer "}}\#(more)}},"holds":{"upgrade":0,"restore":0}}"#
  }

  private static func request(_ id: Int, _ method: String, _ params: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"# + "\n"
  }

  private static func setup(_ file: String, _ arguments: [String] = []) throws -> RunningShell.Setup {
    var setup = try RunningShell.Setup.frozenDemo(["--config", file] + arguments)
    setup.environment["BILLING_TOKEN"] = secret
    return setup
  }

  /// Calls a method once, with the server at a path.
  private static func call(
    _ method: String, _ params: String = "{}", action: String, at path: String, _ more: String = "",
    variables: [String: String] = [:], server: FaultServer
  ) async throws -> RunningShell.Ending {
    let file = try TemporaryFile(configuration(action, server.url(path), more))
    var setup = try setup(file.path)
    setup.environment.merge(variables) { $1 }
    let ending = try await RunningShell.run(setup, input: request(1, method, params))
    #expect(!(ending.texts + ending.errors).joined().contains(secret))
    return ending
  }

  // MARK: What comes of a call

  @Test func `a server does the action, and is told the call`() async throws {
    try await FaultServer.run { server in
      let ending = try await Self.call(
        "plan.upgrade", #"{"idempotencyKey":"order-1"}"#, action: "onUpgrade", at: "done", server: server)
      #expect(ending.frames.first { $0.id == "1" }?.at("result.outcome") == "\"completed\"")
      #expect(ending.exit == .status(0) && ending.errors == [])
      let request = try await server.next()
      #expect(request.at("headers.Authorization") == "\"Bearer \(Self.secret)\"")
      #expect(request.at("key") == "\"order-1\"")
      let body = Received(text: try request.json["body"]?.string ?? "")
      #expect(body.at("action") == "\"onUpgrade\"" && body.at("idempotencyKey") == "\"order-1\"")
      #expect(body.at("timeout") == "600" && body.at("plan.name") == "\"Plus\"")
    }
  }

  @Test func `a server says what an upgrade would cost, without a key`() async throws {
    try await FaultServer.run { server in
      let ending = try await Self.call(
        "plan.previewUpgrade", action: "onUpgrade", at: "done", #","preview":"\#(server.url("price"))""#, server: server
      )
      #expect(ending.frames.first?.at("result.dueNowText") == "\"$5.00\"")
      #expect(ending.exit == .status(0) && ending.errors == [])
      let request = try await server.next()
      #expect(request.at("path") == "\"/price\"" && request.at("headers.Authorization") == "\"Bearer \(Self.secret)\"")
      #expect(request.at("key") == "null" && request.at("headers.Idempotency-Key") == nil)
      let body = Received(text: try request.json["body"]?.string ?? "")
      #expect(body.at("preview") == "true" && body.at("idempotencyKey") == nil && body.at("plan.name") == "\"Plus\"")
      let refusal = try await Self.call("plan.previewUpgrade", action: "onUpgrade", at: "done", server: server)
      #expect(refusal.frames.first?.errorMessage == "The handler of onUpgrade ('http') offers no preview")
    }
  }

  @Test func `another try has the same key, and shows`() async throws {
    try await FaultServer.run { server in
      let ending = try await Self.call("plan.upgrade", action: "onUpgrade", at: "status/500/1", server: server)
      #expect(ending.frames.contains { $0.at("params.state.upgrade.message") == "\"Trying again\"" })
      #expect(ending.frames.first { $0.id == "1" }?.at("result.outcome") == "\"completed\"")
      let keys = [try await server.next().at("key"), try await server.next().at("key")]
      #expect(keys[0] == keys[1] && keys[0]?.isEmpty == false)
    }
  }

  @Test(arguments: [
    ("declined/402", "Your card was declined.", "answered 402"),
    ("status/500", "The upgrade didn't go through. Try again.", "answered 500"),
    ("huge/promised", "The upgrade didn't go through. Try again.", "the answer is longer than 1 MiB"),
  ])
  func `a failure is in the person's words, its cause on stderr`(
    path: String, message: String, cause: String
  ) async throws {
    try await FaultServer.run { server in
      let ending = try await Self.call("plan.upgrade", action: "onUpgrade", at: path, server: server)
      let answer = ending.frames.first { $0.id == "1" }
      #expect(answer?.errorCode == 100 && answer?.errorMessage == message)
      #expect(answer?.at("error.data.handler") == "\"http\"")
      let line = "http://127.0.0.1:\(server.port): \(cause)"
      #expect(answer?.at("error.data.stderrTail") == "\"\(line)\\n\"")
      #expect(ending.errors == ["rpcshell: http onUpgrade: \(line)"])
      #expect(ending.exit == .status(1))
    }
  }

  @Test(arguments: [("declined/499", "cancelled"), ("outcome/cancelled", "cancelled"), ("outcome/pending", "pending")])
  func `the server says that the person backed out, or waits`(path: String, outcome: String) async throws {
    try await FaultServer.run { server in
      let ending = try await Self.call("plan.upgrade", action: "onUpgrade", at: path, server: server)
      #expect(ending.frames.first { $0.id == "1" }?.at("result.outcome") == "\"\(outcome)\"")
    }
  }

  @Test func `a result of the wrong shape has failed`() async throws {
    try await FaultServer.run { server in
      let ending = try await Self.call("plan.restore", action: "onRestore", at: "shape", server: server)
      #expect(ending.frames.first { $0.id == "1" }?.errorCode == 100)
      #expect(ending.errors.first?.contains("outcome: expected one of") == true)
    }
  }

  // MARK: Stopping

  @Test func `a server that hangs is left when the time is over`() async throws {
    try await FaultServer.run { server in
      let ending = try await Self.call(
        "plan.restore", action: "onRestore", at: "hang", #","timeout":0.5"#, server: server)
      let answer = ending.frames.first { $0.id == "1" }
      #expect(answer?.errorCode == 105 && answer?.at("error.data.seconds") == "0.5")
      _ = try await server.next()
      #expect(try await server.next().at("gone") == "true")
    }
  }

  @Test func `a cancel ends the transfer; secrets are in no argument, variable or trace`() async throws {
    let folder = try TemporaryFolder()
    try await FaultServer.run { server in
      let file = folder.write("config.json", Self.configuration("onUpgrade", server.url("hang")))
      let ending = try await RunningShell.run(try Self.setup(file, ["--trace", folder.at("trace")])) { shell in
        try await shell.send(Self.request(1, "plan.upgrade"))
        _ = try await server.next()
        let children = TemporaryFile.read("/proc/\(shell.id)/task/\(shell.id)/children").split(separator: " ")
        try #require(children.count == 1)
        for place in ["cmdline", "environ"] {
          let text = TemporaryFile.read("/proc/\(children[0])/\(place)")
          #expect(!text.contains(Self.secret) && !text.contains("BILLING_TOKEN"))
        }
        try await shell.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n")
        #expect(try await server.next().at("gone") == "true")
      }
      #expect(ending.frames.first { $0.id == "1" }?.errorCode == -32800)
      #expect(ending.errors == [])
      #expect(
        !(TemporaryFile.read(folder.at("trace.in")) + TemporaryFile.read(folder.at("trace.out"))).contains(Self.secret))
    }
  }

  // MARK: Secrets

  @Test(arguments: [("", "is empty"), ("a\nX-Admin: 1", "has line breaks, controls or what is not UTF-8")])
  func `a variable without a value fails the action, by name`(value: String, reason: String) async throws {
    try await FaultServer.run { server in
      let ending = try await Self.call(
        "plan.restore", action: "onRestore", at: "done", variables: ["BILLING_TOKEN": value], server: server)
      let answer = ending.frames.first { $0.id == "1" }
      let message = "There is no value for the header 'Authorization': the variable 'BILLING_TOKEN' \(reason)"
      #expect(answer?.errorCode == 100 && answer?.errorMessage == message)
      #expect(server.requests == [])
    }
  }

  @Test func `config check shows the URL and no secret`() async throws {
    let file = try TemporaryFile(
      #"{"handlers":{"onUpgrade":{"adapter":"http","url":"https://billing.example/buy?key=\#(Self.secret)","#
        + #""headers":{"Authorization":"\#(Self.secret)"},"timeout":30}}}"#)
    let ending = try await RunningShell.run(try .init(.rpcshell, ["--config", file.path, "config", "check"]))
    let row = ending.texts.first { $0.hasPrefix("handlers.onUpgrade") }
    #expect(row?.contains(" http https://billing.example/buy?…, 30 s ") == true)
    #expect(!ending.texts.joined().contains(Self.secret))
  }

  // MARK: Surroundings

  @Test func `this machine is reached without a proxy`() async throws {
    try await FaultServer.run { server in
      let proxies = ["all_proxy": "http://127.0.0.1:1", "http_proxy": "http://127.0.0.1:1"]
      let ending = try await Self.call(
        "plan.restore", action: "onRestore", at: "done", variables: proxies, server: server)
      #expect(ending.exit == .status(0))
    }
  }

  @Test func `others are reached through the proxy of the environment, which sees no header`() async throws {
    try await FaultServer.run { server in
      let file = try TemporaryFile(
        #"{"handlers":{"onRestore":{"adapter":"http","url":"https://billing.example/x","retries":0,"#
          + #""headers":{"Authorization":"\#(Self.secret)"}}}}"#)
      var setup = try Self.setup(file.path)
      setup.environment["https_proxy"] = "http://127.0.0.1:\(server.port)"
      let ending = try await RunningShell.run(setup, input: Self.request(1, "plan.restore"))
      #expect(ending.frames.first { $0.id == "1" }?.errorCode == 100)
      let asked = try await server.next()
      #expect(asked.at("method") == "\"CONNECT\"" && asked.at("path") == "\"billing.example:443\"")
      #expect(!asked.text.contains(Self.secret))
    }
  }

  @Test func `the helper is beside the program or in libexec, and nowhere else`() async throws {
    let folder = try TemporaryFolder()
    for name in ["far/away", "bin", "libexec/rpcshell"] { folder.makeFolder(name) }
    for (from, to) in [
      (try Binary.rpcshell.path, "far/away/rpcshell"), (try Binary.rpcshell.path, "bin/rpcshell"),
      (try Binary.httpHelper, "libexec/rpcshell/rpcshell-http"),
    ] { try Spawn("/bin/cp", [from, folder.at(to)], standard: [nil, nil, nil]).run() }
    try await FaultServer.run { server in
      let file = folder.write("config.json", Self.configuration("onRestore", server.url("done")))
      for (place, answer) in [
        ("far/away", ["103", nil]), ("bin", [nil, "\"completed\""]),
      ] as [(String, [String?])] {
        var setup = try Self.setup(file)
        setup.path = folder.at("\(place)/rpcshell")
        setup.environment["PATH"] = folder.at("libexec/rpcshell")
        let ending = try await RunningShell.run(setup, input: Self.request(1, "plan.restore"))
        let reply = ending.frames.first { $0.id == "1" }
        #expect([reply?.at("error.code"), reply?.at("result.outcome")] == answer)
      }
    }
  }
}
