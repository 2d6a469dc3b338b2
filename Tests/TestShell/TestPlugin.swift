import Glibc
import RPCShell

/// Methods that only tests need: those of the JSON-RPC specification's examples, gates, slow actions, large results.
actor TestPlugin: Plugin {
  nonisolated let name = "test"
  nonisolated let version = "0"
  nonisolated let hasState = false
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private nonisolated let executor: LoopExecutor
  private var host: PluginHost!
  private var gates: [String: [CheckedContinuation<Void, Never>]] = [:]
  private var openGates: Set<String> = []

  init(executor: LoopExecutor) { self.executor = executor }

  func attach(to host: PluginHost) { self.host = host }
  func environmentChanged(_ environment: Environment) {}
  func settle() {}
  var isSettled: Bool { true }

  nonisolated func routes() -> [Route] { specificationRoutes() + actionRoutes() + [askRoute] + outputRoutes() }

  // MARK: The specification's examples (JSON-RPC 2.0, section 7)

  private nonisolated func specificationRoutes() -> [Route] {
    let number: @Sendable () -> Schema = { .number(nil) }
    return [
      .immediate(
        .query, self, "subtract", "minuend - subtrahend",
        params: { [.required("minuend", .number), .required("subtrahend", .number)] }, result: number,
        positional: ["minuend", "subtrahend"]
      ) { (_, params, _) throws(RPCError) in
        JSONText(shortest: (params["minuend"]?.number ?? 0) - (params["subtrahend"]?.number ?? 0))
      },
      .immediate(
        .query, self, "sum", "the sum of three numbers", params: { Self.letters(.number) }, result: number,
        positional: ["a", "b", "c"]
      ) { (_, params, _) throws(RPCError) in
        JSONText(shortest: ["a", "b", "c"].reduce(0) { $0 + (params[$1]?.number ?? 0) })
      },
      .immediate(.query, self, "get_data", "a word and a number", result: { .array(.any) }) {
        (_, _, _) throws(RPCError) in
        JSONText { writer in
          writer.array { list in
            list.string("hello")
            list.integer(5)
          }
        }
      },
      notification("update", ["a", "b", "c", "d", "e"]),
      notification("notify_sum", ["a", "b", "c"]),
      notification("notify_hello", ["a"]),
    ]
  }

  private nonisolated func notification(_ name: String, _ positional: [StaticString]) -> Route {
    .immediate(
      .change, self, name, "does nothing", params: { positional.map { .optional($0, .any) } },
      result: { .nullable(.any) }, positional: positional.map { "\($0)" }
    ) { (_, _, _) throws(RPCError) in .null }
  }

  private static func letters(_ schema: Schema) -> [Schema.Property] {
    ["a", "b", "c"].map { .optional($0, schema) }
  }

  // MARK: Actions

  private nonisolated func actionRoutes() -> [Route] {
    [
      .action(
        self, "test.slow", "answers after a while",
        params: { Self.slowness }, result: { .boolean }
      ) { (plugin, params, context) throws(RPCError) in
        let seconds = params["seconds"]?.number ?? 0
        context.progress.begin(title: "Slow")
        if let line = params["say"]?.string { plugin.host.log(line) }
        return { [host = plugin.host!] () async throws(RPCError) in
          defer { context.progress.end() }
          do { try await host.clock.sleep(for: .seconds(seconds)) } catch { throw Self.stopped(context) }
          return JSONText { $0.bool(true) }
        }
      },
      .action(
        self, "test.stubborn", "answers after a while, and takes no notice of a cancel",
        params: { Self.slowness }, result: { .boolean }
      ) { (plugin, params, _) throws(RPCError) in
        let seconds = params["seconds"]?.number ?? 0
        if let line = params["say"]?.string { plugin.host.log(line) }
        return { [host = plugin.host!] () async throws(RPCError) in
          await Task(executorPreference: host.executor) { try? await host.clock.sleep(for: .seconds(seconds)) }.value
          return JSONText { $0.bool(true) }
        }
      },
      .action(
        self, "test.wait", "answers when the gate is opened", params: { [.required("gate", .string)] },
        result: { .string }
      ) { (plugin, params, _) throws(RPCError) in
        let gate = params["gate"]?.string ?? ""
        return { () async throws(RPCError) in
          await plugin.wait(at: gate)
          return .string(gate)
        }
      },
      .eventual(
        .query, self, "test.look", "the same for a query", params: { [.required("gate", .string)] },
        result: { .string }
      ) { (plugin, params, _) throws(RPCError) in
        let gate = params["gate"]?.string ?? ""
        return .later { () async throws(RPCError) in
          await plugin.wait(at: gate)
          return .string(gate)
        }
      },
      .immediate(
        .change, self, "test.unblock", "opens a gate for those who wait and those who come",
        params: { [.required("gate", .string)] }, result: { .boolean }
      ) { (plugin, params, _) throws(RPCError) in
        plugin.open(params["gate"]?.string ?? "")
        return JSONText { $0.bool(true) }
      },
      .action(
        self, "test.fail", "fails with a text", params: { [.required("message", .string)] }, result: { .any }
      ) { (_, params, _) throws(RPCError) in
        throw RPCError(.actionFailed, params["message"]?.string ?? "", data: [.init("action", .string("fail"))])
      },
    ]
  }

  private static var slowness: [Schema.Property] {
    [.required("seconds", .number), .optional("say", .string, "a line on stderr when it begins")]
  }

  private nonisolated var askRoute: Route {
    .action(
      self, "test.ask", "asks the host the same, and answers with its answer",
      params: { [.required("question", .any)] },
      result: { .any }
    ) { (plugin, params, context) throws(RPCError) in
      let question = JSONText { writer in
        writer.object { $0.member("question", params["question"]?.text) }
      }
      context.progress.begin(title: "Ask")
      return { [host = plugin.host!] () async throws(RPCError) in
        let answer = await host.request("host.test", question, token: context.progress.token) { report in
          context.progress.report(fraction: report.fraction, message: report.message)
        }
        context.progress.end()
        switch answer {
        case .result(let result): return result
        case .error(let code, let message): throw RPCError(.actionFailed, "\(code) \(message)")
        case .gone: throw RPCError(.handlerGone, "the host has gone")
        }
      }
    }
  }

  private static func stopped(_ context: CallContext) -> RPCError {
    .stopped(context.stop.reason ?? .cancelled, seconds: nil, data: [.init("action", .string("slow"))])
  }

  private func wait(at gate: String) async {
    if openGates.contains(gate) { return }
    await withCheckedContinuation { gates[gate, default: []].append($0) }
  }

  private func open(_ gate: String) {
    openGates.insert(gate)
    for waiting in gates.removeValue(forKey: gate) ?? [] { waiting.resume() }
  }

  /// Lets everybody go who waits at a gate.
  func openAll() {
    for gate in gates.keys { open(gate) }
  }

  // MARK: Output

  private nonisolated func outputRoutes() -> [Route] {
    [
      .immediate(
        .query, self, "test.large", "a string of so many bytes",
        params: { [.required("bytes", .integer(0...1 << 30))] },
        result: { .string }
      ) { (_, params, _) throws(RPCError) in
        .string(String(repeating: "x", count: params["bytes"]?.integer ?? 0))
      },
      .immediate(
        .change, self, "test.print", "prints to the process's stdout, as a careless handler would",
        params: { [.required("text", .string)] }, result: { .boolean }
      ) { (_, params, _) throws(RPCError) in
        print(params["text"]?.string ?? "")
        fflush(nil)
        return JSONText { $0.bool(true) }
      },
      .immediate(
        .change, self, "test.event", "publishes a state event with one section",
        params: { [.required("revision", .integer(0...Int.max)), .required("section", .string)] },
        result: { .boolean }
      ) { (plugin, params, context) throws(RPCError) in
        plugin.host.publish(
          StateEvent(
            plugin: "test", revision: params["revision"]?.integer ?? 0, cause: "event",
            requestID: context.requestID?.text, from: StateSnapshot(sections: []),
            to: StateSnapshot(sections: [StateSection("section", .string(params["section"]?.string ?? ""))])))
        return JSONText { $0.bool(true) }
      },
    ]
  }
}
