import Glibc

/// Where the session writes to. Never waits.
public protocol ByteSink {
  /// For `poll(2)`.
  var descriptor: Int32 { get }

  /// Writes as much as goes out at once.
  func write(_ bytes: UnsafeRawBufferPointer) -> WriteOutcome
}

extension ByteSink {
  /// Bytes that were written and not read yet, where the system tells: in a pipe (pipe(7), FIONREAD). A pipe takes more
  /// only when a whole page was read.
  var unread: Int {
    var status = stat()
    var count: Int32 = 0
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return 0 }
    return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }
}

/// What became of a write.
public enum WriteOutcome: Equatable, Sendable {
  case wrote(Int)
  case wouldBlock
  /// Nobody reads any more (EPIPE).
  case closed
  case failed(errno: Int32)
}

/// A descriptor of this process, written to without waiting and without setting `O_NONBLOCK` on a description that
/// others share: that flag would reach the terminal, or the parent's end, of everybody who has it open.
public struct DescriptorSink: ByteSink, Sendable {
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
    if let own = OwnDescription.of(descriptor, O_WRONLY) {
      close(descriptor)
      self.descriptor = own
      way = .plain
    } else {
      self.descriptor = descriptor
      var status = stat()
      let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
      way = kind == S_IFSOCK ? .socket : kind == S_IFIFO || kind == S_IFCHR ? .pages : .plain
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
