import AccountModel
import RPCShell
import Testing

@testable import PlanPlugin

@Suite(.timeLimit(.usualMinutes(1)))
struct PlanPluginTests {
  @Test func `plan.get answers with every section`() throws {
    let rig = PlanRig()
    try rig.call("plan.get")
    #expect(rig.take(1) == [PlanLines.get])
  }

  @Test func `nothing is asked for before the first call, and once then`() throws {
    let rig = PlanRig()
    #expect(rig.plansAsked == 0)
    try rig.call("plan.get")
    try rig.call("plan.get")
    #expect(rig.plansAsked == 1)
  }

  @Test func `without a plan the block is loading`() throws {
    let rig = PlanRig(plan: nil)
    try rig.call("plan.get")
    #expect(
      rig.take(1) == [
        #"{"jsonrpc":"2.0","id":1,"result":{"revision":0,"state":{"plan":null,"loading":true,"refreshing":false,"summary":null,"usage":null,"upgrade":null,"manage":{"label":"Manage subscription","visible":false,"custom":false},"restore":{"label":"Restore purchases","custom":false,"phase":"idle","progress":null,"message":null,"tone":null},"locale":"en_US","timeZone":"UTC"}}}"#
      ])
  }

  @Test func `progress is shown and sent under the caller's token`() throws {
    let handler = ScriptedHandler()
    handler.willReport([
      ActionProgress(fraction: 0.4, message: "Waiting for\nthe bank"), ActionProgress(fraction: 7),
      ActionProgress(fraction: .nan),
    ])
    let rig = PlanRig(handler: handler)
    try rig.call("plan.upgrade", token: "0")
    func progress(_ value: String) -> String {
      #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":0,"value":\#(value)}}"#
    }
    func event(_ revision: Int, _ shown: String) -> String {
      #"{"jsonrpc":"2.0","method":"plan.state","params":{"revision":\#(revision),"cause":"upgrade","requestId":1,"state":{"upgrade":{"title":"Upgrade to Studio","detail":"100 GB and more exports","phase":"working","progress":\#(shown),"message":"Waiting for the bank","tone":"secondary"}}}}"#
    }
    #expect(
      rig.take(8) == [
        PlanLines.working,
        progress(#"{"kind":"begin","title":"Upgrade to Studio","cancellable":true,"percentage":0}"#),
        event(2, "0.4"), progress(#"{"kind":"report","message":"Waiting for the bank","percentage":40}"#),
        event(3, "1"), progress(#"{"kind":"report","percentage":100}"#),
        event(4, "null"), progress(#"{"kind":"report"}"#),
      ])
    handler.fail(CancellationError())
    let lines = rig.take(3)
    #expect(lines[1] == progress(#"{"kind":"end"}"#))
    #expect(lines[2] == #"{"jsonrpc":"2.0","id":1,"result":{"outcome":"cancelled","revision":5}}"#)
  }

  // MARK: Holds at the end of input

  @Test func `the end of input ends a hold at once`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    try rig.call("plan.upgrade")
    handler.succeed(with: PlanUsage.top.jsonText)
    _ = rig.take(3)
    #expect(!rig.with { $0.isSettled })
    rig.with { $0.settle() }
    #expect(rig.with { $0.isSettled })
    #expect(rig.take(1) == [PlanLines.folded])
  }

  @Test func `after the end of input the fold follows the reply without a wait`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler)
    try rig.call("plan.upgrade")
    rig.with { $0.settle() }
    handler.succeed(with: PlanUsage.top.jsonText)
    #expect(rig.take(4) == [PlanLines.working, PlanLines.done, PlanLines.completed, PlanLines.folded])
    #expect(rig.with { $0.isSettled })
  }

  // MARK: How the person reads

  @Test func `another locale is one event once a state was sent`() throws {
    let rig = PlanRig()
    let german = Environment(locale: "de_DE", timeZone: "UTC")
    rig.with { $0.environmentChanged(german) }
    try rig.call("plan.get")
    #expect(rig.take(1)[0].contains("\"priceLine\":\"9,99\u{A0}$ per month\""))
    rig.with { $0.environmentChanged(Environment()) }
    let lines = rig.take(1)
    #expect(
      lines[0].hasPrefix(
        #"{"jsonrpc":"2.0","method":"plan.state","params":{"revision":1,"cause":"initialize","state":{"summary":{"#))
    #expect(lines[0].contains(#""locale":"en_US""#))
    #expect(!lines[0].contains("motion"))
  }

  @Test func `before a state was sent another locale is no event`() throws {
    let rig = PlanRig(plan: .top)
    try rig.call("plan.upgrade")
    _ = rig.take(1)
    rig.with { $0.environmentChanged(Environment(locale: "de_DE")) }
    try rig.call("plan.get")
    #expect(rig.take(1)[0].hasPrefix(#"{"jsonrpc":"2.0","id":1,"result":{"revision":0,"#))
  }

  @Test func `with less motion everything fades in place`() throws {
    let handler = ScriptedHandler()
    let rig = PlanRig(handler: handler, environment: Environment(reduceMotion: true))
    try rig.call("plan.upgrade")
    handler.succeed(with: PlanUsage.top.jsonText)
    #expect(
      rig.take(3)[1].contains(
        #""motion":[{"target":"usage/storage","from":0.082,"to":0.082,"curve":"fade"},{"target":"usage/exports","from":0.0824,"to":0.0824,"curve":"fade"},{"target":"upgrade","curve":"fade"}]"#
      ))
  }

  @Test func `a day later the texts have changed`() throws {
    let rig = PlanRig()
    try rig.call("plan.get")
    rig.setTime(PlanRig.today + 86_399)
    try rig.call("plan.get")
    #expect(rig.take(2) == [PlanLines.get, PlanLines.get])
    rig.setTime(PlanRig.today + 15 * 86_400)
    try rig.call("plan.get")
    let lines = rig.take(2)
    #expect(
      lines[0].hasPrefix(
        #"{"jsonrpc":"2.0","method":"plan.state","params":{"revision":1,"cause":"clock","state":{"summary":{"#))
    #expect(
      lines[0].contains(
        #""dateLine":"Renews Nov 2, 2026","dateTone":"secondary","dateIsPast":true,"changeLine":null,"stale":true"#))
    #expect(lines[1].hasPrefix(#"{"jsonrpc":"2.0","id":1,"result":{"revision":1,"#))
  }

  // MARK: Adapters that were bound

  @Test(
    arguments: [
      (PlanUsage.plus, [], true, false, false), (.plus, [.onManage, .onRestore], true, true, true),
      (.once, [], false, false, false), (.once, [.onManage], true, true, false),
    ] as [(PlanUsage, Set<HostAction>, Bool, Bool, Bool)])
  func `the rows say whether they are shown and whose they are`(
    plan: PlanUsage, custom: Set<HostAction>, isVisible: Bool, managesItself: Bool, restoresItself: Bool
  ) throws {
    let rig = PlanRig(plan: plan, custom: custom)
    try rig.call("plan.get")
    let line = rig.take(1)[0]
    #expect(
      line.contains(#""manage":{"label":"Manage subscription","visible":\#(isVisible),"custom":\#(managesItself)}"#))
    #expect(line.contains(#""restore":{"label":"Restore purchases","custom":\#(restoresItself),"phase":"idle""#))
  }
}

extension PlanUsage {
  /// Bought once, nothing to renew.
  static let once = PlanUsage(
    name: "Lifetime", price: .amount(DecimalNumber(string: "29.99")!, currencyCode: "USD"), status: .noRenewal)
}
