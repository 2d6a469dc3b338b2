import Glibc

/// Turns bytes into messages: both framings, told apart for each message by how it starts, with limits and a way back
/// after every kind of bad input (docs/PROTOCOL.md, "Bytes and frames"). Does no I/O: append to ``buffer``, then ask ``next()`` until
/// it needs more.
struct FrameDecoder: ~Copyable {
  enum Item {
    case frame(Frame)
    case failure(FrameFailure)
    /// Nothing whole is left; read more, or, after ``finish()``, there is no more.
    case needsInput
  }

  /// What the bytes at the start of the buffer belong to.
  enum Mode {
    /// Nothing yet: the next message starts at the first byte that is not blank.
    case between
    /// A message in lines.
    case line
    /// A message that its first line did not end, or whose line end has not come.
    case continued(Continuation)
    /// The rest of a line that was answered already.
    case lineRest
    /// A header block, read line by line.
    case headers(HeaderBlock)
    /// A body of this many bytes.
    case body(Int)
    /// What is left of a body that is not read.
    case skippedBody(Int)
    /// What is left of a message in lines that is too large.
    case oversizedLines(JSONBalance)
    /// After a broken header block: lines are passed over until one starts a message.
    case resynchronising(isInLine: Bool)
  }

  /// The input: read into it, then call ``next()``.
  let buffer = ByteBuffer(capacity: 1 << 16)
  private(set) var options: DecoderOptions
  var mode = Mode.between
  let scanner = JSONScanner()
  /// Where the line at hand ends, and how far was looked for that, as places in the whole input.
  private var lineEndPlace = 0
  private var searchedPlace = 0
  /// The message handed out last lies at the start of the buffer until the next call.
  var handedOut = 0
  private(set) var isFinished = false

  init(options: DecoderOptions = DecoderOptions()) {
    self.options = options
    self.options.maxMessage = min(options.maxMessage, DecoderOptions.largest)
  }

  /// No more input will come: what is unfinished is unfinished for good.
  mutating func finish() { isFinished = true }

  /// Whether a message in lines has begun and not ended: silence ends it (``expire()``).
  var isWaitingForLines: Bool {
    switch mode {
    case .line, .continued: true
    default: false
    }
  }

  /// Whether a message has begun whose header block says that it is over the limit.
  var announcesTooMuch: Bool {
    if case .body(let length) = mode { length > options.maxMessage } else { false }
  }

  /// Gives up the unfinished message in lines.
  mutating func expire() -> FrameFailure? {
    dropHandedOut()
    guard isWaitingForLines else { return nil }
    let failure = malformed("unfinished message, and nothing came for a while", at: buffer.count)
    discard(buffer.count)
    return failure
  }

  mutating func next() -> Item {
    dropHandedOut()
    if let frame = wholeLine() ?? wholeBody() { return .frame(frame) }
    while true {
      switch step() {
      case .item(let item): return item
      case .again: continue
      }
    }
  }

  /// The next message, if it is there whole on a line of its own: by far the most of them, so they skip the steps.
  @inline(__always)
  private mutating func wholeLine() -> Frame? {
    guard case .between = mode, options.framing != .headers else { return nil }
    if buffer.isEmpty { return nil }
    if buffer.first.pointee == UInt8(ascii: "\n") { buffer.consume(1) }
    guard !buffer.isEmpty, buffer.first.pointee == UInt8(ascii: "{"), let end = currentLineEnd(),
      end <= options.maxMessage
    else { return nil }
    var outline = Outline()
    let line = UnsafeRawBufferPointer(start: buffer.first, count: end)
    guard case .complete(let length) = scanner.scan(line, outline: &outline) else { return nil }
    handedOut = length
    return Frame(text: UnsafeRawBufferPointer(start: buffer.first, count: length), framing: .lines, outline: outline)
  }

  static var byteOrderMark: [UInt8] { [0xEF, 0xBB, 0xBF] }

  // MARK: One step

  /// What one look at the buffer came to.
  enum Step {
    case item(Item)
    case again
  }

  private mutating func step() -> Step {
    switch mode {
    case .between: return begin()
    case .line: return readLine()
    case .continued(let message): return follow(message)
    case .lineRest: return skipLine()
    case .headers(let block): return readHeaderLine(block)
    case .body(let length): return readBody(length)
    case .skippedBody(let left): return skipBody(left)
    case .oversizedLines(let balance): return skipLines(balance)
    case .resynchronising(let isInLine): return resynchronise(isInLine: isInLine)
    }
  }

  /// Finds where the next message starts, and in which framing.
  private mutating func begin() -> Step {
    let text = buffer.readable
    var at = 0
    while at < text.count {
      switch text[at] {
      case 0x20, 0x09, 0x0D, 0x0A, 0x1E: at += 1
      case 0xEF:
        // A byte order mark, or the start of one.
        let mark = Self.byteOrderMark
        let there = text[at..<min(at + 3, text.count)]
        guard there.elementsEqual(mark.prefix(there.count)) else { return begin(at: at, with: text[at]) }
        if there.count < 3 {
          if isFinished { return begin(at: at, with: text[at]) }
          buffer.consume(at)
          return .item(.needsInput)
        }
        at += 3
      case let byte: return begin(at: at, with: byte)
      }
    }
    buffer.consume(at)
    return .item(.needsInput)
  }

  private mutating func begin(at: Int, with byte: UInt8) -> Step {
    buffer.consume(at)
    if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["), options.framing != .headers {
      mode = .line
      return .again
    }
    if isLetter(byte), options.framing != .lines {
      switch HeaderBlock.lineStart(currentLine) {
      case .header:
        mode = .headers(HeaderBlock())
        return .again
      case .undecided where !isFinished && buffer.count <= HeaderBlock.limit && !hasLine: return .item(.needsInput)
      default: break
      }
    }
    mode = .lineRest
    return .item(.failure(malformed(expectation, at: 0)))
  }

  private var expectation: String {
    switch options.framing {
    case nil: "expected '{', '[' or a header line"
    case .lines: "expected '{' or '['"
    case .headers: "expected a header line"
    }
  }

  private mutating func skipLine() -> Step {
    guard let end = lineEnd(from: 0) else {
      buffer.removeAll()
      return .item(.needsInput)
    }
    discard(end)
    return .again
  }

  // MARK: Handing out

  @inline(__always)
  mutating func handOut(_ length: Int, _ outline: Outline, _ framing: Framing) -> Step {
    mode = .between
    handedOut = length
    let text = UnsafeRawBufferPointer(start: buffer.first, count: length)
    return .item(.frame(Frame(text: text, framing: framing, outline: outline)))
  }

  @inline(__always)
  private mutating func dropHandedOut() {
    if handedOut > 0 {
      buffer.consume(handedOut)
      handedOut = 0
    }
  }

  /// Answers a message that is not JSON and drops the bytes that it took.
  mutating func reject(_ failure: JSONParseFailure, until end: Int) -> Step {
    let answer = malformed(failure, until: end)
    let endsLine = end > 0 && buffer.readable[end - 1] == UInt8(ascii: "\n")
    discard(end)
    if !endsLine { mode = .lineRest }
    return .item(.failure(answer))
  }

  /// Drops bytes and starts afresh behind them.
  mutating func discard(_ count: Int) {
    buffer.consume(count)
    mode = .between
  }

  /// A message that is not JSON and ends at an offset: whose answer it was to be can mostly be told.
  func malformed(_ failure: JSONParseFailure, until end: Int) -> FrameFailure {
    var answer = malformed(failure.reason, at: failure.offset)
    let text = BrokenMessage(UnsafeRawBufferPointer(rebasing: buffer.readable[..<end]))
    answer.isAnswer = text.isAnswer
    answer.id = text.isAnswer ? text.id : nil
    return answer
  }

  func malformed(_ reason: String, at offset: Int) -> FrameFailure {
    failure(.malformed, reason, at: offset)
  }

  /// A failure at a byte of the buffer, with its line and column.
  func failure(_ kind: FrameFailure.Kind, _ reason: String, at offset: Int) -> FrameFailure {
    let before = buffer.readable[..<min(offset, buffer.count)]
    let line = before.reduce(into: 1) { if $1 == UInt8(ascii: "\n") { $0 += 1 } }
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return FrameFailure(
      kind: kind, reason: reason, line: line, column: offset - lineStart + 1, framing: framingAtHand,
      excerpt: Array(buffer.readable.prefix(Self.excerptLimit).prefix { $0 != UInt8(ascii: "\n") }))
  }

  private static let excerptLimit = 160

  /// What the bytes at hand are framed in, as far as they said.
  private var framingAtHand: Framing? {
    switch mode {
    case .line, .continued, .oversizedLines: .lines
    case .headers, .body, .skippedBody: .headers
    case .between, .lineRest, .resynchronising: options.framing
    }
  }

  /// Scans a text that is whole, or the start of one.
  func scan(_ text: UnsafeRawBufferPointer, _ outline: inout Outline) -> JSONScanner.Verdict {
    scanner.scan(text, outline: &outline)
  }

  // MARK: Line ends

  /// The offset behind the next LF, or nil. It is looked for once, however many messages stand before it.
  @inline(__always)
  mutating func currentLineEnd() -> Int? {
    let place = buffer.position
    if lineEndPlace > place { return lineEndPlace - place }
    guard let end = lineEnd(from: max(searchedPlace - place, 0)) else {
      searchedPlace = place + buffer.count
      return nil
    }
    lineEndPlace = place + end
    searchedPlace = lineEndPlace
    return end
  }

  /// The offset behind the next LF from an offset on, or nil.
  @inline(__always)
  func lineEnd(from offset: Int) -> Int? {
    let base = buffer.first
    guard let found = memchr(base + offset, 10, buffer.count - offset) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
  }

  private var hasLine: Bool { lineEnd(from: 0) != nil }
  private var currentLine: UnsafeRawBufferPointer { line(from: 0) }

  /// The bytes from `offset` to the end of their line, or of what is there of it.
  func line(from offset: Int) -> UnsafeRawBufferPointer {
    let end = lineEnd(from: offset).map { $0 - 1 } ?? buffer.count
    return UnsafeRawBufferPointer(rebasing: buffer.readable[offset..<end])
  }
}
