/// A message in lines that is followed by its brackets.
struct Continuation {
  var balance = JSONBalance()
  /// How far.
  var followed = 0
  /// Whether its first line was whole and was scanned, and is not the end of it.
  var isScanned: Bool
}

/// Messages in lines: one a line as a rule, over several lines or without a line end all the same.
extension FrameDecoder {
  /// Reads a message that its own line ends, or that ends before that.
  mutating func readLine() -> Step {
    guard let end = currentLineEnd() ?? (isFinished ? buffer.count : nil) else {
      return followBrackets(isScanned: false)
    }
    // A line that is too long may start with a message that is not.
    if end > options.maxMessage { return followBrackets(isScanned: true) }
    var outline = Outline()
    switch scanner.scan(UnsafeRawBufferPointer(rebasing: buffer.readable[..<end]), outline: &outline) {
    case .complete(let length): return handOut(length, outline, .lines)
    case .invalid(let failure): return reject(failure, until: end)
    case .incomplete: return followBrackets(isScanned: true)
    }
  }

  private mutating func followBrackets(isScanned: Bool) -> Step {
    mode = .continued(Continuation(isScanned: isScanned))
    return .again
  }

  /// Follows the brackets of a message that goes on over several lines, or whose line end has not come.
  ///
  /// What comes out must not depend on how the bytes were cut when they came: a first line is scanned as soon as it is
  /// whole, and never more than the limit is looked at.
  mutating func follow(_ message: Continuation) -> Step {
    var message = message
    while true {
      if let step = stopAtLineStart(message) { return step }
      let piece = buffer.readable[message.followed..<min(buffer.count, options.maxMessage)]
      switch message.balance.advance(over: UnsafeRawBufferPointer(rebasing: piece)) {
      case .closed(let end): return finishContinued(length: message.followed + end)
      case .broken where !message.isScanned, .lineEnd where !message.isScanned:
        mode = .line
        return .again
      case .broken(let end):
        let failure = JSONParseFailure(offset: message.followed + end - 1, reason: "line end in a string")
        return reject(failure, until: message.followed + end)
      case .lineEnd(let end): message.followed += end
      case .open: return pause(message)
      }
    }
  }

  /// At the start of a line, another message may end this one.
  private mutating func stopAtLineStart(_ message: Continuation) -> Step? {
    let followed = message.followed
    guard followed > 0, buffer.readable[followed - 1] == UInt8(ascii: "\n") else { return nil }
    switch startOfNextMessage(at: followed) {
    case .some(true): return reject(unfinished(at: followed), until: followed)
    case .none where !isFinished:
      mode = .continued(message)
      return .item(.needsInput)
    default: return nil
    }
  }

  /// All that is there was followed, and the message is still open.
  private mutating func pause(_ message: Continuation) -> Step {
    var message = message
    message.followed = buffer.count
    if message.followed > options.maxMessage { return startSkippingLines() }
    if isFinished {
      if message.isScanned { return reject(unfinished(at: message.followed), until: message.followed) }
      mode = .line
      return .again
    }
    mode = .continued(message)
    return .item(.needsInput)
  }

  private mutating func finishContinued(length: Int) -> Step {
    var outline = Outline()
    switch scanner.scan(UnsafeRawBufferPointer(rebasing: buffer.readable[..<length]), outline: &outline) {
    case .complete(let end): return handOut(end, outline, .lines)
    case .invalid(let failure): return reject(failure, until: lineEnd(from: length) ?? length)
    case .incomplete: return reject(unfinished(at: length), until: lineEnd(from: length) ?? length)
    }
  }

  /// Whether the line at this offset starts a message of its own; nil: too little of it is there to tell.
  func startOfNextMessage(at offset: Int) -> Bool? {
    guard offset < buffer.count else { return nil }
    let byte = buffer.readable[offset]
    if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") || byte == 0x1E { return true }
    guard isLetter(byte), options.framing != .lines else { return false }
    switch HeaderBlock.lineStart(line(from: offset)) {
    case .header: return true
    case .other: return false
    case .undecided: return lineEnd(from: offset) == nil ? nil : false
    }
  }

  private func unfinished(at offset: Int) -> JSONParseFailure {
    JSONParseFailure(offset: offset, reason: "unfinished message")
  }
}
