/// Tells the lines apart in what comes in pieces. Of a line that is too long the start is kept.
struct LineSplitter: Sendable {
  /// A line without its end.
  struct Line: Sendable {
    var bytes: ArraySlice<UInt8>
    /// Whether there was more of it.
    var isCut = false

    /// Without the blanks around it.
    var trimmed: ArraySlice<UInt8> {
      guard let first = bytes.firstIndex(where: { !Self.isBlank($0) }) else { return [] }
      return bytes[first...bytes.lastIndex(where: { !Self.isBlank($0) })!]
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
  }

  private let limit: Int
  private var unfinished: Line?

  /// - Parameter limit: bytes of a line that are kept.
  init(limit: Int) { self.limit = limit }

  /// Takes what came.
  /// - Returns: the lines that are whole now.
  mutating func take(_ bytes: [UInt8]) -> [Line] {
    var lines: [Line] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      keep(rest[..<end])
      lines.append(unfinished!)
      unfinished = nil
      rest = rest[(end + 1)...]
    }
    if !rest.isEmpty { keep(rest) }
    return lines
  }

  /// Nothing more comes.
  /// - Returns: the line that had no end.
  mutating func end() -> Line? {
    defer { unfinished = nil }
    return unfinished
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    let room = limit - (unfinished?.bytes.count ?? 0)
    let isCut = bytes.count > room
    if unfinished == nil {
      unfinished = Line(bytes: bytes.prefix(room), isCut: isCut)
    } else if room > 0 {
      unfinished!.bytes += bytes.prefix(room)
    }
    if isCut { unfinished!.isCut = true }
  }
}
