public import RPCShell

/// From the process to the session.
extension PluginProcess {
  /// Serves what was read. A chunk of it at a time comes here, so a process that writes without end has no more of the
  /// session's time than others.
  func receiveAll() {
    while isListening, let message = reader.next() {
      switch message {
      case .result(let id, let result): finish(id, .success(result))
      case .failure(let id, let error): finish(id, .failure(error))
      case .unusable(let id, let reason):
        finish(id, .failure(RPCError(.internalError, "the answer of '\(name)' cannot be used: \(reason)")))
      case .stray(let text): complain("dropped an answer to nobody: \(text)")
      case .notification(let method, let params): receive(method, params)
      case .request(let id, let method): refuse(id, method)
      case .nobodys(let reason):
        let reason = "it wrote an answer that cannot be read: \(reason)"
        if calls.count == 0 { complain(reason) } else { end(because: reason) }
      case .lost(let reason): end(because: "it began \(reason)")
      case .noise(let text): complain("wrote what is no message: \(text)")
      }
    }
  }

  /// What one that is being killed says is of no use.
  private var isListening: Bool { if case .killed = stage { false } else { true } }

  private func receive(_ method: String, _ params: JSONText?) {
    if case .ending = stage { return }
    if method.hasPrefix(prefix) { return host.notify(method, withClientsID(params ?? .emptyObject, method)) }
    if method == "$/progress" { return receiveProgress(params ?? .emptyObject) }
    if method.hasPrefix("$/") { return }
    complain("dropped the notification '\(method.shortened)': its names begin with '\(prefix)'")
  }

  /// A state event names the request behind it by the id that the process was given for it.
  private func withClientsID(_ params: JSONText, _ method: String) -> JSONText {
    guard method == stateMethod else { return params }
    return params.bytes.withUnsafeBytes { text in
      guard text.first == UInt8(ascii: "{"), text.holds("\"requestId\"") else { return params }
      return ObjectText(text).replacing { name, value in
        guard name.elementsEqual("requestId".utf8) else { return nil }
        let call = Int(String(decoding: value, as: UTF8.self)).flatMap { calls[$0] }
        guard case .client(_, let id)? = call?.origin else { return .null }
        return JSONText(trusted: id.text)
      }
    }
  }

  /// Reports are passed on under the token that the client gave, or are those of a handler's call.
  private func receiveProgress(_ params: JSONText) {
    params.bytes.withUnsafeBytes { text in
      guard text.first == UInt8(ascii: "{") else { return complain("dropped a $/progress: expected an object") }
      var token: Calls.Token?
      let mapped = ObjectText(text).replacing { name, value in
        guard name.elementsEqual("token".utf8), let number = Int(String(decoding: value, as: UTF8.self)) else {
          return nil
        }
        token = calls.token(number)
        return token?.text
      }
      // A late report, or one under a token that was not given.
      guard let token, let call = calls[token.call] else { return }
      do throws(SchemaViolation) {
        let value = try token.isForParts ? nil : progressValue(in: params)
        if token.text != nil { return host.notify("$/progress", mapped) }
        guard case .handler(let request) = call.origin, let report = value.flatMap(ActionProgress.init(reading:)) else {
          return
        }
        request.report(report)
      } catch { complain("dropped a $/progress: \(error.text)") }
    }
  }

  /// What a report says, checked.
  private func progressValue(in params: JSONText) throws(SchemaViolation) -> JSONView? {
    guard let view = try? JSONDocument(parsing: params).view else { return nil }
    try Self.progress.validate(view, unknown: .ignored)
    return view["value"]
  }

  /// The params of a report (LSP 3.17, "Work Done Progress").
  private static var progress: Schema {
    .object([
      .required(
        "value",
        .object([
          .required("kind", .choice(["begin", "report", "end"])), .optional("title", .string),
          .optional("message", .string), .optional("percentage", .number(0...100)), .optional("cancellable", .boolean),
        ]))
    ])
  }

  /// A plugin has nothing to ask the shell for.
  private func refuse(_ id: JSONText, _ method: String) {
    complain("refused the request '\(method.shortened)': a plugin sends answers and notifications")
    guard let child else { return }
    let error = RPCError(.methodNotFound, "unknown method '\(method.shortened)'; a plugin cannot call the shell")
    let answer = JSONText { writer in
      writer.object { answer in
        answer.member("jsonrpc", "2.0")
        answer.member("id", id)
        answer.key("error")
        error.write(to: &answer)
      }
    }
    answer.bytes.withUnsafeBytes { PeerWriter.frame($0, reader.framing, to: frame) }
    write(to: child)
  }

  // MARK: rpc.discover

  public func describe() async -> [JSONText] {
    let answer = await discover()
    guard case .success(let text) = answer, let view = try? JSONDocument(parsing: text).view,
      let methods = view["methods"]?.elements.filter({ $0["name"]?.string?.hasPrefix(prefix) ?? false }),
      !methods.isEmpty
    else { return [undescribed(answer)] }
    var names = Set<String>()
    let once = methods.filter { names.insert($0["name"]?.string ?? "").inserted }
    listing.methods = once.compactMap { $0["name"]?.string }
    return once.map(\.text)
  }

  private func discover() async -> Result<JSONText, RPCError> {
    if let refusal { return .failure(refusal) }
    return await withCheckedContinuation { waiting in
      let id = calls.next()
      calls.add(
        id,
        Calls.Call(
          origin: .own { plugin, outcome in
            plugin.stopTimer(.stop(id))
            waiting.resume(returning: outcome)
          }))
      tell(id, "rpc.discover", .emptyObject)
      after(command.startTimeout * 2, .stop(id)) { plugin in
        guard let call = plugin.calls.giveUp(id), case .own(let take) = call.origin else { return }
        take(plugin, .failure(RPCError(.timedOut, "it did not answer in time")))
      }
      startIfIdle()
    }
  }

  /// An entry for a plugin that does not say what it can do.
  private func undescribed(_ answer: Result<JSONText, RPCError>) -> JSONText {
    let reason =
      switch answer {
      case .success: "which describes none of them"
      case .failure(let error) where error.code == .methodNotFound: "which does not describe them"
      case .failure(let error): "which could not be asked: \(error.message.plainLine)"
      }
    return JSONText { writer in
      writer.object { method in
        method.member("name", prefix + "*")
        method.member("summary", "the methods of the plugin '\(name)', \(reason)")
        method.member("paramStructure", "by-name")
        method.key("params")
        method.array { _ in }
      }
    }
  }
}
