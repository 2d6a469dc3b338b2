import RPCShell

/// Cuts what a process writes to its stderr into lines of a bounded length.
struct LineSplitter {
  /// Longer lines are cut.
  private static let limit = 1000
  /// Lines of one chunk that are shown.
  private static let lineLimit = 64

  private var rest: [UInt8] = []
  private var isCut = false

  /// Takes a chunk; gives back the lines that are whole now.
  mutating func split(_ bytes: [UInt8]) -> [String] {
    var lines: [String] = []
    var more = 0
    var start = bytes.startIndex
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      add(bytes[start..<end])
      start = end + 1
      if lines.count < Self.lineLimit { lines.append(contentsOf: take()) } else if !take().isEmpty { more += 1 }
    }
    add(bytes[start...])
    if more > 0 { lines.append("… \(more) more lines") }
    return lines
  }

  /// What is left at the end.
  mutating func finish() -> [String] { take() }

  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    let room = Self.limit - rest.count
    rest += bytes.prefix(room)
    if bytes.count > room { isCut = true }
  }

  /// The line so far, if there is anything in it.
  private mutating func take() -> [String] {
    let line = String(decoding: rest, as: UTF8.self).plainLine + (isCut ? "…" : "")
    rest = []
    isCut = false
    return line.isEmpty ? [] : [line]
  }
}
