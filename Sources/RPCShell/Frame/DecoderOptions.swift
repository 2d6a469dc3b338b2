/// What a session accepts as a message.
public struct DecoderOptions: Sendable {
  /// The only framing that is understood; nil is both.
  public var framing: Framing?
  /// Bytes; longer messages are skipped. At most ``largest``.
  public var maxMessage: Int
  /// Bytes. Places in a message are counted in 32 bits.
  public static let largest = 1 << 31

  /// Both framings and 64 MiB, unless told otherwise.
  public init(framing: Framing? = nil, maxMessage: Int = 64 << 20) {
    self.framing = framing
    self.maxMessage = maxMessage
  }
}
