import Glibc

/// The process's stdin and stdout, moved out of everybody's way.
///
/// Afterwards descriptor 0 is /dev/null and descriptor 1 is stderr, so that a `print` or a child can neither eat input
/// nor tear a frame (docs/PROTOCOL.md, "Bytes and frames").
public struct StandardStreams {
  public let input: DescriptorSource
  public let output: DescriptorSink

  /// Moves the streams. Call once, before anything else opens a descriptor. A stdin that is closed reads as empty; a
  /// stdout that is closed fails at the first write.
  public static func take() -> StandardStreams {
    signal(SIGPIPE, SIG_IGN)
    let hasOutput = fcntl(1, F_GETFD) >= 0
    // A closed standard descriptor would be handed to the next file that is opened.
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY)
    }
    let input = fcntl(0, F_DUPFD_CLOEXEC, 3)
    let output = hasOutput ? fcntl(1, F_DUPFD_CLOEXEC, 3) : -1
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    dup2(null, 0)
    close(null)
    dup2(2, 1)
    return StandardStreams(
      input: DescriptorSource(descriptor: input), output: DescriptorSink(takingOver: output))
  }
}
