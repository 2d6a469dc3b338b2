import ChildProcesses
import Glibc
public import RPCShell

/// From the session to the process.
extension PluginProcess {
  /// Calls of one plugin that may be unfinished.
  static let callLimit = 1024
  /// How long a call that was told to stop is waited for.
  static let patience = Duration.seconds(5)

  public func forward(_ call: ForwardedCall) {
    if let refusal { return host.answer(call.id, .failure(refusal)) }
    var id: Int?
    if let requestID = call.requestID {
      let next = calls.next()
      calls.add(next, Calls.Call(origin: .client(call.id, requestID)))
      id = next
    }
    let params: JSONText?
    do throws(RPCError) { params = try self.params(of: call, id) } catch {
      if let id { _ = calls.answered(id) }
      return host.answer(call.id, .failure(error))
    }
    if case .ready(let child) = stage {
      if let params {
        params.bytes.withUnsafeBytes { send(id, call.method, $0, to: child) }
      } else {
        send(id, call.method, call.params, to: child)
      }
      if id == nil { host.answer(call.id, .success(.null)) }
      return
    }
    let notification = id == nil ? call.id : nil
    queue(id, notification) { buffer in
      if let params {
        params.bytes.withUnsafeBytes { PeerWriter.write(id, call.method, $0, to: buffer) }
      } else {
        PeerWriter.write(id, call.method, call.params, to: buffer)
      }
    }
    startIfIdle()
  }

  public func ask(_ request: HostRequest) {
    if let refusal { return answer(request, .failure(refusal)) }
    let id = calls.next()
    calls.add(id, Calls.Call(origin: .handler(request)))
    let token = calls.addToken(nil, of: id)
    let params = JSONText { writer in
      writer.object(continuing: request.params) { $0.member("workDoneToken", token) }
    }
    tell(id, request.method, params)
    startIfIdle()
  }

  /// Why nothing more can be asked now.
  var refusal: RPCError? {
    if failures.areTooMany { return .gone(name, Failures.advice(name)) }
    if case .over = stage { return .gone(name, "the plugin '\(name)' has ended with the session") }
    if case .ending = stage { return .gone(name, "the plugin '\(name)' is ending with the session") }
    // One more may be the plugin's own.
    if calls.count > Self.callLimit { return .overloaded("\(Self.callLimit) calls of '\(name)' are unfinished") }
    guard unread > command.unreadLimit else { return nil }
    return .overloaded("the plugin '\(name)' does not read; \(command.unreadLimit >> 20) MiB wait for it")
  }

  private var unread: Int {
    unsentBytes + (child.map { child in child.assumeIsolated { $0.unwritten } } ?? 0)
  }

  // MARK: Parameters

  /// The parameters as the process gets them; nil where those are the client's text as it stands.
  private func params(of call: ForwardedCall, _ id: Int?) throws(RPCError) -> JSONText? {
    guard let text = call.params else { return nil }
    if text[0] == UInt8(ascii: "{"), text.holds("workDoneToken") || text.holds("partialResultToken") {
      return try withOwnTokens(JSONText(oneLine: text, mayHaveBreaks: call.needsCompaction), of: id)
    }
    guard call.needsCompaction else { return nil }
    return JSONText(oneLine: text, mayHaveBreaks: true)
  }

  /// Gives the process tokens of our own, so that those of clients and handlers never meet there. A notification has none.
  private func withOwnTokens(_ params: JSONText, of id: Int?) throws(RPCError) -> JSONText {
    var refusal: RPCError?
    let replaced = params.bytes.withUnsafeBytes { text in
      ObjectText(text).replacing { name, value in
        guard let member = ProgressToken(name: name), value[0] != UInt8(ascii: "n") else { return nil }
        let token = JSONText(trusted: Array(value))
        do throws(RPCError) { try member.check(token) } catch { refusal = refusal ?? error }
        guard let id, refusal == nil else { return .null }
        return JSONText(integer: calls.addToken(token, of: id, isForParts: member == .partialResult))
      }
    }
    if let refusal { throw refusal }
    return replaced
  }

  // MARK: Writing

  /// Sends a message of the shell's own, or keeps it until the process is ready.
  /// - Parameter id: nil for a notification.
  func tell(_ id: Int?, _ method: String, _ params: JSONText) {
    func write(_ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void) {
      Array(method.utf8).withUnsafeBytes { method in params.bytes.withUnsafeBytes { body(method, $0) } }
    }
    if case .ready(let child) = stage {
      write { send(id, $0, $1, to: child) }
    } else {
      queue(id, nil) { buffer in write { PeerWriter.write(id, $0, $1, to: buffer) } }
    }
  }

  func send(
    _ id: Int?, _ method: UnsafeRawBufferPointer, _ params: UnsafeRawBufferPointer?, to child: ChildProcess
  ) {
    PeerWriter.write(id, method, params, to: frame)
    if reader.framing == .lines {
      frame.append(byte: UInt8(ascii: "\n"))
    } else {
      let body = frame.bytes
      frame.removeAll()
      body.withUnsafeBytes { PeerWriter.frame($0, .headers, to: frame) }
    }
    write(to: child)
  }

  /// Writes what was framed.
  func write(to child: ChildProcess) {
    // Used now and on this thread; the checker cannot know that.
    nonisolated(unsafe) let bytes = frame.readable
    child.assumeIsolated { $0.write(bytes) }
    frame.removeAll()
  }

  private func queue(_ id: Int?, _ notification: ForwardedCall.ID?, _ write: (ByteBuffer) -> Void) {
    write(frame)
    unsentBytes += frame.count
    unsent.append(Unsent(id: id, notification: notification, body: frame.bytes))
    frame.removeAll()
  }

  /// Sends what has waited for the process.
  func sendUnsent(to child: ChildProcess) {
    let waiting = unsent
    dropUnsent()
    for message in waiting {
      message.body.withUnsafeBytes { PeerWriter.frame($0, reader.framing, to: frame) }
      write(to: child)
      if let call = message.notification { host.answer(call, .success(.null)) }
    }
  }

  func dropUnsent() {
    unsent = []
    unsentBytes = 0
  }

  // MARK: Stopping

  public func stop(_ call: ForwardedCall.ID) {
    stop { if case .client(call, _) = $0 { true } else { false } }
  }

  public func cancel(request id: Int) {
    stop { if case .handler(let request) = $0 { request.id == id } else { false } }
  }

  private func stop(_ isMeant: (Calls.Origin) -> Bool) {
    guard let id = calls.id(where: isMeant), calls.stop(id) else { return }
    if let at = unsent.firstIndex(where: { $0.id == id }) {
      // What the process was not told, it need not be told to stop.
      unsentBytes -= unsent.remove(at: at).body.count
      return finish(id, .failure(.stopped))
    }
    tell(nil, "$/cancelRequest", JSONText { writer in writer.object { $0.member("id", id) } })
    after(Self.patience, .stop(id)) { plugin in
      if let call = plugin.calls.giveUp(id) { plugin.answer(call, .failure(.stopped)) }
    }
  }

  // MARK: Answering

  /// Answers a call that has ended.
  func finish(_ id: Int, _ outcome: Result<JSONText, RPCError>) {
    guard let call = calls.answered(id) else { return complain("dropped an answer to nobody: id \(id)") }
    if call.isStopped { stopTimer(.stop(id)) }
    answer(call, outcome)
  }

  private func answer(_ call: Calls.Call, _ outcome: Result<JSONText, RPCError>) {
    switch call.origin {
    case .client(let id, _): host.answer(id, outcome)
    case .handler(let request): answer(request, outcome)
    case .own(let take): take(self, outcome)
    case .nobody: break
    }
  }

  private func answer(_ request: HostRequest, _ outcome: Result<JSONText, RPCError>) {
    switch outcome {
    case .success(let result): request.answer(.result(result))
    case .failure(let error) where error.code == .handlerGone:
      host.log("\(request.method): \(error.message)")
      request.answer(.gone)
    case .failure(let error): request.answer(.error(code: error.code.rawValue, message: error.message))
    }
  }

  /// Answers everything that waits, since nobody else will.
  func failAll(_ error: RPCError) {
    let (open, waiting) = (calls.takeAll(), unsent)
    dropUnsent()
    for call in open { answer(call, .failure(error)) }
    for message in waiting { if let call = message.notification { host.answer(call, .failure(error)) } }
  }
}

extension RPCError {
  /// The process went away, or cannot be had.
  static func gone(_ plugin: String, _ message: String, _ data: [Member] = []) -> RPCError {
    RPCError(.handlerGone, message, data: [Member("plugin", .string(plugin))] + data)
  }

  fileprivate static let stopped = RPCError(.requestCancelled, "Request cancelled")
}

extension UnsafeRawBufferPointer {
  /// Whether these bytes are in the text.
  func holds(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    var at = 0
    while at + length <= count, let found = memchr(baseAddress! + at, Int32(word.utf8Start[0]), count - at - length + 1)
    {
      if memcmp(found, word.utf8Start, length) == 0 { return true }
      at = UnsafeRawPointer(found) - baseAddress! + 1
    }
    return false
  }
}
