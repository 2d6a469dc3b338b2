import Glibc

/// A process that does nothing until it is ended.
struct IdleProcess: ~Copyable {
  let id: pid_t
  /// It reads from here, and there is nothing to read.
  private let input: Int32

  init() throws {
    let pipe = Pipe()
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    let child = try Spawn("/bin/cat", [], standard: [pipe.reader, null, null]).start()
    close(pipe.reader)
    close(null)
    (id, input) = (child, pipe.writer)
  }

  /// Ends it and waits until it is gone.
  consuming func end() {
    kill(id, SIGKILL)
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    close(input)
  }
}
