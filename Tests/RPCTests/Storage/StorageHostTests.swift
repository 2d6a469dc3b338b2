import AccountModel
import RPCShell
import Testing

/// Actions that the client does itself.
@Suite(.timeLimit(.usualMinutes(1)))
struct StorageHostTests {
  private func rig(backend: ScriptedBackend? = nil) -> StorageRig {
    var environment = Environment()
    environment.hostActions = [.onClearCache, .onRemove]
    return StorageRig(
      backend: backend, unbound: [.onClearCache, .onRemove], custom: false, environment: environment)
  }

  @Test func `the client is asked to clear what was confirmed`() throws {
    let rig = rig()
    try rig.call("storage.clearCache")
    try rig.call("storage.clearCache", id: "2", params: #"{"token":"5f2c81d0"}"#)
    let lines = rig.received(3)
    #expect(lines[0].text == StorageLines.question)
    #expect(lines[1].text == StorageLines.clearing)
    #expect(lines[2].method == "host.onClearCache")
    #expect(
      try lines[2].json["params"]?.members.map(\.name)
        == ["action", "idempotencyKey", "timeout", "locale", "timeZone", "bytes"])
    #expect(lines[2].at("params.bytes") == "1200000000")
    rig.answer(#"{"outcome":"completed","usage":\#(StorageUsage.cleared.jsonText)}"#)
    #expect(rig.take(2) == [StorageLines.cleared, StorageLines.clearReply])
  }

  @Test func `the client is asked to remove the whole download`() throws {
    let rig = rig()
    try rig.call("storage.remove", params: #"{"id":"d3"}"#)
    let request = rig.received(2)[1]
    #expect(request.method == "host.onRemove")
    #expect(
      request.at("params.download")
        == #"{"id":"d3","title":"The Long Valley","symbol":"film","bytes":1200000000}"#)
    rig.report(ActionProgress(fraction: 0.5))
    #expect(rig.received(1)[0].at("params.state.downloads.rows.2.progress") == "0.5")
    rig.answer(#"{"outcome":"cancelled"}"#)
    #expect(rig.received(2)[1].text == StorageLines.reply(#"{"outcome":"cancelled"}"#))
  }

  @Test func `a client that went away has failed`() throws {
    let rig = rig()
    try rig.call("storage.clearCache", params: #"{"confirmed":true}"#)
    try rig.call("storage.remove", id: "2", params: #"{"id":"d1"}"#)
    _ = rig.received(4)
    rig.answer(.gone)
    rig.answer(.gone)
    let replies = rig.received(4).filter { $0.id != nil }
    #expect(replies.map(\.errorCode) == [106, 106])
    #expect(try rig.shown("state.clear.note") == #""The cache wasn't cleared. Try again.""#)
    #expect(try rig.shown("state.downloads.message") == #""The download wasn't removed. Try again.""#)
  }

  @Test(arguments: [("storage.clearCache", ""), ("storage.remove", #""id":"d1","#)])
  func `what the client would do cannot be told beforehand`(method: String, params: String) throws {
    let rig = rig(backend: ScriptedBackend())
    try rig.call(method, params: "{\(params)\"dryRun\":true}")
    #expect(rig.received(1)[0].errorCode == 103)
  }
}
