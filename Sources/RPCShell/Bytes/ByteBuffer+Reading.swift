import Glibc

extension ByteBuffer {
  /// How reading a descriptor to its end came out.
  public enum ReadEnd: Equatable, Sendable {
    case complete
    /// There is more than may be.
    case tooLong
    case failed(errno: Int32)
  }

  /// Appends everything that a descriptor has, waiting for it.
  /// - Parameter limit: bytes that the buffer may hold then.
  public func append(allOf descriptor: Int32, upTo limit: Int) -> ReadEnd {
    while count <= limit {
      let got = read(descriptor, reserve(1 << 14), 1 << 14)
      if got == 0 { return .complete }
      if got > 0 { commit(got) } else if errno != EINTR { return .failed(errno: errno) }
    }
    return .tooLong
  }
}
