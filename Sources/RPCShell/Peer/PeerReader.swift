import Glibc

/// Reads what somebody says whom the shell calls: the other end of the protocol that ``Session`` speaks.
package final class PeerReader {
  private var decoder: FrameDecoder
  /// The framing of the newest message; lines before any.
  package private(set) var framing = Framing.lines
  /// What a batch had beside its first.
  private var rest: [PeerMessage] = []

  /// - Parameter maxMessage: longer messages are skipped.
  package init(maxMessage: Int) { decoder = FrameDecoder(options: DecoderOptions(maxMessage: maxMessage)) }

  /// Takes what was read.
  package func append(_ bytes: [UInt8]) { decoder.buffer.append(bytes) }

  /// No more will come.
  package func finish() { decoder.finish() }

  /// The next message; nil when none is whole.
  package func next() -> PeerMessage? {
    if !rest.isEmpty { return rest.removeFirst() }
    switch decoder.next() {
    case .needsInput: return decoder.announcesTooMuch ? .lost(tooLarge) : nil
    case .failure(let failure): return refused(failure)
    case .frame(let frame):
      framing = frame.framing
      if frame.outline.isBatch { return batch(frame.text) }
      return message(Message(frame.text, frame.outline, isStrict: false), frame.outline)
    }
  }

  /// Nobody asks for batches, but what stands in one is taken as if it came alone.
  private func batch(_ text: UnsafeRawBufferPointer) -> PeerMessage {
    rest = BatchElements(text).map { message(Message($0.text, $0.outline, isStrict: false), $0.outline) }
    return rest.isEmpty ? .noise("a batch, which nobody asked for") : rest.removeFirst()
  }

  private var tooLarge: String { "a message over the limit of \(decoder.options.maxMessage) bytes" }

  private func refused(_ failure: FrameFailure) -> PeerMessage {
    switch failure.kind {
    case .malformed:
      // What is cut off by its writer's end is told by that.
      guard failure.isAnswer, !decoder.isFinished else {
        return .noise(String(decoding: failure.excerpt, as: UTF8.self).plainLine)
      }
      let reason = "line \(failure.line), column \(failure.column): \(failure.reason)"
      return failure.id.flatMap { Self.number($0[...]) }.map { .unusable(id: $0, reason) } ?? .nobodys(reason)
    case .tooLarge:
      // Where it ends nobody knows but its writer: it may never come.
      if failure.framing == .headers { return .lost(tooLarge) }
      if let id = failure.id.flatMap({ Self.number($0[...]) }) { return .unusable(id: id, tooLarge) }
      return failure.isAnswer ? .nobodys(tooLarge) : .noise(tooLarge)
    }
  }

  private func message(_ message: Message, _ outline: Outline) -> PeerMessage {
    switch message.kind {
    case .response: return answer(message, outline)
    case .call:
      let method = Self.name(message)
      guard let id = message.id else {
        return .notification(method: method, params: message.params.map { onOneLine($0, outline) })
      }
      return .request(id: JSONText(trusted: Array(id)), method: method)
    case .invalid(let reason):
      // An answer of null, from a library that leaves members out that have no value.
      if message.method.isEmpty, outline.method.isAbsent, let id = message.id.flatMap({ Self.number($0) }) {
        return .result(id: id, .null)
      }
      let text = "\(reason): " + String(decoding: message.text.prefix(160), as: UTF8.self).plainLine
      return outline.method.isAbsent && !(outline.result.isAbsent && outline.error.isAbsent)
        ? .nobodys(text) : .noise(text)
    }
  }

  private func answer(_ message: Message, _ outline: Outline) -> PeerMessage {
    let error = outline.error.isAbsent ? nil : message.text.part(outline.error)
    guard let text = message.id, let id = Self.number(text) else { return stray(message, error) }
    if let error, error[0] != UInt8(ascii: "n") {
      let text = onOneLine(error, outline)
      if let fault = Self.fault(ofError: text) { return .unusable(id: id, fault) }
      return .failure(id: id, RPCError(verbatim: text))
    }
    if outline.result.isAbsent { return .result(id: id, .null) }
    return .result(id: id, onOneLine(message.text.part(outline.result), outline))
  }

  /// Why an error object is none (JSON-RPC 2.0, section 5.1), with what it says all the same.
  private static func fault(ofError text: JSONText) -> String? {
    guard let error = try? JSONDocument(parsing: text).view, error.kind == .object else {
      return "its error is no object"
    }
    guard let message = error["message"]?.string else { return "its error has no message that is a string" }
    guard error["code"]?.integer == nil else { return nil }
    return "its error has no code that is an integer" + (message.isEmpty ? "" : " (\(message))")
  }

  private func stray(_ message: Message, _ error: UnsafeRawBufferPointer?) -> PeerMessage {
    let id = message.id.map { String(decoding: $0.prefix(80), as: UTF8.self).plainLine } ?? "none"
    let reason = error.map { RPCError(verbatim: JSONText(trusted: Array($0))).message.plainLine } ?? ""
    return .stray("id \(id)" + (reason.isEmpty ? "" : ": \(reason)"))
  }

  private func onOneLine(_ text: UnsafeRawBufferPointer, _ outline: Outline) -> JSONText {
    JSONText(oneLine: text, mayHaveBreaks: outline.needsCompaction)
  }

  private static func name(_ message: Message) -> String {
    guard message.hasEscapedName else { return String(decoding: message.method, as: UTF8.self) }
    let quoted = [UInt8(ascii: "\"")] + message.method + [UInt8(ascii: "\"")]
    return (try? JSONDocument(parsing: JSONText(trusted: quoted)))?.view.string ?? ""
  }

  /// An id as the shell gives them: a number without fraction, which some write with one.
  private static func number(_ text: some Collection<UInt8>) -> Int? {
    guard !text.isEmpty, text.count <= 18 else { return nil }
    var value = 0
    for byte in text {
      guard isDigit(byte) else { return Double(String(decoding: text, as: UTF8.self)).flatMap { Int(exactly: $0) } }
      value = value * 10 + Int(byte & 0xF)
    }
    return value
  }
}

extension JSONText {
  /// A value of a message: byte for byte, unless line breaks between its tokens, or characters that some take for line
  /// ends, would tear a line.
  ///
  /// - Parameter mayHaveBreaks: whether to look for them.
  package init(oneLine text: UnsafeRawBufferPointer, mayHaveBreaks: Bool) {
    guard mayHaveBreaks, text.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0xE2 }) else {
      self.init(trusted: Array(text))
      return
    }
    let buffer = ByteBuffer(capacity: text.count)
    buffer.appendCompacted(text)
    self.init(trusted: buffer.bytes)
  }
}
