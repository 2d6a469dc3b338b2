import AccountModel
import RPCShell

/// How a download is removed: several at once, each on its own.
extension StoragePlugin {
  /// A removal that runs, and the calls that wait for it beside the one that started it.
  struct RemovalRun {
    let number: Int
    let stop: StopSignal
    /// By ticket. A call has its place from its beginning on; it may wait a little later.
    var joined: [Int: Joiner] = [:]
  }

  enum Joiner {
    case coming
    case waiting(CheckedContinuation<Result<JSONText, RPCError>, Never>)
  }

  func remove(_ params: JSONView, _ context: CallContext) throws(RPCError) -> Route.ActionWork {
    refresh()
    let id = params["id"]!.string!
    let isDryRun = params["dryRun"]?.bool ?? false
    let binding = try boundHandler(of: .remove)
    guard state.isLoading else { return try beginRemoval(of: id, isDryRun, binding, context) }
    try canBeMeasured(for: .remove)
    return { () async throws(RPCError) in
      try await self.measure(context)
      let work = try await self.beginRemoval(of: id, isDryRun, binding, context)
      return try await work()
    }
  }

  private func beginRemoval(
    of id: String, _ isDryRun: Bool, _ binding: ActionBinding, _ context: CallContext
  ) throws(RPCError) -> Route.ActionWork {
    if !isDryRun, let running = removals[ExactText(id)] {
      guard running.stop.reason == nil else {
        throw StorageAction.remove.error(
          .busy, "The download is being removed already", [RPCError.Member("running", .string("remove"))])
      }
      let ticket = joinTicket(ExactText(id))
      return { () async throws(RPCError) in try await self.join(ExactText(id), ticket, context).get() }
    }
    guard let download = state.downloads[id] else {
      throw StorageAction.remove.error(
        .notFound, "There is no download '\(id.plainLine.shortened)'", [RPCError.Member("id", .string(id))])
    }
    if isDryRun { return try preview(.download(id: id), of: .remove, binding, context) }
    return startRemoval(download, binding, context, cause: "remove")
  }

  // MARK: Joining

  private func joinTicket(_ key: ExactText) -> Int {
    lastNumber += 1
    removals[key]!.joined[lastNumber] = .coming
    return lastNumber
  }

  private func join(_ key: ExactText, _ ticket: Int, _ context: CallContext) async -> Result<JSONText, RPCError> {
    if let answer = earlyAnswers.removeValue(forKey: ticket) { return answer }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { removals[key]!.joined[ticket] = .waiting($0) }
    } onCancel: {
      Task(executorPreference: executor) { await self.leave(ticket, key, context.stop.reason ?? .cancelled) }
    }
  }

  private func leave(_ ticket: Int, _ key: ExactText, _ reason: StopReason) {
    guard case .waiting(let call)? = removals[key]?.joined.removeValue(forKey: ticket) else { return }
    let seconds = binding(of: .remove)?.timeout
    call.resume(returning: .failure(.stopped(reason, seconds: seconds, data: StorageAction.remove.errorData)))
  }

  // MARK: Steps

  /// - Parameter cause: of the events: `remove`, or `autoRemove` where nobody asked.
  func startRemoval(
    _ download: Download, _ binding: ActionBinding, _ context: CallContext, cause: String
  ) -> Route.ActionWork {
    let key = ExactText(download.id)
    lastNumber += 1
    let number = lastNumber
    removals[key] = RemovalRun(number: number, stop: context.stop)
    state.dismissError(of: download.id)
    state.setRemoving(download.id, progress: nil)
    publish(StateFeed.Transition(cause: cause, requestID: context.requestID))
    context.progress.begin(title: StorageAction.remove.title)
    let call = call(.remove, binding, [RPCError.Member("download", download.jsonText)], context)
    let run = HandlerRun(binding.handler, call, stop: context.stop, host: host)
    return { () async throws(RPCError) in
      let end = await run.run { report in
        self.assumeIsolated { $0.reportRemoval(report, of: key, number, context, cause) }
      }
      return try await self.finishRemoval(end, download, binding, context, cause).get()
    }
  }

  private func reportRemoval(
    _ report: ActionProgress, of key: ExactText, _ number: Int, _ context: CallContext, _ cause: String
  ) {
    guard removals[key]?.number == number else { return }
    var phase = ActionPhase.working
    phase.report(report)
    state.setRemoving(key.text, progress: phase.progress)
    publish(StateFeed.Transition(cause: cause, requestID: context.requestID))
    context.progress.report(fraction: phase.progress, message: phase.message)
  }

  private func finishRemoval(
    _ end: HandlerEnd, _ download: Download, _ binding: ActionBinding, _ context: CallContext, _ cause: String
  ) async -> Result<JSONText, RPCError> {
    let end = await takeUsage(of: end, .remove) { await self.updateAfterRemoval(of: download.id) }
    let run = removals.removeValue(forKey: ExactText(download.id))
    state.endRemoving(download.id)
    let outcome = StorageOutcome(
      .remove, end, bytes: download.bytes, title: download.title, binding: binding)
    if outcome.phase.name == .failed { state.setError(outcome.phase.message ?? "", of: download.id) }
    publish(
      StateFeed.Transition(
        cause: cause, requestID: context.requestID, feedback: outcome.feedback, announcement: outcome.announcement))
    context.progress.end()
    for (ticket, joiner) in (run?.joined ?? [:]).sorted(by: { $0.key < $1.key }) {
      switch joiner {
      case .coming: earlyAnswers[ticket] = outcome.reply
      case .waiting(let call): call.resume(returning: outcome.reply)
      }
    }
    return outcome.reply
  }

  // MARK: Previews

  /// What would go, path by path.
  func preview(
    _ target: RemovalTarget, of action: StorageAction, _ binding: ActionBinding, _ context: CallContext
  ) throws(RPCError) -> Route.ActionWork {
    guard let backend, !binding.isCustom else {
      throw action.error(.notAvailable, "Only the built-in adapter can tell beforehand what would go")
    }
    return { () async throws(RPCError) in
      do { return try await backend.preview(target).jsonText } catch let failure as StorageFailure {
        throw action.error(.actionFailed, failure.message, [RPCError.Member("handler", .string("local"))])
      } catch {
        throw .stopped(context.stop.reason ?? .cancelled, seconds: nil, data: action.errorData)
      }
    }
  }
}

extension RemovalPreview {
  fileprivate var jsonText: JSONText {
    JSONText { writer in
      writer.object { result in
        result.member("outcome", "dryRun")
        result.member("bytes", bytes)
        result.key("entries")
        result.array { list in for entry in entries { entry.write(to: &list) } }
        result.key("kept")
        result.array { list in
          for entry in kept {
            list.object { members in
              members.member("path", entry.path)
              members.member("message", entry.message)
            }
          }
        }
      }
    }
  }
}

extension RemovalPreview.Entry {
  fileprivate func write(to list: inout JSONWriter) {
    list.object { entry in
      entry.member("path", path)
      if let exactPath { entry.member("pathBase64", Base64.text(of: exactPath)) }
      entry.member("bytes", bytes)
    }
  }
}
