/// The shell's own requests to the host, and what the host says to them (docs/PROTOCOL.md, "The host's part").
extension Session {
  /// Sends a request; where nobody can answer any more, it has its answer.
  func ask(_ request: HostRequest) {
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
    let text = message.id.map { String(decoding: $0, as: UTF8.self) } ?? ""
    // Some clients know no integers, and write 1000001.0.
    guard let id = Int(text) ?? Double(text).flatMap({ Int(exactly: $0) }), let request = hostCalls.answered(id) else {
      return log("dropped an answer to a request that was not made: id \(shown(message.id))")
    }
    request.answer(hostAnswer(in: message.text))
  }

  /// Takes what has the id of an open request and nothing else for an answer of null: some libraries leave members out that
  /// have no value.
  func receivesEmptyAnswer(_ message: Message) -> Bool {
    guard !hostCalls.isEmpty, message.method.isEmpty, let id = message.id,
      let number = Int(String(decoding: id, as: UTF8.self)), hostCalls.contains(number),
      let view = try? JSONDocument(parsing: message.text).view, view["method"] == nil
    else { return false }
    hostCalls.answered(number)?.answer(.result(.null))
    return true
  }

  private func hostAnswer(in text: UnsafeRawBufferPointer) -> HostAnswer {
    guard let view = try? JSONDocument(parsing: text).view else {
      return .error(code: RPCError.Code.internalError.rawValue, message: "the answer cannot be read")
    }
    guard let error = view["error"], !error.isNull else { return .result(view["result"]?.text ?? .null) }
    return .error(code: error["code"]?.integer ?? 0, message: error["message"]?.string ?? "")
  }

  /// Nobody will answer any more: what waits for the host has failed.
  func endHostCalls() {
    for request in hostCalls.end() { request.answer(.gone) }
  }

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
    guard let token = params["token"]?.text, let value = params["value"],
      let request = hostCalls.request(reportedUnder: token), value["kind"]?.string != "end"
    else { return }
    request.report(
      ActionProgress(fraction: value["percentage"]?.number.map { $0 / 100 }, message: value["message"]?.string))
  }
}
