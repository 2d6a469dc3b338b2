/// Messages over the limit: skipped as they stream by, never stored.
extension FrameDecoder {
  /// How much of such a message is looked through for its `id`.
  private var idWindow: Int { min(4096, options.maxMessage) }

  mutating func startSkippingBody(_ length: Int) -> Step {
    guard buffer.count >= idWindow || isFinished else { return .item(.needsInput) }
    mode = .skippedBody(length)
    return .item(.failure(tooLarge))
  }

  mutating func skipBody(_ left: Int) -> Step {
    let there = min(left, buffer.count)
    buffer.consume(there)
    guard left > there else {
      mode = .between
      return .again
    }
    mode = .skippedBody(left - there)
    return .item(.needsInput)
  }

  mutating func startSkippingLines() -> Step {
    let failure = tooLarge
    mode = .oversizedLines(JSONBalance())
    return .item(.failure(failure))
  }

  /// Follows the brackets to the end of the message, and drops the bytes on the way.
  mutating func skipLines(_ balance: JSONBalance) -> Step {
    var balance = balance
    while !buffer.isEmpty {
      switch balance.advance(over: buffer.readable) {
      case .closed(let end), .broken(let end):
        discard(end)
        return .again
      case .lineEnd(let end):
        switch startOfNextMessage(at: end) {
        case .some(true):
          discard(end)
          return .again
        case .none where !isFinished:
          // Undecided: keep the line end, so that the next look starts at the same place.
          buffer.consume(end - 1)
          mode = .oversizedLines(balance)
          return .item(.needsInput)
        default: buffer.consume(end)
        }
      case .open: buffer.removeAll()
      }
    }
    mode = .oversizedLines(balance)
    return .item(.needsInput)
  }

  private var tooLarge: FrameFailure {
    let window = UnsafeRawBufferPointer(rebasing: buffer.readable.prefix(idWindow))
    var answer = failure(.tooLarge(limit: options.maxMessage), "message over \(options.maxMessage) bytes", at: 0)
    // The ids in a batch are those of its elements.
    guard window.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return answer }
    var outline = Outline()
    _ = scan(window, &outline)
    answer.isAnswer = outline.method.isAbsent
    if let id = outline.usableID(in: window) { answer.id = Array(id) }
    return answer
  }
}
