/// The manners of a session, fixed by its first message: how calls are cancelled and how it ends.
struct Dialect: Sendable {
  /// The notification that cancels a request.
  var cancelMethod: ShellMethod
  /// Whether a cancelled request is answered (LSP: yes).
  var answersCancelled: Bool
  /// Bounds what is still running at the end of input, unless the command line does.
  var drain: Duration?

  /// JSON-RPC 2.0 with LSP's conventions: everything on the protocol page.
  static let plain = Dialect(cancelMethod: .cancel, answersCancelled: true, drain: nil)

  /// The dialect that a session's first message speaks.
  static func detect(_ first: Message) -> Dialect { .plain }
}
