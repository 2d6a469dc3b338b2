import Glibc

/// What one JSON value of the wire asks for (JSON-RPC 2.0, sections 4 and 5). Its parts point into the frame's text.
struct Message {
  enum Kind {
    /// A method to call. Without an id it is a notification.
    case call
    /// An answer to a request of the shell's own.
    case response
    /// No message of JSON-RPC: answered with -32600 and this text.
    case invalid(StaticString)
  }

  /// The whole value.
  let text: UnsafeRawBufferPointer
  var kind: Kind
  /// The text of `id`; nil when there is none or it cannot be used.
  var id: UnsafeRawBufferPointer?
  /// The method's name between its quotes.
  var method: UnsafeRawBufferPointer
  /// Whether the method's name is not written out yet.
  private var isNameEscaped = true
  /// The text of `params`; nil when there are none.
  var params: UnsafeRawBufferPointer?
  /// Whether the text holds blanks between tokens, so that `params` cannot be echoed as they stand.
  var needsCompaction: Bool

  /// Bytes that an id, or a token, may have: they are kept while their requests run.
  static let idLimit = 4096

  /// - Parameters:
  ///   - text: a valid JSON value.
  ///   - isStrict: whether a missing `jsonrpc` member and unknown ones are refused.
  @inline(__always)
  init(_ text: UnsafeRawBufferPointer, _ outline: Outline, isStrict: Bool) {
    let base = text.baseAddress!
    self.text = text
    method = UnsafeRawBufferPointer(start: base, count: 0)
    params = outline.params.isAbsent ? nil : text.part(outline.params)
    needsCompaction = outline.needsCompaction
    kind = .call

    id = outline.usableID(in: text)
    if id == nil && !outline.id.isAbsent {
      kind = .invalid("id must be a string, a number or null")
      return
    }
    if outline.id.count > Self.idLimit {
      id = nil
      kind = .invalid("id may have up to 4096 bytes")
      return
    }
    // Whatever else is wrong with an answer, it is not answered itself.
    if outline.method.isAbsent, id != nil, !outline.result.isAbsent || !outline.error.isAbsent {
      kind = .response
      return
    }
    if outline.jsonrpc.isAbsent {
      if isStrict || !isObject(text) {
        kind = .invalid(isStrict && isObject(text) ? "the member \"jsonrpc\" is missing" : "expected an object")
        return
      }
    } else if !isVersion(text.part(outline.jsonrpc)) {
      kind = .invalid("\"jsonrpc\" must be \"2.0\"")
      return
    }
    if outline.method.isAbsent {
      kind = .invalid("the member \"method\" is missing")
      return
    }
    if isStrict, outline.hasOtherMembers || !outline.result.isAbsent || !outline.error.isAbsent {
      kind = .invalid("expected only \"jsonrpc\", \"id\", \"method\" and \"params\"")
      return
    }
    guard text[outline.method.start] == UInt8(ascii: "\"") else {
      kind = .invalid("\"method\" must be a string")
      return
    }
    method = UnsafeRawBufferPointer(start: base + outline.method.start + 1, count: outline.method.count - 2)
  }

  /// Whether the method's name has escapes that are to be decoded.
  var hasEscapedName: Bool { isNameEscaped && method.contains(UInt8(ascii: "\\")) }

  /// The same message with its method's name decoded.
  func calling(_ name: UnsafeRawBufferPointer) -> Message {
    var message = self
    message.method = name
    message.isNameEscaped = false
    return message
  }

  @inline(__always)
  private func isVersion(_ text: UnsafeRawBufferPointer) -> Bool {
    if text.count == 5 { return equal(text.baseAddress!.assumingMemoryBound(to: UInt8.self), "\"2.0\"") }
    return text.contains(UInt8(ascii: "\\")) && (try? JSONDocument(parsing: text))?.view.string == "2.0"
  }

  private func isObject(_ text: UnsafeRawBufferPointer) -> Bool {
    text.first { $0 > 0x20 } == UInt8(ascii: "{")
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  func part(_ span: ByteSpan) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: baseAddress! + span.start, count: span.count)
  }
}
