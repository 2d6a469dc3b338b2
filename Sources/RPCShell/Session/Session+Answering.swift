/// Answers: each request has exactly one.
extension Session {
  /// Echoes the parameters, text for text but for blanks between tokens.
  @inline(__always)
  func ping(_ message: Message, in batch: Batch?) {
    guard let id = message.id else { return explainUseless("shell.ping") }
    var params = message.params
    if let given = params, given[0] != UInt8(ascii: "{") {
      guard isEmptyParams(given) else {
        return refuse(message, given[0] == UInt8(ascii: "[") ? .byPosition : .noObject, in: batch)
      }
      params = nil
    }
    write(newestFraming, batch) { buffer in
      buffer.append("{\"jsonrpc\":\"2.0\",\"id\":")
      buffer.append(id)
      buffer.append(",\"result\":")
      if let params {
        if message.needsCompaction { buffer.appendCompacted(params) } else { buffer.append(params) }
      } else {
        buffer.append("{}")
      }
      buffer.append(byte: UInt8(ascii: "}"))
    }
    if traceValue != .off { traceReply(to: message) }
  }

  /// null and `[]` mean `{}`.
  func isEmptyParams(_ text: UnsafeRawBufferPointer) -> Bool {
    text[0] == UInt8(ascii: "n") || text[0] == UInt8(ascii: "[") && text[1...].first { $0 > 0x20 } == UInt8(ascii: "]")
  }

  /// A query without an id: nobody would see the answer.
  func explainUseless(_ name: String) {
    log("'\(name)' without an \"id\" has no effect: add \"id\":1 to get an answer")
  }

  /// Writes one answer.
  func answer(_ id: [UInt8], _ outcome: Result<JSONText, RPCError>, framing: Framing, batch: Batch?) {
    let member: StaticString
    let text: JSONText
    switch outcome {
    case .success(let result): (member, text) = (",\"result\":", result)
    case .failure(let error):
      if error.code == .requestCancelled && !dialect.answersCancelled { return }
      if error.code != .requestCancelled { life.hasFailed = true }
      (member, text) = (",\"error\":", JSONText { error.write(to: &$0) })
    }
    write(framing, batch) { buffer in
      buffer.append("{\"jsonrpc\":\"2.0\",\"id\":")
      buffer.append(id)
      buffer.append(member)
      buffer.append(text.bytes)
      buffer.append(byte: UInt8(ascii: "}"))
    }
  }

  /// Answers a request that was served on the spot; says nothing to a notification.
  func reply(to message: Message, _ result: JSONText, in batch: Batch?) {
    guard let id = message.id else { return }
    answer(Array(id), .success(result), framing: newestFraming, batch: batch)
    traceReply(to: message)
  }

  @inline(__always)
  private func write(_ framing: Framing, _ batch: Batch?, _ body: (ByteBuffer) -> Void) {
    if let batch { add(to: batch, body) } else { writer.frame(framing, body) }
  }

  private func add(to batch: Batch, _ body: (ByteBuffer) -> Void) {
    bytesInBatches -= batch.count
    batch.answer(body)
    bytesInBatches += batch.count
  }

  func sendIfFinished(_ batch: Batch) {
    guard batch.isFinished else { return }
    for id in batch.ids { idsInBatches.remove(id) }
    bytesInBatches -= batch.count
    if let array = batch.close() { writer.frame(batch.framing, body: array) }
  }

  // MARK: Calls of plugins

  func call(_ route: Route, _ message: Message, in batch: Batch?) {
    if message.id == nil && route.kind == .query { return explainUseless(route.name) }
    if route.kind == .action && isOverloaded { return refuse(message, .tooMuchUnfinished, in: batch) }
    do throws(RPCError) {
      let params = try readParams(of: route, message)
      let context = CallContext(
        requestID: message.id.map { RequestID(Array($0)) },
        progress: ProgressReporter(token: params.progressToken, host: host), stop: StopSignal())
      switch route.body {
      case .immediate(let answer):
        reply(to: message, try answer(params.view, context), of: route, in: batch)
      case .action(let begin):
        start(try begin(params.view, context), of: route, context, in: batch)
      case .eventual(let begin):
        switch try begin(params.view, context) {
        case .now(let result): reply(to: message, result, of: route, in: batch)
        case .later where isOverloaded: refuse(message, .tooMuchUnfinished, in: batch)
        case .later(let work): start(work, of: route, context, in: batch)
        }
      }
    } catch {
      refuse(message, error, in: batch)
    }
  }

  private var isOverloaded: Bool { pending.count >= SessionOptions.pendingLimit }

  private func reply(to message: Message, _ result: JSONText, of route: Route, in batch: Batch?) {
    if route.kind == .query { writer.keepOrder() }
    reply(to: message, result, in: batch)
  }

  /// Runs the rest of an action that has begun.
  private func start(_ work: @escaping Route.ActionWork, of route: Route, _ context: CallContext, in batch: Batch?) {
    start(route.name, context.requestID, context.stop, in: batch, tellsState: route.kind == .query, work)
  }

  /// Runs what takes its time, and answers.
  func start(
    _ method: String, _ id: RequestID?, _ stop: StopSignal, in batch: Batch?, tellsState: Bool = false,
    _ work: @escaping Route.ActionWork
  ) {
    batch?.addOpen()
    let serial = pending.add(.init(method: method, id: id, framing: newestFraming, batch: batch, stop: stop))
    let task = Task(executorPreference: executor) { await self.run(work, serial, tellsState: tellsState) }
    pending.setTask(task, of: serial)
  }

  private func run(_ work: Route.ActionWork, _ serial: Int, tellsState: Bool) async {
    let outcome: Result<JSONText, RPCError>
    do throws(RPCError) { outcome = .success(try await work()) } catch { outcome = .failure(error) }
    if tellsState { writer.keepOrder() }
    complete(serial, outcome)
  }

  /// Answers a call that has ended, unless it was answered before.
  func complete(_ serial: Int, _ outcome: Result<JSONText, RPCError>) {
    guard let call = pending.complete(serial) else { return }
    if let id = call.id {
      answer(id.text, outcome, framing: call.framing, batch: call.batch)
      if traceValue != .off { traceReply(call.method, id.description) }
    } else if case .failure(let error) = outcome, error.code != .requestCancelled {
      life.hasFailed = true
      log("\(call.method): \(error.message)")
    }
    if let batch = call.batch {
      batch.closeOne()
      sendIfFinished(batch)
    }
  }
}

extension RPCError {
  fileprivate static let tooMuchUnfinished = overloaded("\(SessionOptions.pendingLimit) requests are unfinished")
}
