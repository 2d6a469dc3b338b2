import RPCShell

/// What a handler's process says on its stderr: its end is kept for the host, and the first lines are shown to the person
/// at the terminal.
struct HandlerErrors: Sendable {
  /// Bytes that are kept.
  static let tailLimit = 64 << 10
  /// Lines that are shown.
  static let shownLimit = 100
  /// Bytes of a line that are looked at.
  private static let lineLimit = 2000

  private var lines = LineSplitter(limit: lineLimit)
  private var kept: [UInt8] = []
  private var isCut = false
  private var shown = 0
  /// The last line that is not empty, as a person may be shown it.
  private(set) var lastLine: String?

  /// Takes what came.
  /// - Parameter show: takes a line for the person at the terminal.
  mutating func take(_ bytes: [UInt8], show: (String) -> Void) {
    kept += bytes
    if kept.count > 2 * Self.tailLimit { cut() }
    for line in lines.take(bytes) { note(line, show) }
  }

  /// Nothing more comes.
  mutating func end(show: (String) -> Void) {
    if let line = lines.end() { note(line, show) }
    if kept.count > Self.tailLimit { cut() }
  }

  private mutating func cut() {
    kept.removeFirst(kept.count - Self.tailLimit)
    isCut = true
  }

  private mutating func note(_ line: LineSplitter.Line, _ show: (String) -> Void) {
    let text = String(decoding: line.bytes, as: UTF8.self).plainLine
    guard !text.isEmpty else { return }
    lastLine = text
    shown += 1
    if shown <= Self.shownLimit { show(text) }
    if shown == Self.shownLimit { show("what else it says is not shown") }
  }

  /// The end of it, from a character's start on; nil where nothing was said.
  var tail: String? {
    // The rest of a character whose start is gone (UTF-8).
    let text = isCut ? kept.drop { $0 & 0xC0 == 0x80 } : kept[...]
    return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }
}
