import Glibc

/// Copies every byte in and out to two files, so that a bug report can be replayed: `rpcshell < FILE.in`.
public struct Trace: Sendable {
  private let input: Int32
  private let output: Int32

  /// Opens `path.in` and `path.out`, emptied.
  /// - Returns: nil with `errno` set when one cannot be written.
  public init?(path: String) {
    // A FIFO that nobody reads is an error at once, and loses what does not fit later.
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK
    input = open(path + ".in", flags, 0o600)
    guard input >= 0 else { return nil }
    output = open(path + ".out", flags, 0o600)
    guard output >= 0 else { return nil }
  }

  /// The same source, with what is read from it copied.
  public func tracing(_ source: any ByteSource) -> any ByteSource { TracedSource(base: source, copy: input) }

  /// The same sink, with what was written to it copied.
  public func tracing(_ sink: any ByteSink) -> any ByteSink { TracedSink(base: sink, copy: output) }
}

private struct TracedSource: ByteSource {
  let base: any ByteSource
  let copy: Int32

  var descriptor: Int32 { base.descriptor }

  func read(into room: UnsafeMutableRawPointer, _ count: Int) -> ReadOutcome {
    let outcome = base.read(into: room, count)
    if case .bytes(let got) = outcome { append(UnsafeRawBufferPointer(start: room, count: got), to: copy) }
    return outcome
  }
}

private struct TracedSink: ByteSink {
  let base: any ByteSink
  let copy: Int32

  var descriptor: Int32 { base.descriptor }

  func write(_ bytes: UnsafeRawBufferPointer) -> WriteOutcome {
    let outcome = base.write(bytes)
    if case .wrote(let sent) = outcome { append(UnsafeRawBufferPointer(rebasing: bytes[..<sent]), to: copy) }
    return outcome
  }
}

/// Files do not wait; a full disk loses the copy, never the session.
private func append(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
  var rest = bytes
  while !rest.isEmpty {
    let sent = Glibc.write(descriptor, rest.baseAddress, rest.count)
    if sent < 0 && errno == EINTR { continue }
    guard sent > 0 else { return }
    rest = UnsafeRawBufferPointer(rebasing: rest[sent...])
  }
}
