/// From a frame to the method it calls.
extension Session {
  @inline(__always)
  func receive(_ frame: Frame) {
    newestFraming = frame.framing
    if frame.outline.isBatch { return receiveBatch(frame) }
    handle(Message(frame.text, frame.outline, isStrict: options.isStrict), in: nil)
  }

  /// Answers input that is no message, under `id: null` unless its id could be read.
  func refuse(_ failure: FrameFailure) {
    if let framing = failure.framing { newestFraming = framing }
    if let id = failure.id, failsHostCall(id, "the answer cannot be read") { return }
    let error: RPCError
    var id = failure.id
    switch failure.kind {
    case .malformed:
      id = nil
      let place = "line \(failure.line), column \(failure.column)"
      error = RPCError(
        .parseError, "parse error at \(place): \(failure.reason)",
        data: [
          .init("line", JSONText { $0.integer(failure.line) }),
          .init("column", JSONText { $0.integer(failure.column) }),
        ])
    case .tooLarge(let limit):
      error = RPCError(.invalidRequest, "message over the limit of \(limit) bytes; --max-message raises it")
    }
    if let id, !pending.isEmpty, !id.withUnsafeBytes({ isUnused($0, in: nil) }) { return }
    answer(id ?? Array("null".utf8), .failure(error), framing: newestFraming, batch: nil)
  }

  private func receiveBatch(_ frame: Frame) {
    let count = frame.outline.elementCount
    guard (1...SessionOptions.batchLimit).contains(count) else {
      let text = count == 0 ? "must not be empty" : "may have up to \(SessionOptions.batchLimit) messages, got \(count)"
      let error = RPCError(.invalidRequest, "a batch " + text)
      return answer(Array("null".utf8), .failure(error), framing: frame.framing, batch: nil)
    }
    let batch = Batch(framing: frame.framing)
    for (text, outline) in BatchElements(frame.text) where !life.isExiting {
      handle(Message(text, outline, isStrict: options.isStrict), in: batch)
    }
    batch.seal()
    sendIfFinished(batch)
  }

  // MARK: One message

  @inline(__always)
  func handle(_ message: Message, in batch: Batch?) {
    switch message.kind {
    case .call: call(message, in: batch)
    case .response: receiveAnswer(message)
    case .invalid(let reason):
      if receivesEmptyAnswer(message) { return }
      if let id = message.id, !pending.isEmpty || batch != nil, !isUnused(id, in: batch) { return }
      refuse(message, RPCError(.invalidRequest, "\(reason)"), in: batch)
    }
  }

  @inline(__always)
  private func call(_ message: Message, in batch: Batch?) {
    let method = ShellMethod(message.method)
    if method == nil && message.hasEscapedName { return callUnescaped(message, in: batch) }
    if batch != nil && bytesInBatches > FrameWriter.limit {
      return refuse(message, .overloaded("the answers to batches are too large"), in: batch)
    }
    if life.isShutDown && method != .exit && method != .cancel { return refuseAfterShutdown(message, in: batch) }
    if let id = message.id, !pending.isEmpty || batch != nil, needsItsOwn(message, method) {
      guard isUnused(id, in: batch) else { return }
    }
    dispatch(message, to: method, in: batch)
  }

  /// Whether a call's id is its own. The one at the top of Vim's cancel, which has no params, is that of the request it
  /// stops; and whoever ends the session need not be choosy.
  private func needsItsOwn(_ message: Message, _ method: ShellMethod?) -> Bool {
    switch method {
    case .cancel: message.params.map { !isEmptyParams($0) } ?? false
    case .exit: false
    default: true
    }
  }

  private func refuseAfterShutdown(_ message: Message, in batch: Batch?) {
    if message.id == nil && message.method.starts(with: "$/".utf8) { return }
    refuse(message, RPCError(.invalidRequest, "the session is shut down; only 'exit' may follow"), in: batch)
  }

  @inline(__always)
  private func dispatch(_ message: Message, to method: ShellMethod?, in batch: Batch?) {
    switch method {
    case .ping: ping(message, in: batch)
    case let method?: callShell(method, message, in: batch)
    case nil: callPlugin(message, in: batch)
    }
  }

  private func callPlugin(_ message: Message, in batch: Batch?) {
    let router = registry.router
    if let plugin = router.remote(for: message.method) { return forward(message, to: plugin, in: batch) }
    if let route = router.find(message.method) { return call(route, message, in: batch) }
    refuseUnknown(display(message.method), message, in: batch)
  }

  /// A name that is written with escapes is the name that it means.
  private func callUnescaped(_ message: Message, in batch: Batch?) {
    Array(decodedName(message.method).utf8).withUnsafeBytes { call(message.calling($0), in: batch) }
  }

  private func refuseUnknown(_ name: String, _ message: Message, in batch: Batch?) {
    if message.id == nil && name.hasPrefix("$/") { return }
    let text = registry.router.unknownMethod(name, others: ShellMethod.allCases.map { $0.rawValue })
    refuse(message, RPCError(.methodNotFound, text), in: batch)
  }

  /// Whether no other request with this id is unanswered; if one is, this one is refused.
  private func isUnused(_ text: UnsafeRawBufferPointer, in batch: Batch?) -> Bool {
    let id = RequestID(Array(text))
    guard !pending.contains(id), !idsInBatches.contains(id) else {
      // Answered under null: its own id would resolve the first call.
      let error = RPCError(
        .invalidRequest, "another request with this id is unanswered", data: [.init("id", JSONText(trusted: id.text))])
      answer(Array("null".utf8), .failure(error), framing: newestFraming, batch: batch)
      return false
    }
    if let batch {
      batch.ids.append(id)
      idsInBatches.insert(id)
    }
    return true
  }

  /// Refuses a message: with an answer, or, for a notification, with a line on stderr.
  func refuse(_ message: Message, _ error: RPCError, in batch: Batch?) {
    if message.id == nil, case .call = message.kind {
      life.hasFailed = true
      let name = display(message.method)
      return log(error.code == .methodNotFound ? error.message : "\(name): \(error.message)")
    }
    let id = message.id.map { Array($0) } ?? Array("null".utf8)
    answer(id, .failure(error), framing: newestFraming, batch: batch)
    traceReply(to: message)
  }

  // MARK: Text of the wire for people

  private func decodedName(_ escaped: UnsafeRawBufferPointer) -> String {
    let quoted = [UInt8(ascii: "\"")] + escaped + [UInt8(ascii: "\"")]
    return (try? JSONDocument(parsing: JSONText(trusted: quoted)))?.view.string ?? ""
  }

  /// An id in a line for people.
  func shown(_ id: UnsafeRawBufferPointer?) -> String {
    id.map { String(decoding: $0, as: UTF8.self).shortened } ?? "none"
  }

  /// A name of the wire in a line for people: short, with control characters as JSON writes them.
  func display(_ name: UnsafeRawBufferPointer) -> String {
    let decoded = decodedName(UnsafeRawBufferPointer(rebasing: name.prefix(400)))
    let text = decoded.isEmpty ? String(decoding: name.prefix(80), as: UTF8.self) : decoded
    let shown = ByteBuffer()
    shown.appendJSONString(String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value != 0x7F }.prefix(80))))
    return String(decoding: shown.bytes.dropFirst().dropLast(), as: UTF8.self)
  }
}
