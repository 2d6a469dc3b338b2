import AccountModel
import FoundationEssentials
import RPCShell

/// What is written: intents before handlers run, ends before replies, plans when they come; and what the journal says.
extension PlanPlugin {
  // MARK: Intents

  /// What is about to be done. Who tries the same again, and names no key, means the attempt that came to no known end.
  func intent(of action: PlanAction, _ key: String?, _ plan: PlanUsage) -> (Intent, IntentBasis) {
    let digest = action.digest(of: plan)
    let now = host.now()
    let open = storeState[open: action].flatMap { $0.isFresh(now) && $0.intent.digest.isExactly(digest) ? $0 : nil }
    let known = key ?? open?.intent.key
    let intent = Intent(
      key: known ?? UUID().uuidString.lowercased(), action: action.hostAction, digest: digest, time: now)
    return (intent, IntentBasis(plan: action == .upgrade ? plan : nil, isKeyNew: known == nil))
  }

  /// Begins a run in the journal, behind the ends that could not be written so far.
  func writeDown(_ run: ActionRun) -> Eventual<Result<IntentStart, StoreFailure>> {
    writeOn()
    return beginBehindEnds(run.intent, on: run.basis)
  }

  private func beginBehindEnds(
    _ intent: Intent, on basis: IntentBasis
  ) -> Eventual<Result<IntentStart, StoreFailure>> {
    guard storeState.unwritten.contains(where: { $0.key != nil }) else { return store.begin(intent, on: basis) }
    guard let writing = storeState.writing else { return .now(.failure(storeState.writeFailure!)) }
    return .later {
      await writing.value
      return await self.beginBehindEnds(intent, on: basis).get()
    }
  }

  /// A person who began something else does not come back to what was interrupted.
  func giveUpOther(than run: ActionRun) {
    guard let open = storeState[open: run.action], open.isInterrupted, !open.intent.key.isExactly(run.intent.key) else {
      return
    }
    giveUp(run.action)
  }

  /// Whoever tries again means something new.
  func giveUp(_ action: PlanAction) {
    guard let open = storeState[open: action] else { return }
    storeState[open: action] = nil
    write(.end(open.intent.key, IntentOutcome(.cancelled, time: host.now())))
  }

  /// What waits for approval is not waited for any more: the next session need not say so, either.
  func giveUpPending(_ action: PlanAction) {
    guard state[action] == .pending, let key = storeState.pending.removeValue(forKey: action.hostAction) else { return }
    write(.end(key, IntentOutcome(.cancelled, time: host.now())))
  }

  /// Writes down how a run ended, and waits until that is on disk or cannot be.
  func writeDown(_ outcome: ActionOutcome, _ end: HandlerEnd, of run: ActionRun) async {
    // Cut off with the session, it may have been done: without an end the next session says so.
    if case .stopped(.drained) = end { return }
    let now = host.now()
    switch outcome.answer {
    case .outcome(let name, let members):
      storeState[open: run.action] = nil
      storeState.pending[run.intent.action] = name == .pending ? run.intent.key : nil
      let plan = outcome.plan.flatMap { state.shows($0) ? nil : $0 }
      write(.end(run.intent.key, IntentOutcome(name, members: members, plan: plan, time: now)))
    case .error:
      storeState[open: run.action] = OpenAttempt(run.intent, isInterrupted: false)
      write(.end(run.intent.key, IntentOutcome(.failed, time: now)))
    }
    while let writing = storeState.writing, storeState.isUnwritten(run.intent.key) { await writing.value }
  }

  // MARK: Writing

  /// Has something written, behind what waits already.
  func write(_ write: StoreWrite) {
    storeState.generation += 1
    if write.hasPlan {
      // An older plan need not be kept any more, unless it is on its way.
      let sent = storeState.writing == nil ? 0 : 1
      let waiting = storeState.unwritten.dropFirst(sent).filter { $0.key != nil }
      storeState.unwritten = Array(storeState.unwritten.prefix(sent)) + waiting
    }
    storeState.unwritten.append(write)
    writeOn()
  }

  /// Writes what waits, as far as the store can.
  func writeOn() {
    while storeState.writing == nil, let next = storeState.unwritten.first {
      let writing =
        switch next {
        case .end(let key, let outcome): store.end(key, outcome)
        case .keep(let plan, let asOf): store.keep(plan, asOf: asOf)
        }
      switch writing {
      case .now(let result): guard note(result) else { return }
      case .later(let work):
        storeState.writing = Task(executorPreference: executor) {
          let result = await work()
          await self.written(result)
        }
      }
    }
  }

  private func written(_ result: Result<Void, StoreFailure>) {
    storeState.writing = nil
    if note(result) { writeOn() }
  }

  /// - Returns: whether the first that waited was written.
  private func note(_ result: Result<Void, StoreFailure>) -> Bool {
    switch result {
    case .success:
      storeState.unwritten.removeFirst()
      storeState.writeFailure = nil
      return true
    case .failure(let failure):
      report(failure, after: storeState.writeFailure)
      storeState.writeFailure = failure
      return false
    }
  }

  /// Says on stderr what is wrong with the store, once.
  /// - Parameter last: what was wrong before.
  func report(_ failure: StoreFailure, after last: StoreFailure?) {
    if failure.message != last?.message { host.log("plan: \(failure.message.plainLine)") }
  }

  // MARK: Reading the journal

  /// How an action was answered that is done, whatever is offered now.
  /// - Throws: the refusal, where the journal knows of no such action.
  func recorded(_ key: String, _ action: PlanAction, orElse refusal: RPCError) throws(RPCError) -> Route.Reply {
    try goOn(with: store.find(key)) { (plugin, found) throws(RPCError) in
      guard let entry = try? found.get(), entry.intent.action == action.hostAction, let outcome = entry.outcome,
        outcome.isDone
      else { throw refusal }
      return .now(plugin.result(outcome, [], of: action))
    }
  }

  /// `plan.history`: the newest actions.
  func history(limit: Int) throws(RPCError) -> Route.Reply {
    if let storeFailure { throw storeFailure.error() }
    return try goOn(with: store.history(limit: limit)) { (_, journal) throws(RPCError) in
      switch journal {
      case .success(let entries): .now(Self.text(of: entries))
      case .failure(let failure): throw failure.error()
      }
    }
  }

  private static func text(of entries: [JournalEntry]) -> JSONText {
    JSONText { writer in
      writer.object { result in
        result.key("entries")
        result.array { list in
          for entry in entries {
            list.object { members in
              members.member("time", DateValue(at: entry.intent.time).text)
              members.member("action", PlanAction(entry.intent.action)?.rawValue ?? entry.intent.action.rawValue)
              members.member("idempotencyKey", entry.intent.key)
              members.member(
                "outcome", entry.outcome?.rawValue ?? (entry.isInterrupted ? "interrupted" : "running"))
            }
          }
        }
      }
    }
  }

  /// Goes on with what the store says: on the spot where that is there.
  func goOn<Value: Sendable>(
    with eventual: Eventual<Value>,
    _ next: @escaping @Sendable (isolated PlanPlugin, Value) throws(RPCError) -> Route.Reply
  ) throws(RPCError) -> Route.Reply {
    switch eventual {
    case .now(let value): return try next(self, value)
    case .later(let work):
      return .later { () async throws(RPCError) in
        // In a task of its own: what comes of it has to be known, whether or not the call is told to stop.
        let value = await Task(executorPreference: self.executor) { await work() }.value
        return try await next(self, value).get()
      }
    }
  }
}
