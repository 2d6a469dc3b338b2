/// The place in a text that is being scanned, and the tokens that can stand there.
struct ScanCursor {
  let base: UnsafePointer<UInt8>
  var at: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  /// Why the text is not JSON; nil while it is, or when it merely ended too soon.
  var reason: StaticString?
  /// The text ended inside a number, which more digits may follow.
  var endedInside = false
  /// Blanks, or U+2028/U+2029 in a string, were seen.
  var needsCompaction = false

  init(base: UnsafeRawPointer, count: Int) {
    self.base = base.assumingMemoryBound(to: UInt8.self)
    at = self.base
    end = self.base + count
  }

  @inline(__always) var offset: Int { at - base }

  @inline(__always)
  mutating func fail(_ reason: StaticString) -> Bool {
    self.reason = reason
    return false
  }

  /// Leaves the inlined path for what is rare. The callee works on a copy, so that the cursor itself never has to live
  /// in memory: that is worth a third of the scanner's time.
  @inline(__always)
  mutating func aside<Result>(_ body: (inout ScanCursor) -> Result) -> Result {
    var copy = self
    let result = body(&copy)
    self = copy
    return result
  }

  @inline(__always)
  mutating func skipBlanks() {
    if at < end && at.pointee <= 0x20 { aside { $0.skipBlankRun() } }
  }

  @inline(never)
  private mutating func skipBlankRun() {
    while at < end {
      switch at.pointee {
      case 0x20, 0x09, 0x0A, 0x0D: at += 1
      default: return
      }
      needsCompaction = true
    }
  }

  // MARK: Strings

  /// Scans from the opening quote past the closing one; answers whether there are escapes, nil if the string is bad or
  /// unfinished.
  @inline(__always)
  mutating func scanString() -> Bool? {
    at += 1
    var hasEscapes = false
    while true {
      let byte = skipPlainBytes()
      guard at < end else { return nil }
      switch byte {
      case UInt8(ascii: "\""):
        at += 1
        return hasEscapes
      case UInt8(ascii: "\\"):
        hasEscapes = true
        guard aside({ $0.scanEscape() }) else { return nil }
      case 0x0A:
        _ = fail("line end in a string")
        return nil
      case 0..<0x20:
        _ = fail("control character in a string")
        return nil
      default:
        guard aside({ $0.scanMultibyte() }) else { return nil }
      }
    }
  }

  /// Passes over ASCII that needs no attention, eight bytes at a time, and answers the byte it stopped at (which may lie
  /// past the end).
  @inline(__always)
  private mutating func skipPlainBytes() -> UInt8 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    while true {
      let word = UInt64(littleEndian: UnsafeRawPointer(at).loadUnaligned(as: UInt64.self))
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      // A byte's high bit is set where it is a quote, a backslash, below 0x20 or not ASCII. Borrows may set further
      // bits behind the first such byte, never before it.
      let stops = ((quote &- ones) | (backslash &- ones) | (word &- (ones &* 0x20)) | word) & highs
      if stops != 0 {
        at += stops.trailingZeroBitCount >> 3
        return at.pointee
      }
      at += 8
      if at >= end { return 0 }
    }
  }

  @inline(never)
  private mutating func scanEscape() -> Bool {
    guard at + 1 < end else {
      at = end
      return false
    }
    switch at[1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      at += 2
      return true
    case UInt8(ascii: "u"):
      return scanUnicodeEscape()
    default:
      return fail("invalid escape")
    }
  }

  private mutating func scanUnicodeEscape() -> Bool {
    guard let unit = hexUnit(after: at) else { return unfinishedOr("invalid \\u escape") }
    if unit & 0xFC00 == 0xDC00 { return fail("lone low surrogate") }
    guard unit & 0xFC00 == 0xD800 else {
      at += 6
      return true
    }
    // A high surrogate: its low one must follow.
    for (distance, wanted) in [(6, UInt8(ascii: "\\")), (7, UInt8(ascii: "u"))] {
      guard at + distance < end else {
        at = end
        return false
      }
      if at[distance] != wanted { return fail("lone high surrogate") }
    }
    guard let low = hexUnit(after: at + 6) else { return unfinishedOr("invalid \\u escape", length: 12) }
    guard low & 0xFC00 == 0xDC00 else { return fail("lone high surrogate") }
    at += 12
    return true
  }

  /// The four hexadecimal digits behind `\u`, or nil if they are not there.
  private func hexUnit(after escape: UnsafePointer<UInt8>) -> UInt16? {
    guard escape + 6 <= end else { return nil }
    var unit: UInt16 = 0
    for index in 2..<6 {
      guard let digit = hexValue(escape[index]) else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  /// An escape that is too short is unfinished when the text ends within it and all that is there is right.
  private mutating func unfinishedOr(_ reason: StaticString, length: Int = 6) -> Bool {
    guard at + length > end else { return fail(reason) }
    let digits = length == 6 ? 2 : 8
    var index = digits
    while at + index < end {
      guard hexValue(at[index]) != nil else { return fail("invalid \\u escape") }
      index += 1
    }
    at = end
    return false
  }

  /// One UTF-8 sequence of two to four bytes (RFC 3629: shortest form, no surrogates, up to U+10FFFF).
  @inline(never)
  private mutating func scanMultibyte() -> Bool {
    let lead = at.pointee
    let length: Int
    var lowest: UInt8 = 0x80
    var highest: UInt8 = 0xBF
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF:
      length = 3
      if lead == 0xE0 { lowest = 0xA0 }
      if lead == 0xED { highest = 0x9F }
    case 0xF0...0xF4:
      length = 4
      if lead == 0xF0 { lowest = 0x90 }
      if lead == 0xF4 { highest = 0x8F }
    default: return fail("invalid UTF-8")
    }
    for index in 1..<length {
      guard at + index < end else {
        at = end
        return false
      }
      guard at[index] >= lowest && at[index] <= highest else { return fail("invalid UTF-8") }
      lowest = 0x80
      highest = 0xBF
    }
    if lead == 0xE2 && at[1] == 0x80 && at[2] & 0xFE == 0xA8 { needsCompaction = true }
    at += length
    return true
  }

  // MARK: Numbers and words

  /// Scans a number; answers false when it might not fit an `Int64` or a `Double` and libjansson has to decide.
  @inline(__always)
  mutating func scanNumber() -> Bool {
    if at.pointee == UInt8(ascii: "-") { at += 1 }
    let digits = at
    skipDigits()
    let whole = at - digits
    if whole == 0 { return missingDigits() }
    if digits.pointee == UInt8(ascii: "0") && whole > 1 {
      at = digits + 1
      return fail("a number must not start with 0")
    }
    guard at < end else { return unfinishedNumber() }
    guard at.pointee == UInt8(ascii: ".") || at.pointee | 0x20 == UInt8(ascii: "e") else { return whole < 19 }
    return aside { $0.scanFraction(whole: whole) }
  }

  @inline(never)
  private mutating func scanFraction(whole: Int) -> Bool {
    if at.pointee == UInt8(ascii: ".") {
      at += 1
      let start = at
      skipDigits()
      if at == start { return missingDigits() }
      guard at < end else { return unfinishedNumber() }
    }
    guard at.pointee | 0x20 == UInt8(ascii: "e") else { return whole < 300 }
    at += 1
    if at < end && (at.pointee == UInt8(ascii: "+") || at.pointee == UInt8(ascii: "-")) { at += 1 }
    let start = at
    skipDigits()
    if at == start { return missingDigits() }
    guard at < end else { return unfinishedNumber() }
    return whole < 100 && at - start < 3
  }

  @inline(__always)
  private mutating func skipDigits() {
    while at < end && isDigit(at.pointee) { at += 1 }
  }

  @inline(__always)
  private mutating func missingDigits() -> Bool {
    if at >= end { return unfinishedNumber() }
    return fail("expected a digit")
  }

  @inline(__always)
  private mutating func unfinishedNumber() -> Bool {
    endedInside = true
    return false
  }

  @inline(__always)
  mutating func scanWord(_ word: StaticString) -> Bool {
    let text = word.utf8Start
    for index in 0..<word.utf8CodeUnitCount {
      guard at + index < end else {
        at = end
        return false
      }
      if at[index] != text[index] {
        at += index
        return fail("expected a value")
      }
    }
    at += word.utf8CodeUnitCount
    return true
  }
}
