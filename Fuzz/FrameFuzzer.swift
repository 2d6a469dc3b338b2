/// FrameDecoder over any bytes in any chunks: it ends, it stores no more than it may, and what it finds does not depend
/// on how the input was cut. See README.md.
///
/// Input: a byte of options, a byte that says how many chunk sizes follow, those sizes, and then the stream.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  var input = UnsafeBufferPointer(start: data, count: size)[...]
  guard let first = input.popFirst(), let count = input.popFirst() else { return 0 }
  let sizes = input.prefix(Int(count & 0xF)).map { 1 + Int($0 & 0x7F) }
  let stream = Array(input.dropFirst(sizes.count))
  var options = DecoderOptions()
  options.framing = [nil, .lines, .headers, nil][Int(first & 3)]
  options.maxMessage = first & 4 == 0 ? 1 << 20 : 64

  let whole = Decoding(stream, options, chunkSizes: [])
  precondition(Decoding(stream, options, chunkSizes: sizes).items == whole.items, "chunks change what is found")
  if stream.count < 1000 {
    precondition(Decoding(stream, options, chunkSizes: [1]).items == whole.items, "single bytes change what is found")
  }
  precondition(Decoding(finishedBefore: stream, options).items == whole.items, "an early end changes what is found")
  checkOrder(whole.items, stream)
  _ = Decoding(stream, options, chunkSizes: sizes, expires: true)
  return 0
}

private enum Item: Equatable {
  case frame([UInt8], Framing)
  case failure(FrameFailure)
}

/// One run of a decoder to the end of its input.
private struct Decoding {
  private(set) var items: [Item] = []

  /// - Parameter chunkSizes: used in turn, again and again; none is one chunk.
  init(_ stream: [UInt8], _ options: DecoderOptions, chunkSizes: [Int], expires: Bool = false) {
    var decoder = FrameDecoder(options: options)
    var rest = stream[...]
    var turn = 0
    while !rest.isEmpty {
      let size = chunkSizes.isEmpty ? rest.count : chunkSizes[turn % chunkSizes.count]
      turn += 1
      decoder.buffer.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
      drain(&decoder, atMost: stream.count + 2)
      precondition(decoder.buffer.count <= max(options.maxMessage, HeaderBlock.limit) + size, "stores too much")
      if expires, let failure = decoder.expire() { note(.failure(failure)) }
    }
    finish(&decoder, stream.count)
  }

  init(finishedBefore stream: [UInt8], _ options: DecoderOptions) {
    var decoder = FrameDecoder(options: options)
    decoder.buffer.append(stream)
    finish(&decoder, stream.count)
  }

  private mutating func finish(_ decoder: inout FrameDecoder, _ count: Int) {
    decoder.finish()
    drain(&decoder, atMost: count + 2)
    precondition(decoder.buffer.isEmpty, "leaves input behind")
    let found = items.count
    drain(&decoder, atMost: 0)
    precondition(items.count == found, "finds something behind the end")
  }

  private mutating func drain(_ decoder: inout FrameDecoder, atMost limit: Int) {
    while true {
      guard note(decoder.next()) else { return }
      precondition(items.count <= limit, "finds more than there is")
    }
  }

  /// - Returns: whether anything was found.
  @discardableResult
  private mutating func note(_ item: FrameDecoder.Item) -> Bool {
    switch item {
    case .needsInput: return false
    case .failure(let failure):
      check(failure)
      items.append(.failure(failure))
    case .frame(let frame):
      check(frame)
      items.append(.frame(Array(frame.text), frame.framing))
    }
    return true
  }

  private func check(_ failure: FrameFailure) {
    precondition(failure.line >= 1 && failure.column >= 1 && !failure.reason.isEmpty)
    if let id = failure.id { check(id) }
  }

  /// Every frame is asked what it is, as a session would.
  private func check(_ frame: Frame) {
    let first = frame.text.first { $0 > 0x20 }
    let opensContainer = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    precondition(opensContainer || frame.framing == .headers, "a line that is no message")
    precondition(frame.outline.isBatch == (first == UInt8(ascii: "[")), "a batch that is none")
    for isStrict in [false, true] {
      let message = Message(frame.text, frame.outline, isStrict: isStrict)
      if let id = message.id { check(Array(id)) }
      let end = frame.text.baseAddress! + frame.text.count
      for part in [message.method, message.params ?? message.method] {
        precondition(part.baseAddress! >= frame.text.baseAddress! && part.baseAddress! + part.count <= end)
      }
    }
  }

  private func check(_ id: [UInt8]) {
    let one = RequestID(id)
    precondition(one == RequestID(id) && one.hashValue == RequestID(id).hashValue && one.text == id)
  }
}

/// Frames are pieces of the input, one behind the other.
private func checkOrder(_ items: [Item], _ stream: [UInt8]) {
  var rest = stream[...]
  for case .frame(let text, _) in items {
    while !rest.starts(with: text) {
      precondition(rest.popFirst() != nil, "a frame that was not in the input")
    }
    rest = rest.dropFirst(text.count)
  }
}
