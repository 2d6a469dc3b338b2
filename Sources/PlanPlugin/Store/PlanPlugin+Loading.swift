import AccountModel
import RPCShell

/// How the account is read: once for all who wait for it, and again when another session changed it.
extension PlanPlugin {
  /// What a call does on the spot once the account is there.
  typealias Beginning = @Sendable (isolated PlanPlugin) throws(RPCError) -> Route.Reply

  /// Why the account could not be read.
  var storeFailure: StoreFailure? { storeState.failure }

  /// Begins a call now where the account is there, else, in the order of the calls, once it is there or cannot be read.
  /// - Parameter name: the method's last part.
  func whenLoaded(
    _ name: String, _ context: CallContext, _ begin: @escaping Beginning
  ) throws(RPCError) -> Route.Reply {
    if !storeState.isRead && !storeState.isLoading { load() }
    guard storeState.isLoading && !storeState.isRead else {
      prepare()
      return try begin(self)
    }
    lastNumber += 1
    storeState.waiting.append(WaitingCall(number: lastNumber, name: name, stop: context.stop, begin: begin))
    return .later { [number = lastNumber] () async throws(RPCError) in
      try await self.turn(number, context.stop).get().get()
    }
  }

  /// Waits until a call has begun. Cancelled before that, it never does.
  private func turn(_ number: Int, _ stop: StopSignal) async -> Result<Route.Reply, RPCError> {
    if let at = storeState.begun.firstIndex(where: { $0.number == number }) {
      return storeState.begun.remove(at: at).reply
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { caller in
        let at = storeState.waiting.firstIndex { $0.number == number }!
        storeState.waiting[at].caller = caller
      }
    } onCancel: {
      Task(executorPreference: executor) { await self.leave(number, stop.reason ?? .cancelled) }
    }
  }

  private func leave(_ number: Int, _ reason: StopReason) {
    guard let at = storeState.waiting.firstIndex(where: { $0.number == number }) else { return }
    let call = storeState.waiting.remove(at: at)
    call.caller?.resume(returning: .failure(call.stopped(reason)))
  }

  // MARK: Reading

  private func load() {
    writeOn()
    let generation = storeState.generation
    switch store.load() {
    case .now(let result): loaded(result, generation)
    case .later(let work):
      storeState.isLoading = true
      Task(executorPreference: executor) {
        let result = await work()
        await self.loaded(result, generation)
      }
    }
  }

  /// - Parameter generation: of the moment at which the store was asked.
  private func loaded(_ result: Result<AccountRecord, StoreFailure>, _ generation: Int) {
    storeState.isLoading = false
    watchStore()
    // What was read while something was done here may undo it.
    if storeState.isRead && (generation != storeState.generation || !runs.isEmpty) {
      storeState.isReloadDue = true
    } else {
      apply(result)
    }
    let calls = storeState.waiting
    storeState.waiting = []
    for call in calls { begin(call) }
    reloadIfDue()
  }

  private func begin(_ call: WaitingCall) {
    prepare()
    let reply: Result<Route.Reply, RPCError>
    do throws(RPCError) {
      if let reason = call.stop.reason { throw call.stopped(reason) }
      reply = .success(try call.begin(self))
    } catch { reply = .failure(error) }
    if let caller = call.caller {
      caller.resume(returning: reply)
    } else {
      storeState.begun.append((call.number, reply))
    }
  }

  private func apply(_ result: Result<AccountRecord, StoreFailure>) {
    switch result {
    case .success(let record):
      storeState.reading = .done
      state.isStale = false
      // One that could not be kept is newer.
      if !storeState.unwritten.contains(where: \.hasPlan) { show(record) }
      for action in PlanAction.allCases where run(of: action) == nil {
        takeOpen(action, of: record)
        takePending(action, of: record)
      }
      lookAgainWhereOthersWork(record)
    case .failure(let failure):
      apply(failure)
    }
    publishAccount()
  }

  /// What is shown from now on is the last good copy.
  private func apply(_ failure: StoreFailure) {
    let last = storeFailure
    storeState.reading = .failed(failure)
    if state.plan == nil, let copy = failure.lastGood {
      show(copy)
      state.isStale = true
    } else if last == nil {
      state.isStale = state.plan != nil
    }
    if state.isStale { report(failure, after: last) }
  }

  /// What an earlier session or another one left open. It is told once.
  private func takeOpen(_ action: PlanAction, of record: AccountRecord) {
    let known = storeState[open: action]
    let found = record.openAttempt(at: action.hostAction, now: host.now())
    if let found, storeState.isUnwritten(found.intent.key) { return }
    storeState[open: action] = found
    let interruption = ActionPhase.failed(action.interruptedText)
    guard let found, found.isInterrupted else {
      if state[action] == interruption { state.dismiss(action) }
      return
    }
    let isNews = known?.isInterrupted != true || known?.intent.key.isExactly(found.intent.key) != true
    guard isNews, state[action] == .idle, let plan = state.plan else { return }
    if found.intent.digest.isExactly(action.digest(of: plan)) { state[action] = interruption }
  }

  /// What waits for somebody's approval does so in later sessions, too, as long as the same is offered.
  private func takePending(_ action: PlanAction, of record: AccountRecord) {
    guard let newest = record.newest(action.hostAction), newest.outcome == .pending, let plan = state.plan,
      newest.intent.digest.isExactly(action.digest(of: plan))
    else {
      storeState.pending[action.hostAction] = nil
      return
    }
    guard !storeState.isUnwritten(newest.intent.key) else { return }
    storeState.pending[action.hostAction] = newest.intent.key
    if state[action] == .idle { state[action] = .pending }
  }

  // MARK: Other sessions

  private func watchStore() {
    guard !storeState.isWatched else { return }
    storeState.isWatched = true
    store.watch { [weak self] in self?.assumeIsolated { $0.storeChanged() } }
  }

  /// Nobody tells of a session that is killed: while one is at work, it is looked for each second.
  private func lookAgainWhereOthersWork(_ record: AccountRecord) {
    let others = record.newest.filter { entry in
      entry.outcome == nil && !entry.isInterrupted && !storeState.isUnwritten(entry.intent.key)
    }
    guard !others.isEmpty, storeState.secondLook == nil, !isSettling else { return }
    storeState.secondLook = Task(executorPreference: executor) { [weak self, clock = host.clock] in
      guard (try? await clock.sleep(for: .seconds(1))) != nil else { return }
      await self?.lookAgain()
    }
  }

  private func lookAgain() {
    storeState.secondLook = nil
    storeChanged()
  }

  private func storeChanged() {
    storeState.isReloadDue = true
    reloadIfDue()
  }

  /// Reads the store again where that is due, but not while something is done here.
  func reloadIfDue() {
    guard storeState.isReloadDue, !storeState.isLoading, runs.isEmpty, !isSettling else { return }
    storeState.isReloadDue = false
    load()
  }
}
