import AccountModel
import RPCShell

/// Measures: one at a time, for all who wait for it.
extension StoragePlugin {
  /// A measure that runs, and the calls that wait for it.
  struct Measuring {
    let task: Task<Void, Never>
    var waiting: [Waiter] = []
    /// The request that started it, while that waits.
    var starter: (ticket: Int, id: RequestID?)?
    /// The plugin itself needs it, whoever stops waiting.
    var isNeeded = false
  }

  struct Waiter {
    let ticket: Int
    let progress: ProgressReporter
    let call: CheckedContinuation<Result<Void, RPCError>, Never>
  }

  /// Waits for figures that are newer than this call.
  func measure(_ context: CallContext) async throws(RPCError) {
    if let reason = context.stop.reason { throw .stopped(reason, seconds: nil, data: Self.errorData) }
    lastNumber += 1
    let ticket = lastNumber
    if measuring == nil { startMeasure(ticket, context) }
    context.progress.begin(title: "Measure storage")
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { call in
        measuring!.waiting.append(Waiter(ticket: ticket, progress: context.progress, call: call))
      }
    } onCancel: {
      Task(executorPreference: executor) { await self.leaveMeasure(ticket, context.stop.reason ?? .cancelled) }
    }
    context.progress.end()
    try outcome.get()
  }

  static var errorData: [RPCError.Member] { [RPCError.Member("action", .string("measure"))] }

  /// Ends a wait; without anybody who waits, the measure, too.
  private func leaveMeasure(_ ticket: Int, _ reason: StopReason) {
    guard let at = measuring?.waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
    let waiter = measuring!.waiting.remove(at: at)
    if measuring!.starter?.ticket == ticket { measuring!.starter = nil }
    if measuring!.waiting.isEmpty && !measuring!.isNeeded { measuring!.task.cancel() }
    waiter.call.resume(returning: .failure(.stopped(reason, seconds: nil, data: Self.errorData)))
  }

  /// Measures though nobody asked.
  func measureUnasked() {
    if measuring == nil { startMeasure(0, CallContext(of: host)) }
    measuring?.isNeeded = true
  }

  private func startMeasure(_ ticket: Int, _ context: CallContext) {
    state.isRefreshing = true
    if !state.isLoading { publish(StateFeed.Transition(cause: "measure", requestID: context.requestID)) }
    measuring = Measuring(task: measureTask(), starter: (ticket, context.requestID))
  }

  private func measureTask() -> Task<Void, Never> {
    Task(executorPreference: executor) { await self.runMeasure() }
  }

  /// Measures until nothing was removed or handed over meanwhile.
  private func runMeasure() async {
    var outcome: Result<Void, RPCError>
    repeat {
      let began = generation
      outcome = await measureOnce()
      if began == generation { break }
    } while !Task.isCancelled
    let waiting = measuring!.waiting
    if Task.isCancelled, !waiting.isEmpty, case .failure = outcome {
      // Everybody had left, but then others came, who want it.
      measuring = Measuring(task: measureTask(), waiting: waiting)
      return
    }
    state.isRefreshing = false
    if case .failure = outcome, !state.isLoading, !Task.isCancelled { state.isStale = true }
    publishMeasure(StateFeed.Transition(cause: "measure", requestID: measuring!.starter?.id))
    measuring = nil
    for waiter in waiting { waiter.call.resume(returning: outcome) }
    guard case .success = outcome else { return }
    startWatching()
    startTidying()
  }

  private func measureOnce() async -> Result<Void, RPCError> {
    let began = generation
    do {
      let measure = try await backend!.measure { report in self.assumeIsolated { $0.report(report) } }
      if began == generation { take(measure) }
      return .success(())
    } catch let failure as StorageFailure {
      let data = Self.errorData + [RPCError.Member("handler", .string("local"))]
      return .failure(RPCError(.actionFailed, failure.message, data: data))
    } catch {
      return .failure(.stopped(.cancelled, seconds: nil, data: Self.errorData))
    }
  }

  private func report(_ report: ActionProgress) {
    for waiter in measuring?.waiting ?? [] {
      waiter.progress.report(fraction: report.fraction, message: report.message?.plainLine)
    }
  }

  func take(_ measure: StorageMeasure) {
    take(measure.usage, totals: measure.totals)
    isMeasured = true
  }

  /// Measures again after something was removed, whether or not whoever asked for that still waits.
  func measureAfterRemoval() async {
    guard let backend, isMeasured else { return }
    generation += 1
    let began = generation
    let outcome = await Task(executorPreference: executor) { try await backend.measure { _ in } }.result
    switch outcome {
    case .success(let measure) where began == generation: take(measure)
    case .success: break
    case .failure(let failure): note(failure)
    }
  }

  /// Looks again at one download after it was removed, or tried to be.
  func updateAfterRemoval(of id: String) async {
    guard let backend, isMeasured else { return }
    generation += 1
    let outcome = await Task(executorPreference: executor) { try await backend.update(after: id) }.result
    switch outcome {
    case .success(.parts(let changes)): if isMeasured { _ = take(changes) }
    case .success(.whole(let measure)): if isMeasured { take(measure) }
    case .failure(let failure): note(failure)
    }
  }

  private func note(_ failure: any Error) {
    if isMeasured { state.isStale = true }
    if let failure = failure as? StorageFailure { host.log("storage: \(failure.message)") }
  }
}
