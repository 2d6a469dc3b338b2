import Glibc

/// Where the session reads from.
public protocol ByteSource {
  /// For `poll(2)`.
  var descriptor: Int32 { get }

  /// Reads what is there, up to `count` bytes, after `poll` said that there is something.
  func read(into room: UnsafeMutableRawPointer, _ count: Int) -> ReadOutcome
}

/// What a read brought.
public enum ReadOutcome: Equatable, Sendable {
  case bytes(Int)
  case wouldBlock
  case end
  case failed(errno: Int32)
}

/// A descriptor of this process. Does not wait even when somebody else reads from the same pipe and was faster, as far as
/// the system allows.
public struct DescriptorSource: ByteSource, Sendable {
  public let descriptor: Int32
  private let isSocket: Bool

  /// - Parameter descriptor: taken over; a pipe or terminal is opened anew where /proc allows it.
  public init(takingOver descriptor: Int32) {
    isSocket = OwnDescription.isSocket(descriptor)
    if let own = OwnDescription.of(descriptor, O_RDONLY) {
      close(descriptor)
      self.descriptor = own
    } else {
      self.descriptor = descriptor
    }
  }

  public func read(into room: UnsafeMutableRawPointer, _ count: Int) -> ReadOutcome {
    while true {
      let got =
        isSocket ? recv(descriptor, room, count, Int32(MSG_DONTWAIT)) : Glibc.read(descriptor, room, count)
      if got > 0 { return .bytes(got) }
      if got == 0 { return .end }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      // The peer went away without reading everything.
      case ECONNRESET: return .end
      case let code: return .failed(errno: code)
      }
    }
  }
}
