/// The shell's own requests to the host, and what the host says to them (docs/PROTOCOL.md, "The host's part").
extension Session {
  /// Sends a request; where nobody can answer any more, it has its answer.
  func ask(_ request: HostRequest) {
    if case .plugin(let name) = request.peer { return ask(request, plugin: name) }
    guard hostCalls.add(request) else { return request.answer(.gone) }
    writer.frame(newestFraming) { buffer in
      buffer.append("{\"jsonrpc\":\"2.0\",\"id\":")
      buffer.append(decimal: request.id)
      buffer.append(",\"method\":")
      buffer.appendJSONString(request.method)
      buffer.append(",\"params\":")
      buffer.append(request.params.bytes)
      buffer.append(byte: UInt8(ascii: "}"))
    }
  }

  /// Takes an answer of the host's. One to a request that was given up comes too late and is dropped quietly.
  func receiveAnswer(_ message: Message) {
    guard let id = message.id.flatMap({ Self.number(String(decoding: $0, as: UTF8.self)) }) else {
      return dropAnswer(message)
    }
    guard let request = hostCalls.answered(id) else { return hostCalls.isLate(id) ? () : dropAnswer(message) }
    request.answer(hostAnswer(in: message.text))
  }

  private func dropAnswer(_ message: Message) {
    log("dropped an answer to a request that was not made: id \(shown(message.id))")
  }

  /// Takes what has the id of an open request and nothing else for an answer of null: some libraries leave members out that
  /// have no value.
  func receivesEmptyAnswer(_ message: Message) -> Bool {
    guard !hostCalls.isEmpty, message.method.isEmpty, let id = message.id,
      let number = Self.number(String(decoding: id, as: UTF8.self)), hostCalls.contains(number),
      let view = try? JSONDocument(parsing: message.text).view, view["method"] == nil
    else { return false }
    let isBare = !options.isStrict && (view["jsonrpc"].map { $0.string == "2.0" } ?? true)
    guard isBare, view.members.allSatisfy({ $0.name == "id" || $0.name == "jsonrpc" }) else {
      return failsHostCall(Array(id), "the answer has neither result nor error")
    }
    hostCalls.answered(number)?.answer(.result(.null))
    return true
  }

  private func hostAnswer(in text: UnsafeRawBufferPointer) -> HostAnswer {
    guard let view = try? JSONDocument(parsing: text).view else {
      return .error(code: RPCError.Code.internalError.rawValue, message: "the answer cannot be read")
    }
    guard let error = view["error"], !error.isNull else { return .result(view["result"]?.text ?? .null) }
    guard let message = error["message"]?.string else {
      return .error(code: error["code"]?.integer ?? RPCError.Code.internalError.rawValue, message: "")
    }
    let code = error["code"].flatMap { $0.number.flatMap { Int(exactly: $0) } ?? $0.string.flatMap { Int($0) } }
    return .error(code: code ?? 0, message: message)
  }

  /// Nobody will answer any more once everything that came is served: what waits for the host then has failed.
  func endHostCallsAfterInput() {
    guard life.isInputOver, !hasUndecoded || life.isExiting, !hostCalls.isOver else { return }
    for request in hostCalls.end() { request.answer(.gone) }
  }

  /// Tells the host to stop, and gives the request up when it does not answer: a late answer is dropped without a word.
  func cancelHostCall(_ id: Int) {
    guard hostCalls.contains(id) else { return }
    notify("$/cancelRequest", JSONText { writer in writer.object { $0.member("id", id) } })
    hostCalls.wait(for: id, Task(executorPreference: executor) { await self.giveUpHostCall(id) })
  }

  private func giveUpHostCall(_ id: Int) async {
    guard (try? await host.clock.sleep(for: SessionOptions.hostPatience)) != nil else { return }
    hostCalls.giveUp(id)?.answer(.error(code: RPCError.Code.requestCancelled.rawValue, message: ""))
  }

  /// Ends the request with this id whose answer cannot be used; such an answer is not answered itself.
  /// - Returns: whether there was one.
  func failsHostCall(_ id: [UInt8], _ reason: String) -> Bool {
    guard !hostCalls.isEmpty, let number = Self.number(String(decoding: id, as: UTF8.self)),
      let request = hostCalls.answered(number)
    else { return false }
    request.answer(.error(code: RPCError.Code.internalError.rawValue, message: reason))
    return true
  }

  /// Some clients know no integers, and write 1000001.0.
  private static func number(_ text: String) -> Int? { Int(text) ?? Double(text).flatMap { Int(exactly: $0) } }

  // MARK: $/progress

  static var progressParams: [Schema.Property] {
    [
      .required("token", .any, "the workDoneToken of the call that the host works on, or the id of the host's request"),
      .required("value", .any, "an object with message and percentage (0 … 100), as in LSP"),
    ]
  }

  /// The host reports on what it was asked to do; a token that nobody waits for is passed over.
  func receiveProgress(_ message: Message) throws(RPCError) {
    let params = try readParams(message, properties: Self.progressParams, unknown: .ignored).view
    guard let token = params["token"]?.text, let report = params["value"].flatMap(ActionProgress.init(reading:)),
      let request = hostCalls.request(reportedUnder: token)
    else { return }
    request.report(report)
  }
}
