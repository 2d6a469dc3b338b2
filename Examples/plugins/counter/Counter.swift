import Glibc
import RPCShell

/// A plugin for rpcshell in Swift: a number that is shown as state. `counter.get` answers with it, `counter.add` changes
/// it, and `counter.run` counts up, with progress, until it is there or cancelled.
@main
struct CounterMain {
  static func main() {
    let options = SessionOptions(version: "1.0.0") { StandardError.line($0) }
    exit(ShellProcess.serve(options) { [Counter(executor: $0)] }.rawValue)
  }
}

actor Counter: Plugin {
  nonisolated let name = "counter"
  nonisolated let version = "1.0.0"
  nonisolated let hasState = true
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private nonisolated let executor: LoopExecutor
  private var host: PluginHost!
  private var count = 0
  private lazy var feed = StateFeed(plugin: name, initial: snapshot)

  init(executor: LoopExecutor) { self.executor = executor }

  func attach(to host: PluginHost) { self.host = host }
  func environmentChanged(_ environment: Environment) {}
  func settle() {}
  var isSettled: Bool { true }

  // MARK: Methods

  nonisolated func routes() -> [Route] {
    [
      .immediate(.query, self, "counter.get", "the number", result: { .any }) { (counter, _, _) throws(RPCError) in
        counter.feed.text()
      },
      .immediate(
        .change, self, "counter.add", "adds to the number",
        params: { [.optional("by", .integer(-1000...1000), "1 by default")] }, result: { .integer(0...(.max)) }
      ) { (counter, params, context) throws(RPCError) in
        let sum = counter.count + (params["by"]?.integer ?? 1)
        guard sum >= 0 else { throw RPCError.invalidParams("by: the number cannot fall below 0", path: "by") }
        counter.move(to: sum, "add", context)
        return JSONText(integer: sum)
      },
      .action(
        self, "counter.run", "counts up to a number, ten a second",
        params: { [.required("to", .integer(0...1000))] }, result: { .integer(0...(.max)) }
      ) { (counter, params, context) throws(RPCError) in
        let goal = params["to"]?.integer ?? 0
        context.progress.begin(title: "Counting")
        return { () async throws(RPCError) in try await counter.run(to: goal, context) }
      },
    ]
  }

  private func run(to goal: Int, _ context: CallContext) async throws(RPCError) -> JSONText {
    defer { context.progress.end() }
    while count < goal {
      do { try await host.clock.sleep(for: .milliseconds(100)) } catch {
        throw RPCError.stopped(context.stop.reason ?? .cancelled, seconds: nil, data: [])
      }
      move(to: count + 1, "run", context)
      context.progress.report(fraction: Double(count) / Double(goal), message: "\(count) of \(goal)")
    }
    return JSONText(integer: count)
  }

  // MARK: State

  private var snapshot: StateSnapshot {
    let text = JSONText { writer in
      writer.object { section in
        section.member("value", count)
        section.member("text", "\(count)")
      }
    }
    return StateSnapshot(
      sections: [StateSection("counter", text)],
      figures: [StateSnapshot.Figure(target: "counter/value", value: JSONText(integer: count))])
  }

  private func move(to value: Int, _ cause: String, _ context: CallContext) {
    _ = feed.state  // made before the number changes
    count = value
    let transition = StateFeed.Transition(cause: cause, requestID: context.requestID)
    if let event = feed.move(to: snapshot, transition) { host.publish(event) }
  }
}
