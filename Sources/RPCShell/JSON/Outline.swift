/// A run of bytes inside a message, counted from the message's first byte.
struct ByteSpan: Equatable, Sendable {
  // 32 bits each: an outline is copied for every message, and no message is that long (DecoderOptions).
  private let low: UInt32
  private let high: UInt32

  var start: Int { Int(low) }
  var end: Int { Int(high) }

  init(start: Int, end: Int) {
    low = UInt32(truncatingIfNeeded: start)
    high = UInt32(truncatingIfNeeded: end)
  }

  /// Stands for "not there".
  static let absent = ByteSpan(start: 0, end: 0)

  var count: Int { end - start }
  var isAbsent: Bool { end == 0 }
}

/// Where the members of a JSON-RPC envelope stand in a message's text: what the scanner notes in passing, so that
/// `params` can stay text until somebody wants them.
struct Outline: Sendable {
  var jsonrpc = ByteSpan.absent
  var id = ByteSpan.absent
  var method = ByteSpan.absent
  var params = ByteSpan.absent
  var result = ByteSpan.absent
  var error = ByteSpan.absent
  /// `params.id` where it is a number: in a cancel it may be one that does not fit (docs/PROTOCOL.md, "Bytes and frames").
  var paramsID = ByteSpan.absent
  /// Members beside the envelope's own.
  var hasOtherMembers = false
  /// The message is an array of messages.
  var isBatch = false
  /// How many messages the array has.
  var elementCount = 0
  /// Blanks between tokens, or U+2028/U+2029 in a string: the text cannot be echoed as it stands.
  var needsCompaction = false
  /// Something was seen that only libjansson judges: escaped member names, very large objects or numbers.
  var needsJudge = false

  /// The envelope's members by name; the scanner looks each top-level name up here.
  enum Member: UInt8 { case jsonrpc, id, method, params, result, error, other }

  subscript(member: Member) -> ByteSpan {
    get {
      switch member {
      case .jsonrpc: jsonrpc
      case .id: id
      case .method: method
      case .params: params
      case .result: result
      case .error: error
      case .other: .absent
      }
    }
    set {
      switch member {
      case .jsonrpc: jsonrpc = newValue
      case .id: id = newValue
      case .method: method = newValue
      case .params: params = newValue
      case .result: result = newValue
      case .error: error = newValue
      case .other: break
      }
    }
  }
}

extension Outline {
  /// The text of `id`; nil when there is none, or when it is neither a string, a number nor null.
  @inline(__always)
  func usableID(in text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard !id.isAbsent else { return nil }
    let first = text[id.start]
    guard first == UInt8(ascii: "\"") || first == UInt8(ascii: "n") || first == UInt8(ascii: "-") || isDigit(first)
    else { return nil }
    return UnsafeRawBufferPointer(rebasing: text[id.start..<id.end])
  }
}

extension Outline.Member {
  /// - Parameter name: the name's bytes between its quotes, without escapes.
  @inline(__always)
  init(_ name: UnsafePointer<UInt8>, _ count: Int) {
    switch (count, name[0]) {
    case (2, UInt8(ascii: "i")) where name[1] == UInt8(ascii: "d"): self = .id
    case (5, UInt8(ascii: "e")) where equal(name, "error"): self = .error
    case (6, UInt8(ascii: "m")) where equal(name, "method"): self = .method
    case (6, UInt8(ascii: "p")) where equal(name, "params"): self = .params
    case (6, UInt8(ascii: "r")) where equal(name, "result"): self = .result
    case (7, UInt8(ascii: "j")) where equal(name, "jsonrpc"): self = .jsonrpc
    default: self = .other
    }
  }
}

/// Whether the bytes at `name` are those of `word` (of which there must be enough).
@inline(__always)
func equal(_ name: UnsafePointer<UInt8>, _ word: StaticString) -> Bool {
  let text = word.utf8Start
  for at in 0..<word.utf8CodeUnitCount where name[at] != text[at] { return false }
  return true
}
