import Glibc

/// The process's stdin and stdout, moved out of everybody's way.
///
/// Afterwards descriptor 0 is /dev/null and descriptor 1 is stderr, so that a `print` or a child can neither eat input
/// nor tear a frame (docs/PROTOCOL.md, "Bytes and frames").
public struct StandardStreams {
  /// What was descriptor 0.
  public let input: DescriptorSource
  /// What was descriptor 1.
  public let output: DescriptorSink

  /// Moves the streams. Call once, before anything else opens a descriptor. A stdin that is closed reads as empty; a
  /// stdout that is closed fails at the first write.
  /// - Returns: nil, with `errno` set, when the process may not open enough descriptors.
  public static func take() -> StandardStreams? {
    let hasOutput = secure()
    let input = fcntl(0, F_DUPFD_CLOEXEC, 3)
    let output = hasOutput ? fcntl(1, F_DUPFD_CLOEXEC, 3) : -1
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard input >= 0, output >= 0 || !hasOutput, null >= 0 else { return nil }
    dup2(null, 0)
    close(null)
    divertPrints()
    return StandardStreams(
      input: DescriptorSource(takingOver: input), output: DescriptorSink(takingOver: output))
  }

  /// Makes writing to what nobody reads an error, and fills standard descriptors that are closed: they would be handed to
  /// the next file that is opened.
  /// - Returns: whether there is a stdout.
  static func secure() -> Bool {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    let hasOutput = fcntl(1, F_GETFD) >= 0
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY)
    }
    return hasOutput
  }

  /// Points descriptor 1 at stderr. What a handler prints while nobody reads stderr is lost; it does not wait.
  private static func divertPrints() {
    let own = OwnDescription.of(2, O_WRONLY)
    dup2(own ?? 2, 1)
    if let own { close(own) }
  }
}

/// Pipes and terminals opened anew through /proc (proc(5)), so that they do not wait and nobody else's do.
enum OwnDescription {
  /// - Parameter access: `O_RDONLY` or `O_WRONLY`.
  /// - Returns: a new descriptor; nil for files, for sockets, for what all writers have left, and where /proc
  ///   does not help.
  static func of(_ descriptor: Int32, _ access: Int32) -> Int32? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    let kind = status.st_mode & S_IFMT
    // Opening the multiplexer of pseudoterminals makes a new one.
    guard kind == S_IFIFO || kind == S_IFCHR && status.st_rdev != pseudoterminalMultiplexer else { return nil }
    // A FIFO that is open for both outlives its writers; ours must, too.
    let isForBoth = kind == S_IFIFO && fcntl(descriptor, F_GETFL) & O_ACCMODE == O_RDWR
    let path = ByteBuffer(capacity: 32)
    path.append("/proc/self/fd/")
    path.append(decimal: Int(descriptor))
    path.append(byte: 0)
    let own = path.first.withMemoryRebound(to: CChar.self, capacity: path.count) { path in
      open(path, (isForBoth ? O_RDWR : access) | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    }
    guard own >= 0 else { return nil }
    if access == O_RDONLY && isHungUp(descriptor) {
      close(own)
      return nil
    }
    return own
  }

  /// Whether all writers of a FIFO have been there and gone (fifo(7)). One that is opened only then would wait for the
  /// next writer, while this descriptor sees the end; reading from it does not wait any more.
  private static func isHungUp(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0 && Int32(entry.revents) & POLLHUP != 0
  }

  static func isSocket(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  /// /dev/ptmx: major 5, minor 2 (makedev(3)).
  private static let pseudoterminalMultiplexer: dev_t = 5 << 8 | 2
}
