/// Messages behind a header block, and the way back when the block is broken.
extension FrameDecoder {
  /// The next message, if it is there whole behind exactly `Content-Length: N`, as nearly every client writes it.
  @inline(__always)
  mutating func wholeBody() -> Frame? {
    guard case .between = mode, options.framing != .lines, buffer.count > 24 else { return nil }
    let bytes = buffer.first
    guard equal(bytes, "Content-Length: ") else { return nil }
    var at = 16
    var length = 0
    while at < 24, isDigit(bytes[at]) {
      length = length * 10 + Int(bytes[at] & 0xF)
      at += 1
    }
    guard at > 16, buffer.count >= at + 4 + length, length <= options.maxMessage, equal(bytes + at, "\r\n\r\n") else {
      return nil
    }
    let body = UnsafeRawBufferPointer(start: bytes + at + 4, count: length)
    var outline = Outline()
    guard case .complete(let end) = scanner.scan(body, outline: &outline), end == length else { return nil }
    buffer.consume(at + 4)
    handedOut = length
    return Frame(text: body, framing: .headers, outline: outline)
  }

  mutating func readHeaderLine(_ block: HeaderBlock) -> Step {
    guard let end = lineEnd(from: 0) else {
      if block.count + buffer.count > HeaderBlock.limit { return breakOff(HeaderError.tooLong.reason) }
      if isFinished && !buffer.isEmpty || isFinished && block.count > 0 {
        return breakOff("header block cut off by the end of input")
      }
      return .item(.needsInput)
    }
    let line = UnsafeRawBufferPointer(rebasing: buffer.readable[..<(end - 1)])
    if line.isEmpty || line.count == 1 && line[0] == UInt8(ascii: "\r") { return endHeaders(block, length: end) }
    var block = block
    do throws(HeaderError) {
      try block.read(line)
    } catch {
      return breakOff(error.reason)
    }
    buffer.consume(end)
    mode = .headers(block)
    return .again
  }

  private mutating func endHeaders(_ block: HeaderBlock, length: Int) -> Step {
    guard let contentLength = block.contentLength else {
      return breakOff(block.charsetError ?? "header block without Content-Length")
    }
    buffer.consume(length)
    mode = .body(contentLength)
    guard let reason = block.charsetError else { return .again }
    // The body is in an encoding that nobody here reads: it goes unread.
    let failure = malformed(reason, at: 0)
    mode = .skippedBody(contentLength)
    return .item(.failure(failure))
  }

  /// Answers a broken header block. Its line goes, unless a message starts right there.
  private mutating func breakOff(_ reason: String) -> Step {
    let failure = malformed(reason, at: 0)
    mode = .resynchronising(isInLine: false)
    return .item(.failure(failure))
  }

  /// Passes over lines until one starts with `{`, `[` or `Content-Length:`.
  ///
  /// - Parameter isInLine: the start of the line at hand is dropped already.
  mutating func resynchronise(isInLine: Bool) -> Step {
    guard !buffer.isEmpty else { return .item(.needsInput) }
    if !isInLine, startsMessage(line(from: 0)) {
      mode = .between
      return .again
    }
    guard let end = lineEnd(from: 0) else {
      // What is there might still become a header line, unless it is too long for one.
      if isFinished || isInLine || buffer.count > HeaderBlock.limit {
        buffer.removeAll()
        mode = .resynchronising(isInLine: true)
      }
      return .item(.needsInput)
    }
    buffer.consume(end)
    mode = .resynchronising(isInLine: false)
    return .again
  }

  private func startsMessage(_ line: UnsafeRawBufferPointer) -> Bool {
    let opensText = line.first == UInt8(ascii: "{") || line.first == UInt8(ascii: "[")
    return opensText && options.framing != .headers || isContentLength(line)
  }

  /// Whether a line reads `Content-Length: N`, with a number that can be used.
  private func isContentLength(_ line: UnsafeRawBufferPointer) -> Bool {
    guard HeaderBlock.lineStart(line) == .header, lineEnd(from: 0) != nil else { return false }
    var block = HeaderBlock()
    do throws(HeaderError) { try block.read(line) } catch { return false }
    return block.contentLength != nil
  }

  // MARK: Bodies

  mutating func readBody(_ length: Int) -> Step {
    if length > options.maxMessage { return startSkippingBody(length) }
    guard buffer.count >= length else {
      guard isFinished else { return .item(.needsInput) }
      let failure = malformed("body cut off after \(buffer.count) of \(length) bytes", at: buffer.count)
      discard(buffer.count)
      return .item(.failure(failure))
    }
    guard length > 0 else {
      let failure = malformed("empty body", at: 0)
      mode = .between
      return .item(.failure(failure))
    }
    if buffer.readable[..<length].starts(with: Self.byteOrderMark) {
      buffer.consume(Self.byteOrderMark.count)
      mode = .body(length - Self.byteOrderMark.count)
      return .again
    }
    let body = UnsafeRawBufferPointer(rebasing: buffer.readable[..<length])
    var outline = Outline()
    let failure: JSONParseFailure
    switch scan(body, &outline) {
    case .complete(let end):
      guard let rest = body[end...].firstIndex(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D && $0 != 0x0A }) else {
        return handOut(length, outline, .headers)
      }
      failure = JSONParseFailure(
        offset: rest, reason: "expected nothing after the message within its \(length) bytes of Content-Length")
    case .invalid(let found): failure = found
    case .incomplete:
      if isScalar(body) { return handOut(length, outline, .headers) }
      failure = JSONParseFailure(
        offset: length, reason: "the message goes on past its \(length) bytes of Content-Length")
    }
    let answer = malformed(failure, until: length)
    discard(length)
    return .item(.failure(answer))
  }

  /// A number that ends with the body looks unfinished to the scanner; it is JSON all the same, if no request.
  private func isScalar(_ body: UnsafeRawBufferPointer) -> Bool {
    (try? JSONDocument(parsing: body)) != nil
  }
}
