/// What differs between the manners of clients. A session speaks one dialect from its first message to its last.
struct Dialect: Sendable {
  /// Whether a cancelled request is answered (LSP: yes, with -32800).
  var answersCancelled: Bool
  /// Bounds what is still running at the end of input, unless the command line does.
  var drain: Duration?

  /// JSON-RPC 2.0 with LSP's conventions: docs/PROTOCOL.md.
  static let plain = Dialect(answersCancelled: true, drain: nil)
}
