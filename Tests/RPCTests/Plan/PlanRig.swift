import AccountModel
import Glibc
import HostAdapters
import PlanPlugin
import Testing

@testable import RPCShell

/// A plan plugin on a loop of its own, driven by the test's thread: calls in, lines out, time by hand.
final class PlanRig {
  /// 2026-10-19T00:00:00Z
  static let today = 1_792_368_000.0

  let clock = ManualClock()
  let plugin: PlanPlugin
  private let executor: LoopExecutor
  private let caller: Caller
  private let record: Record
  private let host: PluginHost
  private let routes: [String: Route]
  private let handlers: [any ActionHandler]
  private var tasks: [Task<Void, Never>] = []

  /// - Parameters:
  ///   - plan: what the store holds at first.
  ///   - handler: of onUpgrade.
  ///   - manage: of onManage.
  ///   - restore: of onRestore.
  ///   - custom: actions that count as bound by the configuration, which gives them a handler.
  ///   - now: the time of day.
  ///   - executor: what the plugin lives on; a store of the test's own needs it, too.
  ///   - store: holds the plan in place of the rig's own.
  init(
    plan: PlanUsage? = .plus, handler: (any ActionHandler)? = nil, manage: (any ActionHandler)? = nil,
    restore: (any ActionHandler)? = nil, custom: Set<HostAction> = [], isSampleAccount: Bool = false,
    environment: Environment = Environment(), now: Double = today, executor: LoopExecutor = LoopExecutor(),
    store: (any PlanStore)? = nil
  ) {
    let record = Record(now: now, plan: plan)
    self.record = record
    self.executor = executor
    caller = Caller(executor: executor, record: record)
    var settings = PlanPlugin.Settings(isSampleAccount: isSampleAccount)
    func binding(_ action: HostAction, _ handler: (any ActionHandler)?, timeout: Double = 60) -> ActionBinding? {
      let isCustom = custom.contains(action)
      let handler = handler ?? (isCustom ? ScriptedHandler() : nil)
      return handler.map { ActionBinding($0, timeout: timeout, isCustom: isCustom) }
    }
    settings.upgrade = binding(.onUpgrade, handler, timeout: 600)
    settings.manage = binding(.onManage, manage)
    settings.restore = binding(.onRestore, restore)
    handlers = [settings.upgrade, settings.manage, settings.restore].compactMap { $0?.handler }
    plugin = PlanPlugin(version: "1.0", executor: executor, settings: settings, store: store ?? record)
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
    while record.state.withLock({ !$0.requests.isEmpty }) { answer(.gone) }
    for handler in handlers { (handler as? ScriptedHandler)?.release() }
    for _ in 1...2 {
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
    switch route.body {
    case .immediate(let answer): record.reply(id, Result { try answer(document.view, context) })
    case .action(let begin):
      do throws(RPCError) {
        let work = try begin(document.view, context)
        task = caller.assumeIsolated { $0.start(work, id) }
      } catch {
        record.reply(id, .failure(error))
      }
    case .eventual(let begin):
      do throws(RPCError) {
        switch try begin(document.view, context) {
        case .now(let text): record.reply(id, .success(text))
        case .later(let work): task = caller.assumeIsolated { $0.start(work, id) }
        }
      } catch {
        record.reply(id, .failure(error))
      }
    }
    run()
    if let task { tasks.append(task) }
    return Call(stop: context.stop, task: task)
  }

  @discardableResult
  func with<Result: Sendable>(_ body: @Sendable (isolated PlanPlugin) -> Result) -> Result {
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
  private func run() { for _ in 0..<50 { executor.runJobs() } }

  func run(until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    let end = ContinuousClock.now + .seconds(20)
    while !condition() {
      guard ContinuousClock.now < end else {
        Issue.record("nothing more happens; so far: \(lines)", sourceLocation: sourceLocation)
        return
      }
      executor.runJobs()
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

  /// How often the store was asked for the plan.
  var plansAsked: Int { record.state.withLock(\.plansAsked) }

  /// The plan that the store holds.
  var keptPlan: PlanUsage? { record.state.withLock(\.plan) }

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

  /// What `plan.get` answers now: `state.upgrade.phase`.
  func shown(_ path: String) throws -> String? {
    try call("plan.get", id: "\"shown\"")
    return record.state.withLock { Received(text: $0.lines.removeLast()) }.at("result." + path)
  }
}

/// What the plugin and its callers said, the time of day they live by, and the plan that is kept.
private final class Record: PlanStore {
  struct State {
    var lines: [String] = []
    /// Requests that the host has not answered, oldest first.
    var requests: [HostRequest] = []
    var now: Double
    var plan: PlanUsage?
    var plansAsked = 0
  }

  let state: Locked<State>

  init(now: Double, plan: PlanUsage?) { state = Locked(State(now: now, plan: plan)) }

  func plan() -> PlanUsage? {
    state.withLock { state in
      state.plansAsked += 1
      return state.plan
    }
  }

  func keep(_ plan: PlanUsage) { state.withLock { $0.plan = plan } }

  func add(_ outgoing: PluginHost.Outgoing) {
    switch outgoing {
    case .event(let event): add(#"{"jsonrpc":"2.0","method":"\#(event.plugin).state","params":\#(event.params)}"#)
    case .notification(let method, let params): add(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"#)
    case .request(let request):
      add(#"{"jsonrpc":"2.0","id":\#(request.id),"method":"\#(request.method)","params":\#(request.params)}"#)
      state.withLock { $0.requests.append(request) }
    case .cancelRequest(let id):
      add(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"#)
    case .log(let text): add("log: " + text)
    }
  }

  /// - Parameter id: without one there is no reply, but a line about what failed.
  func reply(_ id: String?, _ outcome: Result<JSONText, any Error>) {
    guard let id else {
      if case .failure(let error) = outcome { add("log: \((error as? RPCError)?.message ?? "unexpected")") }
      return
    }
    switch outcome {
    case .success(let result): add(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#)
    case .failure(let error as RPCError):
      add(#"{"jsonrpc":"2.0","id":\#(id),"error":\#(JSONText { error.write(to: &$0) })}"#)
    case .failure(let error): add("unexpected: \(error)")
    }
  }

  private func add(_ line: String) { state.withLock { $0.lines.append(line) } }
}

/// Waits for actions as a session does: on the same thread, from the moment of the call.
private actor Caller {
  private let executor: LoopExecutor
  private let record: Record

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(executor: LoopExecutor, record: Record) {
    self.executor = executor
    self.record = record
  }

  func start(_ work: @escaping Route.ActionWork, _ id: String?) -> Task<Void, Never> {
    // The preference keeps what resumes it off the pool, whose few threads the tests themselves occupy.
    Task(executorPreference: executor) { await self.run(work, id) }
  }

  private func run(_ work: Route.ActionWork, _ id: String?) async {
    do { record.reply(id, .success(try await work())) } catch { record.reply(id, .failure(error)) }
  }
}

extension PlanUsage {
  /// Plus as of 2026-10-19.
  static let plus = PlanUsage.sample(renewing: DateValue("2026-11-02")!)
  static let top = PlanUsage.studio(renewing: DateValue("2026-11-02")!)
}
