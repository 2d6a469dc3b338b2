import Testing

/// What stands in the process's environment changes no text that a client did not ask for.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct PlanSurroundingsTests {
  private static let get = #"{"jsonrpc":"2.0","id":1,"method":"plan.get"}"# + "\n"

  @Test(arguments: [
    [:], ["LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"],
    ["LANG": "ar_SA.UTF-8", "LC_TIME": "fa_IR", "LANGUAGE": "fr"],
    ["TZ": "Asia/Tokyo"], ["TZ": "America/Los_Angeles"], ["TZ": "bogus", "LC_MONETARY": "ja_JP"],
  ])
  func `neither the locale nor the zone of the process is shown`(environment: [String: String]) async throws {
    var setup = try RunningShell.Setup.frozenDemo()
    setup.environment.merge(environment) { $1 }
    let ending = try await RunningShell.run(setup, input: Self.get)
    #expect(ending.texts == [PlanLines.get])
  }

  @Test func `the client's zone is shown and echoed`() async throws {
    var setup = try RunningShell.Setup.frozenDemo()
    setup.environment["TZ"] = "UTC"
    let day = #"{"id":2,"method":"plan.set","params":{"plan":{"name":"P","price":{"free":true},"#
    let ending = try await RunningShell.run(
      setup,
      input: #"{"id":1,"method":"initialize","params":{"timeZone":"Europe/Berlin"}}"# + "\n" + day
        + #""status":{"renews":"2026-11-01T23:30:00Z"}}}}"# + "\n" + #"{"id":3,"method":"plan.get"}"# + "\n")
    let state = ending.frames.last
    #expect(state?.at("result.state.summary.dateLine") == #""Renews Nov 2""#)
    #expect(state?.at("result.state.timeZone") == #""Europe/Berlin""#)
    #expect(state?.at("result.state.locale") == #""en_US""#)
  }
}
