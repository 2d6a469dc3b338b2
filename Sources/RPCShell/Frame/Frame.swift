/// How a message is marked off from the next one (docs/PROTOCOL.md, "Bytes and frames").
public enum Framing: String, Sendable {
  /// One message a line (JSON Lines).
  case lines
  /// LSP's `Content-Length: N` header block before each message.
  case headers
}

/// One message as it came in: valid JSON, with the places of the envelope's members.
struct Frame {
  /// The message's text inside the decoder's buffer: valid until the decoder is asked for the next one.
  let text: UnsafeRawBufferPointer
  let framing: Framing
  let outline: Outline
}

/// Input that is no message. The session answers it and goes on.
struct FrameFailure: Error, Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// Not JSON, or neither a message nor a header block: -32700.
    case malformed
    /// Longer than the limit: -32600.
    case tooLarge(limit: Int)
  }

  var kind: Kind
  var reason: String
  /// Where decoding stopped, both counted from 1, the column in bytes.
  var line: Int
  var column: Int
  /// The framing that the input was in; nil where it was in none.
  var framing: Framing?
  /// The `id` of a message that was too large, as it was sent, when it stood near the start; that of an answer that is
  /// not JSON, when it can be told.
  var id: [UInt8]?
  /// What is not JSON was meant as an answer.
  var isAnswer = false
  /// The start of the line that was refused.
  var excerpt: [UInt8] = []
}
