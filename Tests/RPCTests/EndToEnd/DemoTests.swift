import Testing

@testable import RPCShell

/// The sample account, as somebody who tries rpcshell sees it.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct DemoTests {
  private static let working = #"""
    {"jsonrpc":"2.0","method":"plan.state","params":{"revision":1,"cause":"upgrade"\#
    REQUEST,"state":{"upgrade":{"title":"Upgrade to Studio","detail":"100 GB and more exports","phase":"working",\#
    "progress":null,"message":null,"tone":null}},"motion":[{"target":"upgrade","curve":"snappy"}]}}
    """#
  private static let folded = #"""
    {"jsonrpc":"2.0","method":"plan.state","params":{"revision":3,"cause":"upgrade","state":{"upgrade":null},"motion":\#
    [{"target":"upgrade","curve":"snappy"}]}}
    """#
  private static let doneMotion = #"""
    [{"target":"usage/storage","from":0.82,"to":0.082,"curve":"smooth"},{"target":"usage/exports","from":0.412,"to":\#
    0.0824,"curve":"smooth"},{"target":"upgrade","curve":"snappy"}]
    """#
  private static let studio = #"""
    {"name":"Studio","price":{"amount":"19.99","currencyCode":"USD"},"period":"month","status":{"renews":"2026-11-02"},\#
    "meters":[{"id":"storage","label":"Storage","used":8.2,"limit":100,"unit":"GB"},{"id":"exports","label":"Exports",\#
    "used":412,"limit":5000,"resets":"2026-11-02"}],"upgrade":null}
    """#
  private static let plus = #"""
    {"name":"Plus","price":{"amount":"9.99","currencyCode":"USD"},"period":"month","status":{"renews":"2026-11-02"},\#
    "meters":[{"id":"storage","label":"Storage","used":8.2,"limit":10,"unit":"GB"},{"id":"exports","label":"Exports",\#
    "used":412,"limit":1000,"resets":"2026-11-02"}],"upgrade":{"title":"Upgrade to Studio","detail":"100 GB and more \#
    exports"}}
    """#

  private static func expectUpgrade(_ events: [Received], requestID: String?) throws {
    try #require(events.count == 3)
    let request = requestID.map { ",\"requestId\":\($0)" } ?? ""
    #expect(events[0].text == working.split(separator: "REQUEST").joined(separator: request))
    let done = events[1]
    #expect(done.at("params.revision") == "2" && done.at("params.requestId") == requestID)
    #expect(try done.json["params"]?["state"]?.members.map(\.name) == ["plan", "summary", "usage", "upgrade"])
    #expect(done.at("params.state.plan") == studio)
    #expect(done.at("params.state.upgrade.phase") == "\"done\"")
    #expect(done.at("params.motion") == doneMotion)
    #expect(done.at("params.feedback") == "\"success\"")
    #expect(done.at("params.announcement") == #"{"text":"Upgrade complete","politeness":"polite"}"#)
    #expect(events[2].text == folded)
  }

  @Test func `shows an upgrade as events`() async throws {
    let ending = try await RunningShell.run(.frozenDemo(), input: #"{"method":"plan.upgrade"}"# + "\n")
    try Self.expectUpgrade(ending.frames, requestID: nil)
    #expect(ending.exit == .status(0))
    #expect(ending.errors == [])
  }

  @Test func `answers what the page shows, then an upgrade between its events`() async throws {
    let ending = try await RunningShell.run(
      .frozenDemo(), input: #"{"id":1,"method":"plan.get"}"# + "\n" + #"{"id":2,"method":"plan.upgrade"}"# + "\n")
    try #require(ending.frames.count == 5, "\(ending.texts)")
    #expect(ending.frames[0].id == "1")
    #expect(ending.frames[0].at("result.revision") == "0")
    #expect(ending.frames[0].at("result.state.plan") == Self.plus)
    #expect(ending.frames[0].at("result.state.summary.dateLine") == "\"Renews Nov 2\"")
    #expect(ending.texts[3] == #"{"jsonrpc":"2.0","id":2,"result":{"outcome":"completed","revision":2}}"#)
    try Self.expectUpgrade([ending.frames[1], ending.frames[2], ending.frames[4]], requestID: "2")
    #expect(ending.exit == .status(0))
    #expect(ending.errors == [])
  }

  @Test func `shows the new plan to who asks after the reply`() async throws {
    let ending = try await RunningShell.run(.frozenDemo()) { shell in
      try await shell.send(#"{"id":1,"method":"plan.upgrade"}"# + "\n")
      while try await shell.next().id != "1" {}
      try await shell.send(#"{"id":2,"method":"plan.get"}"# + "\n" + #"{"id":3,"method":"plan.upgrade"}"# + "\n")
    }
    let got = try #require(ending.frames.first { $0.id == "2" })
    #expect(got.at("result.state.plan") == Self.studio)
    #expect(ending.frames.first { $0.id == "3" }?.errorCode == 103, "there is no plan above")
    #expect(ending.exit == .status(1))
  }

  @Test func `starts afresh each time`() async throws {
    for _ in 0..<2 {
      let ending = try await RunningShell.run(
        .frozenDemo(), input: #"{"id":1,"method":"plan.upgrade"}"# + "\n")
      #expect(ending.frames.contains { $0.at("result.outcome") == "\"completed\"" })
    }
  }

  @Test func `works without any option`() async throws {
    let home = try TemporaryFile()
    var setup = try RunningShell.Setup(.rpcshell)
    setup.environment = [
      "HOME": home.path + ".d", "XDG_STATE_HOME": home.path + ".d/state", "XDG_CONFIG_HOME": home.path + ".d/config",
    ]
    let ending = try await RunningShell.run(setup, input: #"{"method":"plan.upgrade"}"# + "\n")
    #expect(ending.frames.map { $0.at("params.state.upgrade.phase") } == ["\"working\"", "\"done\"", nil])
    #expect(ending.exit == .status(0), "\(ending.errors)")
    _ = try await RunningShell.run(.init(script: "rm -rf '\(home.path).d'"))
  }

  @Test func `describes the methods that it says it has`() async throws {
    let ending = try await RunningShell.run(
      .frozenDemo(), input: #"{"id":1,"method":"initialize"}"# + "\n" + #"{"id":2,"method":"rpc.discover"}"# + "\n")
    try #require(ending.frames.count == 2)
    let plugins = try #require(try ending.frames[0].json["result"]?["plugins"]?.elements)
    let names = plugins.flatMap { $0["methods"]?.elements.compactMap(\.string) ?? [] }
    let methods = try ending.frames[1].json["result"]?["methods"]?.elements.compactMap { $0["name"]?.string }
    #expect(names.contains("plan.get") && names.contains("plan.upgrade"))
    #expect(Set(names).isSubset(of: methods ?? []), "\(names) in \(methods ?? [])")
    #expect(ending.exit == .status(0))
  }
}
