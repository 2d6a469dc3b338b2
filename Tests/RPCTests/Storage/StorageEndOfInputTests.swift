import AccountModel
import RPCShell
import StoragePlugin
import Testing

/// Does at once what it is asked for.
private struct ReadyHandler: ActionHandler {
  let adapter = "exec"

  func run(
    _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult {
    var result = ActionResult()
    if call.action == .onClearCache { result.usage = StorageUsage.cleared.jsonText }
    return result
  }
}

/// Finds the sample at once.
private struct ReadyBackend: StorageBackend {
  let isWatching = false

  func measure(progress: @escaping @Sendable (ActionProgress) -> Void) async throws -> StorageMeasure {
    StorageMeasure(usage: .sample, totals: .sample)
  }
  func update(after download: String?) async throws -> StorageUpdate { .parts(StorageChanges(totals: .sample)) }
  func waitForChange() async throws {}
  func preview(_ target: RemovalTarget) async throws -> RemovalPreview { RemovalPreview(bytes: 1, entries: []) }
}

/// Keeps nothing.
private struct ForgetfulOptions: StorageOptionsStore {
  func options() -> StorageOptions { StorageOptions() }
  func keep(_ options: StorageOptions) {}
}

/// The storage block in a session whose input is piped in at once.
@Suite(.timeLimit(.usualMinutes(1)))
struct StorageEndOfInputTests {
  private func converse(_ lines: String...) async throws -> Transcript {
    let host = TestHost(more: { executor in
      var settings = StoragePlugin.Settings()
      settings.clearCache = ActionBinding(ReadyHandler(), timeout: 60)
      settings.remove = ActionBinding(ReadyHandler(), timeout: 60)
      let plugin = StoragePlugin(
        version: "1.0", executor: executor, settings: settings, backend: ReadyBackend(), options: ForgetfulOptions(),
        free: { nil })
      return [plugin]
    })
    host.output.start()
    try await host.send(lines.map { $0 + "\n" }.joined())
    return try await host.finish()
  }

  @Test func `everything that came is done before the end, and the checkmark is settled`() async throws {
    let transcript = try await converse(
      #"{"jsonrpc":"2.0","id":1,"method":"storage.get"}"#,
      #"{"jsonrpc":"2.0","id":2,"method":"storage.clearCache","params":{"confirmed":true}}"#)
    #expect(transcript.replies.compactMap(\.id) == ["1", "2"])
    #expect(transcript.replies[0].at("result.revision") == "0")
    #expect(transcript.replies[1].at("result.outcome") == #""completed""#)
    let phases = transcript.frames.compactMap { $0.at("params.state.clear.phase") }
    #expect(phases == [#""working""#, #""done""#, #""idle""#])
    #expect(transcript.frames.last?.at("params.state.clear.label") == #""Cache is empty""#)
    #expect(transcript.status == .success)
    #expect(transcript.log == [])
  }

  @Test func `a removal tells its outcome before its reply`() async throws {
    let transcript = try await converse(
      #"{"jsonrpc":"2.0","id":1,"method":"storage.remove","params":{"id":"d1"}}"#)
    #expect(transcript.frames.count >= 2)
    #expect(transcript.frames.last?.text == StorageLines.reply(#"{"outcome":"completed"}"#))
    #expect(transcript.frames.dropLast().last?.at("params.announcement.text") == #""Removed Episode 12""#)
  }

  @Test func `an unconfirmed clear without an id is one line, and the status 1`() async throws {
    let transcript = try await converse(
      #"{"jsonrpc":"2.0","id":1,"method":"storage.get"}"#, #"{"jsonrpc":"2.0","method":"storage.clearCache"}"#)
    #expect(transcript.replies.compactMap(\.id) == ["1"])
    #expect(transcript.log.count == 1)
    #expect(transcript.log.first?.contains("nothing was cleared") == true)
    #expect(transcript.status == .failure)
  }

  @Test func `a question in a script is no failure`() async throws {
    let transcript = try await converse(#"{"jsonrpc":"2.0","id":1,"method":"storage.clearCache"}"#)
    #expect(transcript.replies[0].at("result.outcome") == #""needsConfirmation""#)
    #expect(transcript.status == .success)
  }

  @Test func `asking without an id is useless, and said so`() async throws {
    let transcript = try await converse(#"{"jsonrpc":"2.0","method":"storage.get"}"#)
    #expect(transcript.frames.isEmpty)
    #expect(transcript.log.count == 1)
    #expect(transcript.status == .success)
  }
}
