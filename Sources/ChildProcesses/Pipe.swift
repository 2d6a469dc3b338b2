import CLinux
import Glibc

/// Both ends of a pipe (pipe(2)), which children do not inherit.
struct Pipe {
  let reading: Int32
  let writing: Int32

  /// - Returns: nil, with `errno` set, where the process may not open more.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard cl_pipe(&ends) == 0 else { return nil }
    (reading, writing) = (ends[0], ends[1])
  }

  func close() {
    Glibc.close(reading)
    Glibc.close(writing)
  }
}

/// The three pipes of a child.
struct ChildPipes {
  let input, output, error: Pipe

  /// - Returns: nil, with `errno` set, where the process may not open more.
  init?() {
    guard let input = Pipe() else { return nil }
    guard let output = Pipe() else {
      let code = errno
      input.close()
      errno = code
      return nil
    }
    guard let error = Pipe() else {
      let code = errno
      input.close()
      output.close()
      errno = code
      return nil
    }
    (self.input, self.output, self.error) = (input, output, error)
    // Only our ends: a child waits for its own. A new pipe has no other flag.
    for descriptor in [input.writing, output.reading, error.reading] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
  }

  func closeChildsEnds() {
    for descriptor in [input.reading, output.writing, error.writing] { Glibc.close(descriptor) }
  }

  func closeAll() {
    for pipe in [input, output, error] { pipe.close() }
  }
}
