import Glibc

/// Linux's own, which the Glibc module leaves out. Setting the flag later would leave a moment for a child of another
/// test to be started in.
@_silgen_name("pipe2")
private func pipe2(_ ends: UnsafeMutablePointer<Int32>, _ flags: Int32) -> Int32

/// Both ends of a pipe, closed on exec so that no child of another test holds them open.
struct Pipe {
  let reader: Int32
  let writer: Int32

  init() {
    ignoreBrokenPipes
    var ends: [Int32] = [-1, -1]
    precondition(pipe2(&ends, O_CLOEXEC) == 0, "no pipe: \(errno)")
    (reader, writer) = (ends[0], ends[1])
  }
}

/// Writing into a pipe that nobody reads is an error for the writer, not the end of the test run.
let ignoreBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()

/// Writes everything, waiting as long as it takes.
/// - Returns: false when nobody reads any more.
@discardableResult
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  bytes.withUnsafeBytes { bytes in
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if sent < 0 && errno == EINTR { continue }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }
}

/// Reads what is there, waiting for the first byte. Empty at the end.
func readSome(_ descriptor: Int32, atMost limit: Int = 1 << 16) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: limit) { room, count in
    while true {
      let got = read(descriptor, room.baseAddress, room.count)
      if got < 0 && errno == EINTR { continue }
      count = max(got, 0)
      return
    }
  }
}

/// Reads to the end.
func readAll(_ descriptor: Int32) -> [UInt8] {
  var all: [UInt8] = []
  while true {
    let some = readSome(descriptor)
    if some.isEmpty { return all }
    all += some
  }
}
