import AccountModel
import RPCShell
import Testing

@testable import Configuration

/// What a configuration file may say.
struct ConfigurationTests {
  private static func read(_ text: String) throws -> Configuration {
    let view = try JSONDocument(wholeText: Array(text.utf8)).view
    return try Configuration(checking: view, paths: ConfiguredPath(folder: "/app")) { $0 == "Europe/Berlin" }
  }

  private static let plus = #"{"name":"Plus","price":{"free":true},"status":{"noRenewal":true}}"#
  private static func catalogue(_ plans: String...) -> String {
    #"{"account":{"catalogue":[\#(plans.joined(separator: ","))]}}"#
  }

  // MARK: Good files

  @Test(arguments: [
    "{}", #"{"//":"nothing"}"#,
    #"{"locale":null,"timeZone":null,"handlers":null,"account":null,"holds":null}"#,
    #"{"handlers":{},"account":{},"holds":{"// 1":0}}"#,
    #"{"account":{"plan":null,"catalogue":null,"manageURL":null},"holds":{"upgrade":null,"restore":null}}"#,
  ])
  func `says nothing where nothing is given`(text: String) throws {
    let configuration = try Self.read(text)
    #expect(configuration == Configuration())
    #expect(configuration.account.isSample)
    for action in HostAction.allCases {
      #expect(configuration.handler(of: action)?.adapter == .local)
      let isRemoval = action == .onClearCache || action == .onRemove
      #expect(configuration.handler(of: action)?.timeout == (action == .onUpgrade ? 600 : isRemoval ? 3600 : 60))
      #expect(configuration.handler(of: action)?.isCustom == false)
    }
  }

  @Test func `says who does what, with its time limit`() throws {
    let configuration = try Self.read(
      #"""
      {"handlers":{"onUpgrade":{"adapter":"host"},"onManage":{"adapter":"host","timeout":0.5},"onRestore":null,
        "onClearCache":{"adapter":"local","timeout":null},"onRemove":{"adapter":"local","timeout":86400,"// why":""}}}
      """#)
    #expect(configuration.handler(of: .onUpgrade) == .init(adapter: .host, timeout: 600))
    #expect(configuration.handler(of: .onManage) == .init(adapter: .host, timeout: 0.5))
    #expect(configuration.handler(of: .onRestore) == nil)
    #expect(configuration.handler(of: .onClearCache) == .init(adapter: .local, timeout: 3600))
    #expect(configuration.handler(of: .onRemove) == .init(adapter: .local, timeout: 86400))
    #expect(configuration[.onManage] == .by(.host, timeout: 0.5))
    #expect(configuration[.onRestore] == .notAvailable)
    #expect(HostAction.allCases.map { configuration.handler(of: $0)?.isCustom } == [true, true, nil, false, false])
  }

  @Test func `says what the account is`() throws {
    let url = "https://billing.example/me?x=1#y"
    let top = #"{"name":"Top","price":{"display":"9 €"},"status":{"trial":"2026-11-02"}}"#
    let configuration = try Self.read(
      #"{"account":{"plan":\#(top),"catalogue":[\#(Self.plus),\#(top)],"manageURL":"\#(url)"}}"#)
    #expect(configuration.account.plan?.name == "Top")
    #expect(configuration.account.catalogue?.map(\.name) == ["Plus", "Top"])
    #expect(configuration.account.manageURL == url)
    #expect(!configuration.account.isSample)
    #expect(try !Self.read(Self.catalogue(Self.plus)).account.isSample)
    #expect(try Self.read(#"{"account":{"manageURL":"app:settings"}}"#).account.isSample)
  }

  @Test func `says how the person reads and what is held`() throws {
    let configuration = try Self.read(
      #"{"locale":"de_DE","timeZone":"Europe/Berlin","holds":{"upgrade":0,"restore":1.5,"clearCache":3600}}"#)
    #expect(configuration.locale == "de_DE")
    #expect(configuration.timeZone == "Europe/Berlin")
    #expect(configuration.holds == .init(upgrade: 0, restore: 1.5, clearCache: 3600))
  }

  @Test func `the example says something about everything, and has a comment for each`() throws {
    let view = try JSONDocument(wholeText: Array(Configuration.example.utf8)).view
    let configuration = try Configuration(checking: view, paths: ConfiguredPath(folder: "/app")) {
      $0 == "Europe/Berlin"
    }
    #expect(configuration.account.catalogue?.count == 2)
    #expect(configuration.handler(of: .onManage)?.adapter == .host)
    guard case .object(let members) = Configuration.schema else { return }
    for member in members {
      #expect(view[member.name] != nil && view.member(named: "// \(member.name)")?.string != nil, "\(member.name)")
    }
  }

  // MARK: Bad files

  @Test(arguments: [
    ("[]", "expected an object, got an array"), ("7", "expected an object, got an integer"),
    (#"{"local":"de"}"#, "local: unknown member; did you mean 'locale'?"),
    (#"{"theme":"dark"}"#, "theme: unknown member"),
    (#"{"plugin":[]}"#, "plugin: unknown member; did you mean 'plugins'?"),
    (#"{"/ locale":"de"}"#, "/ locale: unknown member; did you mean 'locale'?"),
    (#"{"locale":1}"#, "locale: expected a string, got an integer"),
    (#"{"locale":"no such"}"#, "locale: expected an identifier like 'en_US' or 'pt-BR', got 'no such'"),
    (#"{"timeZone":"Mars/Olympus"}"#, "timeZone: unknown time zone 'Mars/Olympus'; expected one like 'Europe/Berlin'"),
    (#"{"timeZone":true}"#, "timeZone: expected a string, got a boolean"),
    (#"{"handlers":[]}"#, "handlers: expected an object, got an array"),
    (#"{"handlers":{"onUpgarde":null}}"#, "handlers.onUpgarde: unknown member; did you mean 'onUpgrade'?"),
    (#"{"handlers":{"onUpgrade":"host"}}"#, "handlers.onUpgrade: expected an object, got a string"),
    (#"{"handlers":{"onUpgrade":{}}}"#, "handlers.onUpgrade.adapter: missing; expected a string"),
    (#"{"handlers":{"onUpgrade":{"adapter":null}}}"#, "handlers.onUpgrade.adapter: expected a string, got null"),
    (
      #"{"handlers":{"onUpgrade":{"adapter":"hots"}}}"#,
      "handlers.onUpgrade.adapter: expected one of 'local', 'host', 'exec', 'http', 'plugin', got 'hots'; did you mean 'host'?"
    ),
    (
      #"{"handlers":{"onRemove":{"adapter":"host","command":["rm"]}}}"#,
      "handlers.onRemove.command: unknown member"
    ),
    (
      #"{"handlers":{"onManage":{"adapter":"host","timeuot":1}}}"#,
      "handlers.onManage.timeuot: unknown member; did you mean 'timeout'?"
    ),
    (#"{"holds":{"upgrade":-1}}"#, "holds.upgrade: expected a number from 0 to 3600"),
    (#"{"holds":{"restore":"3s"}}"#, "holds.restore: expected a number, got a string"),
    (#"{"holds":{"manage":1}}"#, "holds.manage: unknown member"),
    (#"{"account":{"plan":{"name":""}}}"#, "account.plan.name: expected a string that is not empty"),
    (#"{"account":{"plan":"Plus"}}"#, "account.plan: expected an object, got a string"),
    (#"{"account":{"catalogue":{}}}"#, "account.catalogue: expected an array, got an object"),
    (#"{"account":{"catalogue":[]}}"#, "account.catalogue: expected at least one plan"),
    (catalogue(plus, #"{"name":"Top"}"#), "account.catalogue[1].price: missing; expected an object"),
    (catalogue(plus, plus), "account.catalogue[1].name: expected a name that no other plan has, got 'Plus' again"),
  ])
  func `names what is wrong and what was expected`(text: String, expected: String) throws {
    let violation = #expect(throws: SchemaViolation.self) { try Self.read(text) }
    #expect(violation?.text == expected)
  }

  @Test(arguments: ["0", "-1", "86401", "1e300"])
  func `a time limit is more than nothing and at most a day`(seconds: String) throws {
    let violation = #expect(throws: SchemaViolation.self) {
      try Self.read(#"{"handlers":{"onManage":{"adapter":"host","timeout":\#(seconds)}}}"#)
    }
    #expect(violation?.text == "handlers.onManage.timeout: expected seconds, more than 0 and at most 86400")
  }

  @Test(arguments: [
    "", "billing.example/me", "https:", "://x", "1https://x", "https://x y", "ht tps://x", "https://x\\n",
  ])
  func `a page has a scheme and no blanks`(url: String) throws {
    let violation = #expect(throws: SchemaViolation.self) { try Self.read(#"{"account":{"manageURL":"\#(url)"}}"#) }
    #expect(violation?.text == "account.manageURL: expected a URL like 'https://billing.example/me'")
  }

  @Test(arguments: ["plan", "catalogue"])
  func `meters of one plan have ids of their own`(member: String) throws {
    let meter = #"{"id":"m","label":"M","used":1,"limit":2}"#
    let plan = #"{"name":"A","price":{"free":true},"status":{"noRenewal":true},"meters":[\#(meter),\#(meter)]}"#
    let violation = #expect(throws: SchemaViolation.self) {
      try Self.read(#"{"account":{"\#(member)":\#(member == "plan" ? plan : "[" + plan + "]")}}"#)
    }
    let path = member == "plan" ? "account.plan" : "account.catalogue[0]"
    #expect(violation?.text == "\(path).meters[1].id: expected an id that no other meter has, got 'm' again")
  }
}
