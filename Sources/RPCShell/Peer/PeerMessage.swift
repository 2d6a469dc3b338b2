/// What somebody says whom the shell calls.
package enum PeerMessage: Sendable {
  /// An answer with a result, as it was written.
  case result(id: Int, JSONText)
  /// An answer with an error, as it was written.
  case failure(id: Int, RPCError)
  /// An answer that cannot be used, and why.
  case unusable(id: Int, String)
  /// An answer to nobody: its id and its error's message, for a person.
  case stray(String)
  case notification(method: String, params: JSONText?)
  /// A request, with its id as it was written.
  case request(id: JSONText, method: String)
  /// An answer of which it cannot be told whose it is, and why.
  case nobodys(String)
  /// What makes all behind it unreadable.
  case lost(String)
  /// What is no message at all, for a person.
  case noise(String)
}
