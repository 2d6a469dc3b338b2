import AccountModel
import RPCShell
import Testing

@Suite(.timeLimit(.usualMinutes(1)))
struct StorageGetTests {
  @Test func `the sample is answered byte for byte`() throws {
    let rig = StorageRig()
    try rig.call("storage.get")
    #expect(rig.take(1) == [StorageLines.get])
  }

  @Test func `clearing the cache asks, works, says what was cleared, and rests after its hold`() throws {
    let rig = StorageRig()
    try rig.call("storage.clearCache")
    #expect(rig.take(1) == [StorageLines.question])
    try rig.call("storage.clearCache", id: "2", params: #"{"token":"5f2c81d0"}"#)
    #expect(rig.take(1) == [StorageLines.clearing])
    var rest = StorageUsage.sample
    rest.cache = 0
    rig.clearer.succeed(.giving(usage: rest.jsonText))
    #expect(rig.take(2) == [StorageLines.cleared, StorageLines.clearReply])
    rig.run(until: { rig.sleeping == [.seconds(3)] })
    rig.pass(.seconds(3))
    #expect(rig.take(1) == [StorageLines.empty])
    #expect(rig.sleeping.isEmpty)
  }
}
