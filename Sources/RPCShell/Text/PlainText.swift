extension String {
  /// The text on one line, as a person may be shown it: without terminal escape sequences and control characters; line
  /// breaks and tabs become single blanks, and the ends are trimmed. Everything else, such as U+00A0, stays.
  public var plainLine: String {
    var kept = String.UnicodeScalarView()
    for scalar in scalarsToShow {
      switch scalar.value {
      case 0x09...0x0D, 0x20, 0x85, 0x2028, 0x2029:
        if let last = kept.last, last != " " { kept.append(" ") }
      default: kept.append(scalar)
      }
    }
    if kept.last == " " { kept.removeLast() }
    return String(kept)
  }

  /// The text without terminal escape sequences and control characters; all else, blanks included, stays as it is.
  public var withoutControls: String {
    String(String.UnicodeScalarView(scalarsToShow.filter { $0.value > 0x1F && $0.value != 0x85 }))
  }

  /// Without escape sequences and the control characters that are no blanks.
  private var scalarsToShow: String.UnicodeScalarView {
    var kept = String.UnicodeScalarView()
    var rest = unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar.value {
      case 0x1B: rest.dropEscape()
      case 0x9B: rest.dropControlSequence()
      case 0x90, 0x98, 0x9D, 0x9E, 0x9F: rest.dropControlString()
      case 0x09...0x0D, 0x85: kept.append(scalar)
      case 0..<0x20, 0x7F...0x9F: continue
      default: kept.append(scalar)
      }
    }
    return kept
  }

  /// The start of a text that came from outside, for an error that names it.
  public var shortened: String {
    unicodeScalars.count <= 80 ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(80))) + "…"
  }
}

// What ECMA-48 lets follow an escape character.
extension Substring.UnicodeScalarView {
  /// What comes after ESC.
  fileprivate mutating func dropEscape() {
    switch first?.value {
    case 0x5B:
      removeFirst()
      dropControlSequence()
    case 0x50, 0x58, 0x5D, 0x5E, 0x5F:
      removeFirst()
      dropControlString()
    default:
      dropAll(in: 0x20...0x2F)
      if let final = first?.value, (0x30...0x7E).contains(final) { removeFirst() }
    }
  }

  /// Parameters, intermediates and the final byte of a control sequence: `31m`.
  fileprivate mutating func dropControlSequence() {
    dropAll(in: 0x20...0x3F)
    if let final = first?.value, (0x40...0x7E).contains(final) { removeFirst() }
  }

  /// A string up to BEL, ST or ESC \ (a window title, a link).
  fileprivate mutating func dropControlString() {
    while let scalar = popFirst() {
      if scalar.value == 0x07 || scalar.value == 0x9C { return }
      if scalar.value == 0x1B {
        if first == "\\" { removeFirst() }
        return
      }
    }
  }

  private mutating func dropAll(in range: ClosedRange<UInt32>) {
    while let next = first?.value, range.contains(next) { removeFirst() }
  }
}
