@testable import RPCShell

/// A sink that misbehaves now and then.
final class FaultySink: ByteSink {
  /// What happens to one write.
  enum Fault {
    /// Nothing is written, and this comes back.
    case refuse(WriteOutcome)
    /// At most so many bytes are written.
    case shorten(to: Int)
  }

  private let base: any ByteSink
  private let fault: (Int) -> Fault?
  private var writes = 0

  /// - Parameter fault: what happens to the n-th write, counted from 1.
  init(_ base: any ByteSink, fault: @escaping @Sendable (Int) -> Fault?) {
    self.base = base
    self.fault = fault
  }

  var descriptor: Int32 { base.descriptor }

  func write(_ bytes: UnsafeRawBufferPointer) -> WriteOutcome {
    writes += 1
    switch fault(writes) {
    case .refuse(let outcome): return outcome
    case .shorten(let count): return base.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
    case nil: return base.write(bytes)
    }
  }
}

/// A source that gives what it has in small pieces, and may break.
final class FaultySource: ByteSource {
  private let base: any ByteSource
  private let atMost: Int
  private let fault: (Int) -> ReadOutcome?
  private var reads = 0

  /// - Parameters:
  ///   - atMost: bytes a read gives.
  ///   - fault: what the n-th read gives instead, counted from 1.
  init(_ base: any ByteSource, atMost: Int = .max, fault: @escaping @Sendable (Int) -> ReadOutcome? = { _ in nil }) {
    self.base = base
    self.atMost = atMost
    self.fault = fault
  }

  var descriptor: Int32 { base.descriptor }

  func read(into room: UnsafeMutableRawPointer, _ count: Int) -> ReadOutcome {
    reads += 1
    return fault(reads) ?? base.read(into: room, min(count, atMost))
  }
}
