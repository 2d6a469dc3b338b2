import Glibc
import HostAdapters
import Testing

@testable import RPCShell

/// A plugin on a loop of its own, driven by the test's thread: calls in, lines out, time by hand.
class PluginRig<P: Plugin> {
  let clock: ManualClock
  let plugin: P
  private let executor: LoopExecutor
  private let caller: Caller
  private let record: RigRecord
  private let host: PluginHost
  private let routes: [String: Route]
  private let release: () -> Void
  private var tasks: [Task<Void, Never>] = []
  private var descriptors = PollSet()

  /// - Parameters:
  ///   - executor: the plugin's.
  ///   - now: the time of day.
  ///   - release: lets go whom the test left waiting.
  init(
    _ plugin: P, executor: LoopExecutor, environment: Environment, now: Double, release: @escaping () -> Void
  ) {
    ignoreBrokenPipes
    let record = RigRecord(now: now)
    self.record = record
    self.plugin = plugin
    self.executor = executor
    self.release = release
    clock = ManualClock()
    caller = Caller(executor: executor, record: record)
    routes = Dictionary(uniqueKeysWithValues: plugin.routes().map { ($0.name, $0) })
    host = PluginHost(
      executor: executor, clock: clock, now: { record.state.withLock(\.now) }, hostHandler: HostHandler(),
      send: record.add)
    executor.bind()
    plugin.assumeIsolated { [host] plugin in
      plugin.attach(to: host)
      plugin.environmentChanged(environment)
    }
  }

  /// What a test left waiting is let go, so that it does not keep itself alive.
  deinit {
    executor.bind()
    for task in tasks { task.cancel() }
    executor.watches.endAll()
    while record.state.withLock({ !$0.requests.isEmpty }) { answer(.gone) }
    plugin.assumeIsolated { $0.settle() }
    // What one lets go may ask for the next.
    for _ in 1...3 {
      release()
      run()
      clock.release()
    }
    run()
  }

  // MARK: Calls

  /// A call that was made, to cancel it by.
  struct Call {
    let stop: StopSignal
    let task: Task<Void, Never>?

    func stop(_ reason: StopReason) {
      stop.set(reason)
      task?.cancel()
    }
  }

  /// Makes a call and runs what can run. Its reply is among ``lines`` once it is there.
  /// - Parameter id: nil makes it a notification.
  @discardableResult
  func call(_ method: String, id: String? = "1", params: String = "{}", token: String? = nil) throws -> Call {
    defer { run() }
    return try begin(method, id: id, params: params, token: token)
  }

  /// Makes a call, and runs nothing yet: as if the next message had come with it.
  @discardableResult
  func begin(_ method: String, id: String? = "1", params: String = "{}", token: String? = nil) throws -> Call {
    let route = try #require(routes[method])
    let document = try JSONDocument(parsing: JSONText(trusted: Array(params.utf8)))
    let progress = ProgressReporter(token: token.map { JSONText(trusted: Array($0.utf8)) }, host: host)
    let context = CallContext(
      requestID: id.map { RequestID(Array($0.utf8)) }, progress: progress, stop: StopSignal())
    do throws(SchemaViolation) { try Schema.object(route.params()).validate(document.view) } catch {
      record.reply(id, .failure(RPCError.invalidParams(error.text, path: error.path)))
      return Call(stop: context.stop, task: nil)
    }
    var task: Task<Void, Never>?
    do throws(RPCError) {
      switch route.body {
      case .immediate(let answer): record.reply(id, .success(try answer(document.view, context)))
      case .action(let begin): task = start(try begin(document.view, context), id)
      case .eventual(let begin):
        switch try begin(document.view, context) {
        case .now(let text): record.reply(id, .success(text))
        case .later(let work): task = start(work, id)
        }
      }
    } catch {
      record.reply(id, .failure(error))
    }
    return Call(stop: context.stop, task: task)
  }

  private func start(_ work: @escaping Route.ActionWork, _ id: String?) -> Task<Void, Never> {
    let task = caller.assumeIsolated { $0.start(work, id) }
    tasks.append(task)
    return task
  }

  @discardableResult
  func with<Result: Sendable>(_ body: @Sendable (isolated P) -> Result) -> Result {
    defer { run() }
    return plugin.assumeIsolated(body)
  }

  /// The host's answer to the last request to it.
  func answer(_ answer: HostAnswer) {
    record.state.withLock { $0.requests.popLast() }?.answer(answer)
    run()
  }

  /// The host's answer with a result.
  func answer(_ result: String) { answer(.result(JSONText(trusted: Array(result.utf8)))) }

  /// A report of the host's on the last request to it.
  func report(_ report: ActionProgress) {
    record.state.withLock(\.requests).last?.report(report)
    run()
  }

  // MARK: Time

  /// Runs what is ready.
  func run() { for _ in 0..<50 { executor.runJobs() } }

  func run(until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    let end = ContinuousClock.now + .seconds(20)
    while !condition() {
      guard ContinuousClock.now < end else {
        Issue.record("nothing more happens; so far: \(lines)", sourceLocation: sourceLocation)
        return
      }
      executor.runJobs()
      executor.wait(for: &descriptors, isBusy: true)
      sched_yield()
    }
  }

  /// Waits for somebody to sleep this long, and moves the clock so far.
  /// - Parameter isQuiet: nothing is to come out.
  func pass(_ duration: Duration, isQuiet: Bool = false, sourceLocation: SourceLocation = #_sourceLocation) {
    let count = lines.count
    run(until: { clock.sleeping.contains(duration) }, sourceLocation: sourceLocation)
    clock.advance(by: duration)
    if isQuiet { run() } else { run(until: { lines.count > count }, sourceLocation: sourceLocation) }
  }

  /// How long who waits will wait, but for the watch for a new day.
  var sleeping: [Duration] { clock.sleeping.filter { $0 <= .seconds(600) } }

  func setTime(_ now: Double) { record.state.withLock { $0.now = now } }

  /// Moves the time of day up to a moment, and the clock with it.
  func passTime(to moment: Double) {
    let step = moment - record.state.withLock(\.now)
    setTime(moment)
    clock.advance(by: .seconds(step))
    run()
  }

  // MARK: What came out

  /// In order: frames as they are written, logs after `log: `.
  var lines: [String] { record.state.withLock(\.lines) }

  /// Takes what came out since the last time. Where less came, the rest is empty, so that a test may look at each.
  func take(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) -> [String] {
    run(until: { lines.count >= count }, sourceLocation: sourceLocation)
    return record.state.withLock { state in
      defer { state.lines = [] }
      return state.lines + Array(repeating: "", count: max(0, count - state.lines.count))
    }
  }

  /// Takes what came out since the last time, to look into.
  func received(_ count: Int = 0, sourceLocation: SourceLocation = #_sourceLocation) -> [Received] {
    take(count, sourceLocation: sourceLocation).map { Received(text: $0) }
  }

  /// What `<name>.get` answers now: `state.upgrade.phase`.
  func shown(_ path: String) throws -> String? {
    try call("\(plugin.name).get", id: "\"shown\"")
    return record.state.withLock { Received(text: $0.lines.removeLast()) }.at("result." + path)
  }
}

/// What a plugin and its callers said, and the time of day they live by.
private final class RigRecord: Sendable {
  struct State {
    var lines: [String] = []
    /// Requests that the host has not answered, oldest first.
    var requests: [HostRequest] = []
    var now: Double
  }

  let state: Locked<State>

  init(now: Double) { state = Locked(State(now: now)) }

  func add(_ outgoing: PluginHost.Outgoing) {
    switch outgoing {
    case .event(let event): add(#"{"jsonrpc":"2.0","method":"\#(event.plugin).state","params":\#(event.params)}"#)
    case .notification(let method, let params): add(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"#)
    case .request(let request):
      add(#"{"jsonrpc":"2.0","id":\#(request.id),"method":"\#(request.method)","params":\#(request.params)}"#)
      state.withLock { $0.requests.append(request) }
    case .cancelRequest(let id, of: _):
      add(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"#)
    case .answer: break
    case .log(let text): add("log: " + text)
    }
  }

  /// - Parameter id: without one there is no reply, but a line about what failed.
  func reply(_ id: String?, _ outcome: Result<JSONText, RPCError>) {
    guard let id else {
      if case .failure(let error) = outcome { add("log: \(error.message)") }
      return
    }
    switch outcome {
    case .success(let result): add(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#)
    case .failure(let error): add(#"{"jsonrpc":"2.0","id":\#(id),"error":\#(JSONText { error.write(to: &$0) })}"#)
    }
  }

  private func add(_ line: String) { state.withLock { $0.lines.append(line) } }
}

/// Waits for actions as a session does: on the same thread, from the moment of the call.
private actor Caller {
  private let executor: LoopExecutor
  private let record: RigRecord

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(executor: LoopExecutor, record: RigRecord) {
    self.executor = executor
    self.record = record
  }

  func start(_ work: @escaping Route.ActionWork, _ id: String?) -> Task<Void, Never> {
    // The preference keeps what resumes it off the pool, whose few threads the tests themselves occupy.
    Task(executorPreference: executor) { await self.run(work, id) }
  }

  private func run(_ work: Route.ActionWork, _ id: String?) async {
    do throws(RPCError) { record.reply(id, .success(try await work())) } catch { record.reply(id, .failure(error)) }
  }
}
