/// A request of the shell's own: to the client, which is the host of the account page, or to a plugin that is somewhere
/// else.
public struct HostRequest: Sendable {
  /// Integers from 1000001 on: Vim knows no other kind, and takes a request for an answer when its id is that of a
  /// request of its own.
  public let id: Int
  /// `host.onUpgrade`
  public let method: String
  /// An object.
  public let params: JSONText
  /// Who is asked.
  public let peer: Peer
  /// The token under which the host may report progress beside the request's id; nil where nobody gave one.
  public let token: JSONText?
  /// Takes the host's reports until the request is answered.
  package let report: @Sendable (ActionProgress) -> Void
  /// Takes the one answer.
  package let answer: @Sendable (HostAnswer) -> Void
}

extension HostRequest {
  /// Whom the shell asks.
  public enum Peer: Sendable, Equatable {
    /// The client, which is the host.
    case client
    /// The plugin of that name, which is somewhere else (``RemotePlugin``).
    case plugin(String)
  }
}

/// How a request to the host, or to a plugin that is somewhere else, ended.
public enum HostAnswer: Sendable {
  case result(JSONText)
  case error(code: Int, message: String)
  /// Nobody is there any more to answer it.
  case gone
}

extension PluginHost {
  /// Asks the host, and waits for its answer. Cancelling the task tells the host (`$/cancelRequest`); what it answers to
  /// that is waited for, too, but not for ever.
  ///
  /// - Parameters:
  ///   - peer: who is asked.
  ///   - token: under which the host may report progress.
  ///   - report: called on the session's thread.
  public func request(
    _ method: String, _ params: JSONText, of peer: HostRequest.Peer = .client, token: JSONText? = nil,
    report: @escaping @Sendable (ActionProgress) -> Void
  ) async -> HostAnswer {
    let id = makeRequestID()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        ask(
          HostRequest(
            id: id, method: method, params: params, peer: peer, token: token, report: report,
            answer: { waiting.resume(returning: $0) }))
      }
    } onCancel: {
      cancelRequest(id, of: peer)
    }
  }
}
