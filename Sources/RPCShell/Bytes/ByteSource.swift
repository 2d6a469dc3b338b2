import Glibc

/// Where the session reads from.
public protocol ByteSource {
  /// For `poll(2)`.
  var descriptor: Int32 { get }

  /// Reads what is there, up to `count` bytes, after `poll` said that there is something.
  func read(into room: UnsafeMutableRawPointer, _ count: Int) -> ReadOutcome
}

public enum ReadOutcome: Equatable, Sendable {
  case bytes(Int)
  case wouldBlock
  case end
  case failed(errno: Int32)
}

/// A descriptor of this process.
public struct DescriptorSource: ByteSource {
  public let descriptor: Int32

  public init(descriptor: Int32) { self.descriptor = descriptor }

  public func read(into room: UnsafeMutableRawPointer, _ count: Int) -> ReadOutcome {
    while true {
      let got = Glibc.read(descriptor, room, count)
      if got > 0 { return .bytes(got) }
      if got == 0 { return .end }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      case let code: return .failed(errno: code)
      }
    }
  }
}
