import Glibc

/// Where the session writes to. Never waits.
public protocol ByteSink {
  /// For `poll(2)`.
  var descriptor: Int32 { get }

  /// Writes as much as goes out at once.
  func write(_ bytes: UnsafeRawBufferPointer) -> WriteOutcome
}

public enum WriteOutcome: Equatable, Sendable {
  case wrote(Int)
  case wouldBlock
  /// Nobody reads any more (EPIPE).
  case closed
  case failed(errno: Int32)
}

/// A descriptor of this process, written to without waiting and without setting `O_NONBLOCK` on a description that
/// others share: that flag would reach the terminal, or the parent's end, of everybody who has it open.
public struct DescriptorSink: ByteSink {
  /// How a write can be kept from waiting.
  private enum Way {
    /// The description is ours alone, or someone else made it non-blocking, or it never waits (a file).
    case plain
    /// A socket: `MSG_DONTWAIT` for each call.
    case socket
    /// A shared pipe: after `poll` one page always fits (pipe(7), PIPE_BUF).
    case pages
  }

  private static let socketFlags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)

  public let descriptor: Int32
  private let way: Way

  /// - Parameter descriptor: taken over; a pipe or terminal is opened anew where /proc allows it.
  public init(takingOver descriptor: Int32) {
    var status = stat()
    let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
    switch kind {
    case S_IFSOCK:
      way = .socket
      self.descriptor = descriptor
    case S_IFIFO, S_IFCHR:
      let own = Self.reopen(descriptor)
      way = own < 0 ? .pages : .plain
      self.descriptor = own < 0 ? descriptor : own
      if own >= 0 { close(descriptor) }
    default:
      way = .plain
      self.descriptor = descriptor
    }
  }

  /// A description of our own for the same pipe or terminal (proc(5)), which does not wait; -1 where there is none.
  private static func reopen(_ descriptor: Int32) -> Int32 {
    let path = ByteBuffer(capacity: 32)
    path.append("/proc/self/fd/")
    path.append(decimal: Int(descriptor))
    path.append(byte: 0)
    return path.first.withMemoryRebound(to: CChar.self, capacity: path.count) { path in
      open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    }
  }

  public func write(_ bytes: UnsafeRawBufferPointer) -> WriteOutcome {
    while true {
      let sent: Int
      switch way {
      case .plain: sent = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      case .socket: sent = send(descriptor, bytes.baseAddress, bytes.count, Self.socketFlags)
      case .pages:
        guard isWritable else { return .wouldBlock }
        sent = Glibc.write(descriptor, bytes.baseAddress, min(bytes.count, Int(PIPE_BUF)))
      }
      if sent >= 0 { return .wrote(sent) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      case EPIPE, ECONNRESET: return .closed
      case let code: return .failed(errno: code)
      }
    }
  }

  private var isWritable: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, 0) > 0
  }
}
