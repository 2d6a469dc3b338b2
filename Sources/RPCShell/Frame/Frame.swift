/// How a message is marked off from the next one (docs/PROTOCOL.md, "Bytes and frames").
public enum Framing: String, Sendable {
  /// One message a line (JSON Lines).
  case lines
  /// LSP's `Content-Length: N` header block before each message.
  case headers
}

/// One message as it came in: valid JSON, with the places of the envelope's members.
public struct Frame {
  /// The message's text inside the decoder's buffer: valid until the decoder is asked for the next one.
  public let text: UnsafeRawBufferPointer
  public let framing: Framing
  public let outline: Outline
}

/// Input that is no message. The session answers it and goes on.
public struct FrameFailure: Error, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// Not JSON, or neither a message nor a header block: -32700.
    case malformed
    /// Longer than the limit: -32600.
    case tooLarge(limit: Int)
  }

  public var kind: Kind
  public var reason: String
  /// Where decoding stopped, both counted from 1, the column in bytes.
  public var line: Int
  public var column: Int
  /// The framing that the input was in; nil where it was in none.
  public var framing: Framing?
  /// The `id` of a message that was too large, as it was sent, when it stood near the start.
  public var id: [UInt8]?
}
