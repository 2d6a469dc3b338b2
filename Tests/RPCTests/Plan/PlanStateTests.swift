import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

/// The sections of the state, by what is known and what is going on.
struct PlanStateTests {
  private static let names = [
    "plan", "loading", "refreshing", "summary", "usage", "upgrade", "manage", "restore", "locale", "timeZone",
  ]

  @Test(arguments: [
    PlanState(), .showing(.plus), .showing(.top), .showing(.once), .showing(.plus) { $0.isRefreshing = true },
    .showing(.plus) { $0.upgrade = .working }, .showing(.top) { $0.restore = .failed("No") },
  ])
  func `every section is there, always in the same order`(state: PlanState) {
    #expect(state.snapshot().sections.map(\.name) == Self.names)
  }

  // MARK: Loading and refreshing

  @Test(arguments: [
    PlanState(), .showing(nil), .showing(nil) { $0.isRefreshing = true },
    .showing(nil) { $0.acceptedOffer = Upgrade(title: "Upgrade to Studio") },
    .showing(.plus) { $0.take(nil) },
    .showing(.plus) {
      $0.upgrade = .working
      $0.isManageCustom = true
      $0.take(nil)
    },
  ])
  func `while nothing is known there is nothing to read or to do`(state: PlanState) {
    let shown = state.snapshot()
    #expect(shown.isLoading && shown.figures.isEmpty)
    #expect(shown["loading"]?.description == "true" && shown["refreshing"]?.description == "false")
    for name in ["plan", "summary", "usage", "upgrade"] { #expect(shown[name] == .null, "\(name)") }
    #expect(shown["manage"]?.description.contains(#""visible":false"#) == true)
    #expect(
      shown["restore"]?.description
        == #"{"label":"Restore purchases","custom":false,"phase":"idle","progress":null,"message":null,"tone":null}"#)
  }

  @Test func `a plan that is being read again stays as it is`() {
    let resting = PlanState.showing(.plus).snapshot()
    let refreshing = PlanState.showing(.plus) { $0.isRefreshing = true }.snapshot()
    #expect(resting["loading"]?.description == "false" && resting["refreshing"]?.description == "false")
    #expect(refreshing["loading"]?.description == "false" && refreshing["refreshing"]?.description == "true")
    for name in Self.names where name != "refreshing" { #expect(refreshing[name] == resting[name], "\(name)") }
    #expect(refreshing.figures == resting.figures && refreshing.phases == resting.phases)
  }

  // MARK: The sample and what was given

  @Test func `the sample reads as documented`() {
    let state = PlanState.showing(.plus).snapshot().text.description
    #expect(#"{"jsonrpc":"2.0","id":1,"result":{"revision":0,"state":\#(state)}}"# == PlanLines.get)
  }

  @Test func `the plan is there as it was given, and its group only there`() throws {
    let given =
      #"{"name":"Plus","price":{"amount":9.985,"currencyCode":"usd"},"period":null,"status":{"renews":"2026-11-02T00:00:00.50Z"},"meters":[],"subscriptionGroupId":"21439"}"#
    let state = PlanState.showing(try .read(given)).snapshot()
    #expect(state["plan"]?.description == given)
    #expect(state["summary"]?.description.contains(#""priceLine":"$9.98""#) == true)
    for name in Self.names.dropFirst() { #expect(state[name]?.description.contains("21439") == false, "\(name)") }
  }

  @Test func `names that only look the same are told apart`() throws {
    let (composed, decomposed) = ("Caf\u{E9}", "Cafe\u{301}")
    let plans = try [composed, decomposed].map {
      try PlanUsage.read(#"{"name":"\#($0)","price":{"free":true},"status":{"noRenewal":true}}"#)
    }
    var state = PlanState.showing(plans[0])
    state.take(plans[1])
    #expect(state.snapshot()["plan"] == plans[1].jsonText)
    var cache = PlanTextCache()
    for plan in plans {
      let texts = cache.texts(for: plan, plan.jsonText, asOf: nil, now: PlanRig.today, Environment())
      #expect(texts.summary.description.contains(plan.name))
    }
  }

  @Test(arguments: [("en_US", "UTC"), ("pt-BR", "America/Sao_Paulo"), ("ar_SA@calendar=islamic", "Asia/Kathmandu")])
  func `what the texts are written in is echoed as it was given`(locale: String, zone: String) {
    let environment = Environment(locale: locale, timeZone: zone)
    for state in [PlanState(), .showing(.plus)] {
      #expect(state.section("locale", environment) == "\"\(locale)\"")
      #expect(state.section("timeZone", environment) == "\"\(zone)\"")
    }
  }

  @Test func `unless somebody says otherwise, texts are American and dates are in UTC`() {
    #expect(Environment().locale == "en_US" && Environment().timeZone == "UTC")
    #expect(!Environment().reduceMotion)
  }

  @Test func `the summary says when the plan was read`() {
    let read = DateValue("2026-10-18T09:00:00+02:00")!
    var state = PlanState.showing(.plus)
    state.take(.plus, asOf: read)
    #expect(state.section("summary")?.contains(#""stale":false,"asOf":"2026-10-18T09:00:00+02:00""#) == true)
    state.take(.top)
    #expect(state.section("summary")?.contains(#""asOf":null"#) == true)
  }

  // MARK: Members in order

  @Test func `a plan with everything in it fills every member`() throws {
    let plan = try PlanUsage.read(
      #"{"name":"Team","price":{"display":"9,99 €"},"period":"year","status":{"paymentIssue":"2026-10-01"},"meters":[{"id":"api","label":"Requests","used":"1059.0","limit":300,"unit":"k","format":{"maxFraction":0},"symbol":"bolt","group":"5 hours","warnAt":"0.5","resets":"2026-10-18T23:00:00Z","overage":{"amount":759,"cost":{"amount":"7.59","currencyCode":"USD"}},"alerts":[0.5]}],"scheduledChange":{"to":"Basic","on":"2026-11-02"}}"#
    )
    let state = PlanState.showing(plan)
    #expect(
      state.section("summary")
        == #"{"name":"Team","chip":{"text":"Payment issue","tone":"danger"},"priceLine":"9,99 € per year","dateLine":"Update payment by Oct 1, 2026","dateTone":"danger","dateIsPast":true,"changeLine":"Changes to Basic on Nov 2","stale":true,"asOf":null,"accessibilityLabel":"Team plan, 9,99 € per year. Payment issue. Update payment by Oct 1, 2026. Changes to Basic on Nov 2"}"#
    )
    #expect(
      state.section("usage")
        == #"{"title":"Usage","meters":[{"id":"api","label":"Requests","symbol":"bolt","group":"5 hours","used":"1059.0","limit":300,"unit":"k","warnAt":"0.5","resets":"2026-10-18T23:00:00Z","fraction":1,"ratio":3.53,"level":"atLimit","tone":"danger","figure":"1,059 of 300 k","percentText":"353%","allowance":true,"statusText":"All used","resetsText":"Resets Oct 18, 2026","resetIsPast":true,"overageText":"759 k over · $7.59","line":"All used","accessibilityLabel":"Requests","accessibilityValue":"1,059 of 300 k, 353%, All used"}]}"#
    )
  }

  @Test func `a meter with the least in it has every default`() throws {
    #expect(
      PlanState.showing(try .metered(#""used":5,"limit":null"#)).section("usage")
        == #"{"title":"Usage","meters":[{"id":"m","label":"Storage","symbol":null,"group":null,"used":5,"limit":null,"unit":"","warnAt":0.85,"resets":null,"fraction":null,"ratio":null,"level":"normal","tone":"primary","figure":"5 used","percentText":null,"allowance":false,"statusText":null,"resetsText":null,"resetIsPast":false,"overageText":null,"line":null,"accessibilityLabel":"Storage","accessibilityValue":"5 used"}]}"#
    )
  }

  @Test func `without meters the card is empty`() {
    #expect(PlanState.showing(.once).section("usage") == #"{"title":"Usage","meters":[]}"#)
  }

  @Test func `meters stay in the order given, windows of one group each with a reset of its own`() throws {
    func window(_ id: String, _ group: String, _ resets: String) -> String {
      #"{"id":"\#(id)","label":"\#(id)","used":412,"limit":1000,"group":"\#(group)","resets":"\#(resets)"}"#
    }
    let windows = [
      window("week", "api", "2026-11-02"), window("day", "api", "2026-10-20"), window("a", "other", "2027-11-02"),
    ]
    let plan = try PlanUsage.read(
      #"{"name":"P","price":{"free":true},"status":{"noRenewal":true},"meters":[\#(windows.joined(separator: ","))]}"#)
    let meters = try #require(try PlanState.showing(plan).snapshot()["usage"]?.view["meters"]?.elements)
    #expect(meters.map { $0["id"]?.string } == ["week", "day", "a"])
    #expect(meters.map { $0["group"]?.string } == ["api", "api", "other"])
    #expect(meters.map { $0["line"]?.string } == ["Resets Nov 2", "Resets Oct 20", "Resets Nov 2, 2027"])
  }

  // MARK: Managing

  @Test(arguments: [
    (#"{"renews":"2026-11-02"}"#, true), (#"{"trial":"2026-11-02"}"#, true), (#"{"ends":"2026-11-02"}"#, true),
    (#"{"ends":"2026-10-01"}"#, true), (#"{"paymentIssue":"2026-11-02"}"#, true), (#"{"noRenewal":true}"#, false),
  ])
  func `managing is offered where something renews or ends, or by somebody who knows better`(
    status: String, isVisible: Bool
  ) throws {
    let plan = try PlanUsage.read(#"{"name":"P","price":{"free":true},"status":\#(status)}"#)
    #expect(
      PlanState.showing(plan).section("manage")
        == #"{"label":"Manage subscription","visible":\#(isVisible),"custom":false}"#)
    #expect(
      PlanState.showing(plan) { $0.isManageCustom = true }.section("manage")
        == #"{"label":"Manage subscription","visible":true,"custom":true}"#)
  }

  @Test func `restoring is offered always`() {
    for state in [PlanState(), .showing(.plus), .showing(.top), .showing(.once)] {
      #expect(
        state.section("restore")?.hasPrefix(#"{"label":"Restore purchases","custom":false,"phase":"idle""#) == true)
      var custom = state
      custom.isRestoreCustom = true
      #expect(custom.section("restore")?.hasPrefix(#"{"label":"Restore purchases","custom":true,"#) == true)
    }
  }

  @Test func `managing has no state of its own`() {
    var state = PlanState.showing(.plus)
    let resting = state.snapshot()
    state[.manage] = .failed("No")
    #expect(state.snapshot() == resting && state[.manage] == .idle)
  }
}
