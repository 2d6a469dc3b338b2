import AccountModel
import RPCShell
import StoragePlugin
import Testing

/// Clearing the cache: who may, the question, and how it ends.
@Suite(.timeLimit(.usualMinutes(1)))
struct StorageClearTests {
  private static let confirmed = #"{"confirmed":true}"#

  private func question(_ rig: StorageRig) throws -> Received {
    try rig.call("storage.clearCache", id: "\"q\"")
    return rig.received(1)[0]
  }

  // MARK: Guards

  @Test(arguments: ["{}", confirmed, #"{"token":"x"}"#, #"{"dryRun":true}"#])
  func `without a handler nothing is cleared`(params: String) throws {
    let rig = StorageRig(unbound: [.onClearCache])
    try rig.call("storage.clearCache", params: params)
    #expect(
      rig.take(1) == [
        StorageLines.refusal(103, "No handler is bound to onClearCache", #"{"action":"clearCache"}"#)
      ])
  }

  @Test(arguments: ["{}", confirmed, #"{"token":"x"}"#])
  func `an empty cache is not cleared`(params: String) throws {
    let rig = StorageRig(usage: .cleared)
    try rig.call("storage.clearCache", params: params)
    #expect(rig.take(1) == [StorageLines.refusal(103, "The cache is empty", #"{"action":"clearCache"}"#)])
  }

  @Test(arguments: ["{}", confirmed])
  func `nothing is cleared before anything is known`(params: String) throws {
    let rig = StorageRig(usage: nil)
    try rig.call("storage.clearCache", params: params)
    #expect(
      rig.take(1) == [
        StorageLines.refusal(102, "What takes room is not known yet", #"{"action":"clearCache"}"#)
      ])
  }

  @Test(arguments: ["{}", confirmed, #"{"token":"5f2c81d0"}"#])
  func `a second clear is refused while one runs`(params: String) throws {
    let rig = StorageRig()
    try rig.call("storage.clearCache", params: Self.confirmed)
    _ = rig.take(1)
    try rig.call("storage.clearCache", id: "2", params: params)
    #expect(
      rig.take(1) == [
        StorageLines.refusal(
          101, "The cache is being cleared already", #"{"action":"clearCache","running":"clearCache"}"#, id: "2")
      ])
    #expect(rig.clearer.calls.count == 1)
  }

  @Test(arguments: [
    (#"{"confirmed":false}"#, "confirmed"), (#"{"confirmed":1}"#, "confirmed"), (#"{"token":""}"#, "token"),
    (#"{"token":5}"#, "token"), (#"{"tokn":"a"}"#, "tokn"), (#"{"dryRun":"yes"}"#, "dryRun"),
  ])
  func `wrong parameters are refused`(params: String, path: String) throws {
    let rig = StorageRig()
    try rig.call("storage.clearCache", params: params)
    let reply = rig.received(1)[0]
    #expect(reply.errorCode == -32602 && reply.at("error.data.path") == "\"\(path)\"")
    #expect(rig.clearer.calls.isEmpty)
  }

  @Test func `what is not known yet is measured first`() throws {
    let backend = ScriptedBackend()
    let rig = StorageRig(usage: nil, backend: backend)
    try rig.call("storage.clearCache")
    #expect(rig.lines.isEmpty && backend.measureCount == 1)
    backend.deliver(.sample)
    #expect(rig.take(1) == [StorageLines.question])
  }

  @Test func `a measure that fails clears nothing`() throws {
    let backend = ScriptedBackend()
    let rig = StorageRig(usage: nil, backend: backend)
    try rig.call("storage.clearCache", params: Self.confirmed)
    backend.failMeasure("storage.roots.cache[0]: no such directory")
    #expect(
      rig.take(1) == [
        StorageLines.refusal(
          100, "storage.roots.cache[0]: no such directory", #"{"action":"measure","handler":"local"}"#)
      ])
    #expect(rig.clearer.calls.isEmpty)
  }

  // MARK: The question

  @Test(arguments: [
    (1, "Clear 1 byte of cache?"), (1_250_000_000, "Clear 1.25 GB of cache?"), (999_500, "Clear 1 MB of cache?"),
  ])
  func `the question names the size, and clears nothing`(cache: Int, title: String) throws {
    let rig = StorageRig(usage: .sample { $0.cache = cache })
    let reply = try question(rig)
    #expect(reply.at("result.outcome") == #""needsConfirmation""#)
    #expect(reply.at("result.confirmation.title") == "\"\(title)\"")
    #expect(reply.at("result.confirmation.bytes") == "\(cache)")
    #expect(try rig.shown("revision") == "0")
    #expect(rig.clearer.calls.isEmpty)
  }

  @Test func `a token serves once`() throws {
    let rig = StorageRig()
    _ = try question(rig)
    try rig.call("storage.clearCache", params: #"{"token":"5f2c81d0"}"#)
    #expect(rig.take(1) == [StorageLines.clearEvent(1, StorageLines.clear("working"))])
    rig.clearer.succeed(.giving(.cancelled))
    _ = rig.take(2)
    try rig.call("storage.clearCache", params: #"{"token":"5f2c81d0"}"#)
    let again = rig.received(1)[0]
    #expect(again.at("result.outcome") == #""needsConfirmation""#)
    #expect(again.at("result.confirmation.token") == #""5f2c81d0-1""#)
    #expect(rig.clearer.calls.count == 1)
  }

  @Test(arguments: ["5F2C81D0", "5f2c81d", "5f2c81d0 ", "other"])
  func `a token that nobody gave out asks anew`(token: String) throws {
    let rig = StorageRig()
    _ = try question(rig)
    try rig.call("storage.clearCache", params: #"{"token":"\#(token)"}"#)
    #expect(rig.received(1)[0].at("result.outcome") == #""needsConfirmation""#)
    #expect(rig.clearer.calls.isEmpty)
  }

  @Test(arguments: [(599, true), (600, false), (100_000, false)])
  func `a token stands for ten minutes`(seconds: Int, serves: Bool) throws {
    let rig = StorageRig()
    _ = try question(rig)
    rig.clock.advance(by: .seconds(seconds))
    try rig.call("storage.clearCache", params: #"{"token":"5f2c81d0"}"#)
    #expect(rig.clearer.calls.count == (serves ? 1 : 0))
  }

  @Test(arguments: [
    (1_200_000_000, 1_320_000_000, true), (1_200_000_000, 1_320_000_001, false), (1_200_000_000, 1, true),
    (10, 11, true), (10, 12, false), (1, 2, false), (.max / 11 * 10, .max / 11 * 11, true),
  ])
  func `a token serves while the cache is at most a tenth larger`(asked: Int, now: Int, serves: Bool) throws {
    let rig = StorageRig(usage: StorageUsage(cache: asked))
    _ = try question(rig)
    try rig.set(StorageUsage(cache: now))
    _ = rig.received()
    try rig.call("storage.clearCache", params: #"{"token":"5f2c81d0"}"#)
    #expect(rig.clearer.calls.count == (serves ? 1 : 0))
    // What was confirmed is what the handler hears.
    if serves { #expect(rig.clearer.calls[0].details == [.init("bytes", JSONText(integer: asked))]) }
    if !serves { #expect(rig.received(1)[0].at("result.confirmation.bytes") == "\(now)") }
  }

  @Test func `two questions have a token each`() throws {
    let rig = StorageRig()
    let tokens = try (1...2).map { _ in try question(rig).at("result.confirmation.token") }
    #expect(tokens == [#""5f2c81d0""#, #""5f2c81d0-1""#])
    try rig.call("storage.clearCache", params: #"{"token":"5f2c81d0-1"}"#)
    rig.clearer.fail(ActionFailure(message: "No"))
    _ = rig.take(3)
    try rig.call("storage.clearCache", params: #"{"token":"5f2c81d0"}"#)
    #expect(rig.clearer.calls.count == 2)
  }

  @Test func `of many questions the newest hundred stand`() throws {
    let rig = StorageRig()
    for _ in 0...100 { _ = try question(rig) }
    try rig.call("storage.clearCache", params: #"{"token":"5f2c81d0"}"#)
    #expect(rig.clearer.calls.isEmpty)
    _ = rig.received(1)
    try rig.call("storage.clearCache", params: #"{"token":"5f2c81d0-100"}"#)
    #expect(rig.clearer.calls.count == 1)
  }

  @Test func `tokens are eight digits that differ`() {
    let tokens = (1...100).map { _ in ConfirmationTokens.random() }
    #expect(Set(tokens).count > 90)
    #expect(tokens.allSatisfy { $0.utf8.count == 8 && UInt32($0, radix: 16) != nil && $0 == $0.lowercased() })
  }

  @Test func `what is confirmed beforehand is not asked about`() throws {
    let rig = StorageRig()
    try rig.call("storage.clearCache", params: Self.confirmed)
    #expect(rig.take(1) == [StorageLines.clearEvent(1, StorageLines.clear("working"))])
    let call = try #require(rig.clearer.calls.first)
    #expect(call.action == .onClearCache && call.timeout == 60)
    #expect(call.details == [.init("bytes", JSONText(integer: 1_200_000_000))])
    #expect(call.idempotencyKey.utf8.count == 36)
  }

  @Test func `nobody can answer a notification's question`() throws {
    let rig = StorageRig()
    try rig.call("storage.clearCache", id: nil)
    #expect(rig.take(1) == [#"log: nothing was cleared: pass {"confirmed":true}, or an id to be asked first"#])
    #expect(rig.clearer.calls.isEmpty)
    try rig.call("storage.clearCache", id: nil, params: Self.confirmed)
    #expect(rig.take(1) == [StorageLines.clearEvent(1, StorageLines.clear("working"), id: nil)])
    #expect(rig.clearer.calls.count == 1)
  }
}
