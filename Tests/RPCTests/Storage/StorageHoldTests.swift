import AccountModel
import RPCShell
import StoragePlugin
import Testing

/// The checkmark after a clear.
@Suite(.timeLimit(.usualMinutes(1)))
struct StorageHoldTests {
  /// A rig whose cache was cleared a moment ago.
  private func held(_ rest: StorageUsage = .cleared) throws -> StorageRig {
    let rig = StorageRig()
    try rig.call("storage.clearCache", params: #"{"confirmed":true}"#)
    rig.clearer.succeed(.giving(usage: rest.jsonText))
    _ = rig.take(3)
    return rig
  }

  @Test func `the checkmark stays for three seconds, then the button says that nothing is left`() throws {
    let rig = try held()
    #expect(try rig.shown("state.clear.label") == #""Clear cache""#)
    #expect(try rig.shown("state.clear.enabled") == "false")
    rig.run(until: { rig.sleeping == [.seconds(3)] })
    rig.clock.advance(by: .milliseconds(2999))
    rig.run()
    #expect(rig.lines.isEmpty)
    rig.clock.advance(by: .milliseconds(1))
    #expect(
      rig.take(1) == [
        StorageLines.clearEvent(
          3, StorageLines.clear("idle", enabled: false, label: "Cache is empty"), id: nil)
      ])
  }

  @Test func `the button settles on what is left`() throws {
    let rig = try held(.sample { $0.cache = 5 })
    rig.pass(.seconds(3))
    #expect(rig.take(1) == [StorageLines.clearEvent(3, StorageLines.clear("idle"), id: nil)])
  }

  @Test func `a usage during the hold leaves the checkmark`() throws {
    let rig = try held()
    try rig.set(.sample)
    #expect(rig.received(2)[0].at("params.state.clear") == nil)
    #expect(try rig.shown("state.clear.phase") == #""done""#)
    rig.pass(.seconds(3))
    #expect(rig.received(1)[0].at("params.state.clear.label") == #""Clear cache""#)
  }

  @Test func `a new clear ends the hold`() throws {
    let rig = try held(.sample)
    try rig.call("storage.clearCache", id: "2", params: #"{"confirmed":true}"#)
    #expect(rig.take(1) == [StorageLines.clearEvent(3, StorageLines.clear("working"), id: "2")])
    #expect(!rig.sleeping.contains(.seconds(3)))
    rig.clearer.succeed()
    _ = rig.take(2)
    rig.pass(.seconds(3))
    #expect(rig.received(1)[0].at("params.revision") == "5")
  }

  @Test func `at the end of the session a hold is over at once, after the reply`() throws {
    let rig = try held()
    #expect(rig.with { !$0.isSettled })
    rig.with { $0.settle() }
    #expect(rig.received(1)[0].at("params.state.clear.label") == #""Cache is empty""#)
    #expect(rig.with { $0.isSettled })
    #expect(rig.sleeping.isEmpty)
  }

  @Test func `a clear that ends after the input is not held`() throws {
    let rig = StorageRig()
    try rig.call("storage.clearCache", params: #"{"confirmed":true}"#)
    rig.with { $0.settle() }
    rig.clearer.succeed(.giving(usage: StorageUsage.cleared.jsonText))
    let lines = rig.received(4)
    #expect(lines[1].at("params.state.clear.phase") == #""done""#)
    let rest = lines.dropFirst(2).map(\.text)
    #expect(rest.contains(StorageLines.clearReply.replacing(#""id":2"#, with: #""id":1"#)))
    #expect(rest.contains(StorageLines.empty))
    #expect(rig.with { $0.isSettled })
  }
}
