import CLinux
import Glibc

/// What `$/setTrace` asked for (LSP).
enum TraceValue: String, CaseIterable {
  case off, messages, verbose
}

/// The methods that the session answers itself: its life cycle, cancelling, tracing and its own description.
extension Session {
  func callShell(_ method: ShellMethod, _ message: Message, in batch: Batch?) {
    do throws(RPCError) {
      switch method {
      case .ping: ping(message, in: batch)
      case .initialize: try initialize(message, in: batch)
      case .initialized: acknowledge(message, in: batch)
      case .shutdown: shutdown(message, in: batch)
      case .exit:
        exit()
        acknowledge(message, in: batch)
      case .cancel: try cancel(message, in: batch)
      case .progress:
        try receiveProgress(message)
        acknowledge(message, in: batch)
      case .setTrace: try setTrace(message, in: batch)
      case .setEnvironment:
        let params = try readParams(message, properties: Self.environmentParams, unknown: .refused).view
        change(try environment(from: params))
        acknowledge(message, in: batch)
      case .discover:
        guard message.id != nil else { return explainUseless(method.rawValue) }
        _ = try readParams(message, properties: [], unknown: .refused)
        discover(message, in: batch)
      }
    } catch {
      refuse(message, error, in: batch)
    }
  }

  /// Accepted, and answered if somebody asks for an answer.
  private func acknowledge(_ message: Message, in batch: Batch?) { reply(to: message, .null, in: batch) }

  private func shutdown(_ message: Message, in batch: Batch?) {
    life.isShutDown = true
    acknowledge(message, in: batch)
  }

  // MARK: $/cancelRequest

  /// Vim sends the id at the top and no params; that is a notification all the same.
  private func cancel(_ message: Message, in batch: Batch?) throws(RPCError) {
    guard let params = message.params, !isEmptyParams(params) else {
      guard let id = message.id else { throw .invalidParams("id: missing; expected the id of a request", path: "id") }
      return pending.stop(RequestID(Array(id)), .cancelled)
    }
    var outline = Outline()
    _ = decoder.scan(params, &outline)
    guard let id = outline.usableID(in: params) else {
      throw .invalidParams("id: expected the id of a request, a string or a number", path: "id")
    }
    pending.stop(RequestID(Array(id)), .cancelled)
    acknowledge(message, in: batch)
  }

  // MARK: $/setTrace

  private func setTrace(_ message: Message, in batch: Batch?) throws(RPCError) {
    let params = try readParams(message, properties: ShellMethod.setTrace.params, unknown: .ignored)
    traceValue = params.view["value"]?.string.flatMap(TraceValue.init) ?? .off
    acknowledge(message, in: batch)
  }

  /// `$/logTrace` for an answer, if the client wants to see that.
  func traceReply(to message: Message) {
    guard traceValue != .off, let id = message.id else { return }
    traceReply(display(message.method), String(decoding: id, as: UTF8.self))
  }

  /// - Parameter id: as it was sent.
  func traceReply(_ method: String, _ id: String) {
    guard traceValue != .off else { return }
    let line = "Answered '\(method)' (id \(id.shortened))."
    notify("$/logTrace", JSONText { writer in writer.object { $0.member("message", line) } })
  }
}
