/// Frames on their way out: whole ones only, written by nobody else, gathered while there is more to answer.
///
/// A client that reads slowly is waited for without blocking: frames queue up, state events are merged into the one
/// of their plugin that waits, and the session stops reading when too much is unwritten (``isOverLimit``).
final class FrameWriter {
  enum Flush: Equatable {
    /// Everything is written.
    case done
    /// The rest waits until the sink can take more.
    case blocked
    /// Nobody reads any more; what is written from now on is dropped.
    case closed
    case failed(errno: Int32)
  }

  /// Unwritten bytes above which the session stops reading.
  static let limit = 64 << 20
  /// Bytes that are written at once, so that one write serves many replies.
  static let gather = 1 << 16
  /// Room for a header whose length is known only when the body is there.
  private static let headerRoom = 32

  private enum Waiting {
    case frames(ByteBuffer)
    case event(StateEvent, Framing)

    var cost: Int {
      switch self {
      case .frames(let buffer): buffer.count
      case .event(let event, _): event.cost
      }
    }
  }

  private let sink: any ByteSink
  /// Where frames are appended: written last.
  private var tail = ByteBuffer(capacity: 1 << 15)
  /// What is written before the tail; empty unless the sink was full.
  private var queue: [Waiting] = []
  private var queuedCost = 0
  /// Waiting events before this place take in no newer ones: an answer that tells of the state stands behind them.
  private var mergeStart = 0
  private(set) var isBlocked = false
  /// Bytes written so far.
  private(set) var written = 0
  /// Bytes read by the client so far, as far as can be told.
  var taken: Int { written - sink.unread }
  /// Set once nothing can be written any more.
  private(set) var ending: Flush?

  init(sink: any ByteSink) { self.sink = sink }

  var descriptor: Int32 { sink.descriptor }
  var isEmpty: Bool { tail.isEmpty && queue.isEmpty }
  var isOverLimit: Bool { isBlocked && queuedCost + tail.count > Self.limit }
  /// Whether enough is gathered to be worth a write.
  @inline(__always) var isFull: Bool { tail.count >= Self.gather || queuedCost >= Self.gather && !isBlocked }

  // MARK: Appending

  /// Appends one frame whose body `write` produces.
  @inline(__always)
  func frame(_ framing: Framing, _ write: (ByteBuffer) -> Void) {
    if isBlocked && isFull { rotate() }
    let start = tail.count
    switch framing {
    case .lines:
      write(tail)
      tail.append(byte: UInt8(ascii: "\n"))
    case .headers:
      _ = tail.reserve(Self.headerRoom)
      tail.commit(Self.headerRoom)
      write(tail)
      closeHeaders(start)
    }
  }

  /// Writes the header into the room in front of the body, which is moved up to it.
  private func closeHeaders(_ start: Int) {
    let length = tail.count - start - Self.headerRoom
    tail.append("Content-Length: ")
    tail.append(decimal: length)
    tail.append("\r\n\r\n")
    let frame = tail.first + start
    let header = frame + Self.headerRoom + length
    let headerLength = tail.count - start - Self.headerRoom - length
    frame.update(from: header, count: headerLength)
    (frame + headerLength).update(from: frame + Self.headerRoom, count: length)
    tail.truncate(to: start + headerLength + length)
  }

  /// Appends one frame whose body is there already, without copying a large one.
  func frame(_ framing: Framing, body: ByteBuffer) {
    guard body.count >= Self.gather else { return frame(framing) { $0.append(body.readable) } }
    if framing == .headers {
      tail.append("Content-Length: ")
      tail.append(decimal: body.count)
      tail.append("\r\n\r\n")
    } else {
      body.append(byte: UInt8(ascii: "\n"))
    }
    rotate()
    enqueue(.frames(body))
  }

  /// Appends a state event, or merges it into the one of its plugin that waits.
  func event(_ event: StateEvent, _ framing: Framing) {
    guard isBlocked else { return write(event, framing) }
    for at in queue.indices.dropFirst(mergeStart) {
      guard case .event(var waiting, let framing) = queue[at], waiting.plugin == event.plugin else { continue }
      queuedCost -= queue[at].cost
      waiting.absorb(event)
      queue[at] = .event(waiting, framing)
      queuedCost += queue[at].cost
      return
    }
    rotate()
    enqueue(.event(event, framing))
  }

  /// The next answer tells of a state: what is published after it must not be told before it.
  func keepOrder() {
    if isBlocked { mergeStart = queue.count }
  }

  private func write(_ event: StateEvent, _ framing: Framing) {
    let params = event.params
    frame(framing) { buffer in
      buffer.append("{\"jsonrpc\":\"2.0\",\"method\":\"")
      buffer.append(Array(event.plugin.utf8))
      buffer.append(".state\",\"params\":")
      buffer.append(params.bytes)
      buffer.append(byte: UInt8(ascii: "}"))
    }
  }

  private func rotate() {
    guard !tail.isEmpty else { return }
    enqueue(.frames(tail))
    tail = ByteBuffer(capacity: 1 << 12)
  }

  private func enqueue(_ item: Waiting) {
    queue.append(item)
    queuedCost += item.cost
  }

  // MARK: Writing

  /// Writes what can be written without waiting.
  func flush() -> Flush {
    if let ending {
      drop()
      return ending
    }
    isBlocked = false
    while !isEmpty {
      let next = nextBuffer()
      if next.isEmpty { break }
      let outcome = sink.write(next.readable)
      switch outcome {
      case .wrote(let count):
        next.consume(count)
        written += count
        queuedCost -= queue.isEmpty ? 0 : count
      case .wouldBlock:
        isBlocked = true
        return .blocked
      case .closed: return end(.closed)
      case .failed(let code): return end(.failed(errno: code))
      }
    }
    return .done
  }

  /// The buffer that is written first. An event becomes bytes, and can no longer be merged, only now.
  private func nextBuffer() -> ByteBuffer {
    while let first = queue.first {
      switch first {
      case .frames(let buffer):
        if !buffer.isEmpty { return buffer }
        queue.removeFirst()
        mergeStart = max(0, mergeStart - 1)
      case .event(let event, let framing):
        queuedCost -= first.cost
        let later = tail
        tail = ByteBuffer(capacity: event.cost)
        write(event, framing)
        queue[0] = .frames(tail)
        queuedCost += tail.count
        tail = later
      }
    }
    return tail
  }

  private func end(_ ending: Flush) -> Flush {
    self.ending = ending
    drop()
    return ending
  }

  private func drop() {
    queue = []
    queuedCost = 0
    mergeStart = 0
    tail.removeAll()
    isBlocked = false
  }
}
