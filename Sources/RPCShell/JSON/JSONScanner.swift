/// Checks one JSON text of a message and notes where the envelope's members stand, in one pass and without a tree.
///
/// It accepts and rejects exactly what libjansson does (flags of `cj_decoding_flags`), but for nesting, which ends at
/// ``JSONScanner/depthLimit``, for numbers in an `id`, which may be of any size, and for a NUL behind a number or a word,
/// which libjansson 2.14 passes over. What is rare and intricate (member names with escapes, objects of more than
/// ``KeyTable/linearLimit`` members, numbers that may not fit) it hands to libjansson at the end. `Fuzz/` holds the two
/// against each other.
struct JSONScanner: ~Copyable {
  static let depthLimit = 512

  /// What the bytes turned out to be.
  enum Verdict: Equatable {
    /// One whole value, `end` bytes long.
    case complete(end: Int)
    /// Valid so far, but the value goes on past the end.
    case incomplete
    case invalid(JSONParseFailure)
  }

  private let keys = KeyTable()
  /// For each open container, what ``Place/level`` was outside it.
  private let levels: UnsafeMutablePointer<Int>
  private static let arrayMark = -1

  init() { levels = .allocate(capacity: Self.depthLimit + 1) }

  deinit { levels.deallocate() }

  /// Scans the value at the start of `text`, of which ``ByteBuffer/slack`` bytes past the end must be readable.
  ///
  /// - Parameter outline: where the members of the envelope stand, when the value is an object.
  func scan(_ text: UnsafeRawBufferPointer, outline: inout Outline) -> Verdict {
    guard let base = text.baseAddress else { return .incomplete }
    var cursor = ScanCursor(base: base, count: text.count)
    outline = Outline()
    cursor.skipBlanks()
    if cursor.at < cursor.end && cursor.at.pointee == UInt8(ascii: "[") { return scanBatch(&cursor, &outline) }
    return scanMessage(text, nesting: 0, outline: &outline)
  }

  /// Each element of an array at the top is a message of its own: an `id` in it may be a number of any size.
  private func scanBatch(_ cursor: inout ScanCursor, _ outline: inout Outline) -> Verdict {
    cursor.at += 1
    cursor.skipBlanks()
    guard cursor.at < cursor.end else { return .incomplete }
    if cursor.at.pointee == UInt8(ascii: "]") {
      outline.isBatch = true
      return .complete(end: cursor.offset + 1)
    }
    var count = 0
    while true {
      let element = UnsafeRawBufferPointer(start: cursor.at, count: cursor.end - cursor.at)
      switch scanMessage(element, nesting: 1, outline: &outline) {
      case .complete(let end):
        cursor.at += end
        count += 1
      case .incomplete: return .incomplete
      case .invalid(let failure):
        return .invalid(JSONParseFailure(offset: cursor.offset + failure.offset, reason: failure.reason))
      }
      cursor.skipBlanks()
      guard cursor.at < cursor.end else { return .incomplete }
      switch cursor.at.pointee {
      case UInt8(ascii: ","): cursor.at += 1
      case UInt8(ascii: "]"):
        outline = Outline()
        outline.isBatch = true
        outline.elementCount = count
        return .complete(end: cursor.offset + 1)
      default: return .invalid(JSONParseFailure(offset: cursor.offset, reason: "expected ',' or ']'"))
      }
    }
  }

  /// Scans one element of a batch, which is a message even if it is an array.
  func scanElement(_ text: UnsafeRawBufferPointer, outline: inout Outline) -> Verdict {
    scanMessage(text, nesting: 1, outline: &outline)
  }

  /// Scans one value that is not a batch, with `nesting` containers around it.
  @inline(never)
  private func scanMessage(_ text: UnsafeRawBufferPointer, nesting: Int, outline: inout Outline) -> Verdict {
    outline = Outline()
    var cursor = ScanCursor(base: text.baseAddress!, count: text.count)
    let isWhole = scanValue(&cursor, &outline, depthLimit: Self.depthLimit - nesting)
    outline.needsCompaction = cursor.needsCompaction
    guard isWhole else {
      guard let reason = cursor.reason else { return .incomplete }
      return .invalid(JSONParseFailure(offset: cursor.offset, reason: "\(reason)"))
    }
    if outline.needsJudge || !outline.paramsID.isAbsent {
      let whole = UnsafeRawBufferPointer(rebasing: text[..<cursor.offset])
      if let failure = judge(whole, outline) { return .invalid(failure) }
    }
    return .complete(end: cursor.offset)
  }

  // MARK: The grammar

  /// Where in the nesting the scan is.
  private struct Place {
    /// Open containers.
    var depth = 0
    /// Where the keys of the innermost object start in the table, or ``arrayMark``.
    var level = JSONScanner.arrayMark
    /// Which member of the envelope is being scanned, and where its value starts.
    var member = Outline.Member.other
    var memberStart = 0
    /// The envelope's members that were there, as bits.
    var seen: UInt8 = 0
    /// The next token is a member's name.
    var isNameDue = false
  }

  /// Scans one value with all it contains. False: ``ScanCursor/reason`` says why, or the text ended.
  @inline(__always)
  private func scanValue(_ cursor: inout ScanCursor, _ outline: inout Outline, depthLimit: Int) -> Bool {
    var place = Place()
    keys.removeAll()
    while true {
      cursor.skipBlanks()
      guard cursor.at < cursor.end else { return false }
      if place.isNameDue {
        guard scanName(&cursor, &outline, &place) else { return false }
        cursor.skipBlanks()
        guard cursor.at < cursor.end else { return false }
      }
      if place.depth == 1 { place.memberStart = cursor.offset }
      let byte = cursor.at.pointee
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        guard place.depth < depthLimit else { return cursor.fail("nested deeper than 512 levels") }
        guard let isEmpty = openContainer(&cursor, &place, isObject: byte == UInt8(ascii: "{")) else { return false }
        if !isEmpty { continue }
      } else if byte == UInt8(ascii: "\"") {
        guard cursor.scanString() != nil else { return false }
      } else {
        guard cursor.aside({ scanScalar(byte, &$0, &outline, place) }) else { return false }
      }
      // A value has ended, and with it perhaps what it stands in.
      while true {
        if place.depth == 0 { return true }
        guard let isOpen = passSeparator(&cursor, &outline, &place) else { return false }
        if isOpen { break }
      }
    }
  }

  /// Enters an object or array; answers whether it is empty, and left again.
  @inline(__always)
  private func openContainer(_ cursor: inout ScanCursor, _ place: inout Place, isObject: Bool) -> Bool? {
    cursor.at += 1
    cursor.skipBlanks()
    guard cursor.at < cursor.end else { return nil }
    if cursor.at.pointee == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
      cursor.at += 1
      return true
    }
    levels[place.depth] = place.level
    place.level = isObject ? keys.count : Self.arrayMark
    place.depth += 1
    place.isNameDue = isObject
    return false
  }

  /// A number or one of the three words.
  @inline(never)
  private func scanScalar(
    _ byte: UInt8, _ cursor: inout ScanCursor, _ outline: inout Outline, _ place: Place
  ) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let start = cursor.offset
      if cursor.scanNumber() { return true }
      if cursor.reason != nil || cursor.endedInside { return false }
      // It may not fit. In an id that does not matter; elsewhere libjansson decides.
      if place.depth == 2 && place.member == .params && place.level != Self.arrayMark && keys.isIDLast {
        outline.paramsID = ByteSpan(start: start, end: cursor.offset)
      } else if place.depth != 1 || place.member != .id {
        outline.needsJudge = true
      }
      return true
    case UInt8(ascii: "t"): return cursor.scanWord("true")
    case UInt8(ascii: "f"): return cursor.scanWord("false")
    case UInt8(ascii: "n"): return cursor.scanWord("null")
    default: return cursor.fail("expected a value")
    }
  }

  /// Passes what stands behind a value; answers whether the container goes on (or has ended, and is now the value).
  @inline(__always)
  private func passSeparator(_ cursor: inout ScanCursor, _ outline: inout Outline, _ place: inout Place) -> Bool? {
    if place.depth == 1 && place.member != .other {
      outline[place.member] = ByteSpan(start: place.memberStart, end: cursor.offset)
      place.member = .other
    }
    cursor.skipBlanks()
    guard cursor.at < cursor.end else { return nil }
    let isArray = place.level == Self.arrayMark
    let byte = cursor.at.pointee
    if byte == UInt8(ascii: ",") {
      cursor.at += 1
      place.isNameDue = !isArray
      return true
    }
    guard byte == (isArray ? UInt8(ascii: "]") : UInt8(ascii: "}")) else {
      _ = isArray ? cursor.fail("expected ',' or ']'") : cursor.fail("expected ',' or '}'")
      return nil
    }
    if !isArray { keys.truncate(to: place.level) }
    cursor.at += 1
    place.depth -= 1
    place.level = levels[place.depth]
    return false
  }

  /// Scans a member's name and the colon behind it.
  @inline(__always)
  private func scanName(_ cursor: inout ScanCursor, _ outline: inout Outline, _ place: inout Place) -> Bool {
    guard cursor.at.pointee == UInt8(ascii: "\"") else { return cursor.fail("expected a member name in quotes") }
    let name = cursor.at + 1
    guard let hasEscapes = cursor.scanString() else { return false }
    let count = cursor.at - name - 1
    if hasEscapes {
      outline.needsJudge = true
      keys.insertEscaped(level: place.level)
      if place.depth == 1 { place.member = unescapedMember(UnsafeRawBufferPointer(start: name - 1, count: count + 2)) }
    } else {
      switch note(name, count, &place) {
      case .new: break
      case .tooMany: outline.needsJudge = true
      case .duplicate:
        cursor.at = name - 1
        return cursor.fail("duplicate member name")
      }
    }
    if place.depth == 1 && place.member == .other { outline.hasOtherMembers = true }
    place.isNameDue = false
    cursor.skipBlanks()
    guard cursor.at < cursor.end else { return false }
    guard cursor.at.pointee == UInt8(ascii: ":") else { return cursor.fail("expected ':'") }
    cursor.at += 1
    return true
  }

  /// Holds a name against those before it in its object. The envelope's own take a bit each instead of a place in the
  /// table.
  @inline(__always)
  private func note(_ name: UnsafePointer<UInt8>, _ count: Int, _ place: inout Place) -> KeyTable.Insertion {
    if place.depth == 1 {
      place.member = Outline.Member(name, count)
      if place.member != .other {
        let bit = UInt8(1) << place.member.rawValue
        if place.seen & bit != 0 { return .duplicate }
        place.seen |= bit
        return .new
      }
    }
    return keys.insert(name, count, level: place.level)
  }

  // MARK: What libjansson decides

  /// A top-level name with escapes is rare enough to be read by libjansson.
  private func unescapedMember(_ quoted: UnsafeRawBufferPointer) -> Outline.Member {
    guard let document = try? JSONDocument(parsing: quoted), var name = document.view.string else { return .other }
    return name.withUTF8 { $0.isEmpty ? .other : Outline.Member($0.baseAddress!, $0.count) }
  }

  /// Asks libjansson about the whole message, with the numbers that may be of any size blanked out.
  @inline(never)
  private func judge(_ text: UnsafeRawBufferPointer, _ outline: Outline) -> JSONParseFailure? {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyMemory(from: text)
    blankOut(outline.id, in: copy)
    if isCancel(UnsafeRawBufferPointer(rebasing: text[outline.method.start..<outline.method.end])) {
      blankOut(outline.paramsID, in: copy)
    }
    do throws(JSONParseFailure) {
      _ = try JSONDocument(parsing: UnsafeRawBufferPointer(copy))
      return nil
    } catch { return error }
  }

  private func blankOut(_ span: ByteSpan, in text: UnsafeMutableRawBufferPointer) {
    guard !span.isAbsent, text[span.start] != UInt8(ascii: "\"") else { return }
    guard text[span.start] == UInt8(ascii: "-") || isDigit(text[span.start]) else { return }
    text[span.start] = UInt8(ascii: "0")
    for at in (span.start + 1)..<span.end { text[at] = UInt8(ascii: " ") }
  }

  /// However it is written: some encoders write `/` as an escape.
  private func isCancel(_ method: UnsafeRawBufferPointer) -> Bool {
    (try? JSONDocument(parsing: method))?.view.string == "$/cancelRequest"
  }
}
