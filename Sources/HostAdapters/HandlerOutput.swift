public import RPCShell

/// What a handler's process says on its stdout: reports on the way and the result, each an object on a line of its own
/// (docs/ADAPTERS.md). A value that takes the bytes as they come, however much that is.
public struct HandlerOutput: Sendable {
  /// Bytes of a line that are read.
  public static let lineLimit = 1 << 20

  private var lines = LineSplitter(limit: lineLimit)
  /// The newest line that may be the result.
  private var result: LineSplitter.Line?
  private var ignored = 0
  private var firstIgnored = ""

  /// Nothing was said yet.
  public init() {}

  // MARK: Taking

  /// Takes what came.
  /// - Parameter report: takes each report in it.
  public mutating func take(_ bytes: [UInt8], report: (ActionProgress) -> Void) {
    for line in lines.take(bytes) { sort(line, report) }
  }

  /// Nothing more comes: a last line needs no end.
  public mutating func end(report: (ActionProgress) -> Void) {
    if let line = lines.end() { sort(line, report) }
  }

  private mutating func sort(_ line: LineSplitter.Line, _ report: (ActionProgress) -> Void) {
    let text = line.trimmed
    guard let first = text.first else { return }
    // Also what is broken: a result that cannot be read must not count as none.
    guard first == UInt8(ascii: "{") else { return ignore(text) }
    switch line.isCut ? .result : Self.kind(of: text) {
    case .report(let progress): report(progress)
    case .neither: ignore(text)
    case .result:
      if let former = result { ignore(former.bytes) }
      result = LineSplitter.Line(bytes: text, isCut: line.isCut)
    }
  }

  private mutating func ignore(_ text: ArraySlice<UInt8>) {
    if ignored == 0 { firstIgnored = String(decoding: text.prefix(400), as: UTF8.self).plainLine.shortened }
    ignored += 1
  }

  // MARK: Lines

  private enum Kind {
    case report(ActionProgress)
    case result
    case neither
  }

  /// What only a result has: beside `progress`, too, it is not to be lost.
  private static let resultMembers: [StaticString] = ["outcome", "plan", "usage", "restored", "clearedBytes", "url"]

  private static func kind(of text: ArraySlice<UInt8>) -> Kind {
    guard let view = try? text.withUnsafeBytes({ try JSONDocument(parsing: $0) }).view,
      let progress = view["progress"], !resultMembers.contains(where: { view[$0] != nil })
    else { return .result }
    let message = view["message"]
    let isReadable = message.map { $0.isNull || $0.string != nil } ?? true
    guard isReadable, progress.isNull || progress.number.map((0...1).contains) ?? false else { return .neither }
    return .report(ActionProgress(fraction: progress.number, message: message?.string))
  }

  // MARK: What came of it

  /// The last line that was no report, read as a result.
  ///
  /// - Parameter note: takes one line about members that are the handler's own, which are ignored.
  /// - Returns: nil where there was none.
  /// - Throws: what is wrong with it.
  public func readResult(note: (String) -> Void) throws(SchemaViolation) -> ActionResult? {
    guard let text = try resultText() else { return nil }
    return try ActionResult(reading: text, note: note)
  }

  /// The last line that was no report, which may be no JSON.
  ///
  /// - Returns: nil where there was none.
  /// - Throws: that it is too long.
  public func resultText() throws(SchemaViolation) -> JSONText? {
    guard let result else { return nil }
    if result.isCut {
      throw SchemaViolation(path: "result", reason: "expected at most \(Self.lineLimit >> 20) MiB on a line")
    }
    return JSONText(trusted: Array(result.bytes))
  }

  /// A line for the person at the terminal about what was neither a report nor the result; nil where all was.
  public var noise: String? {
    switch ignored {
    case 0: nil
    case 1: "ignored a line of its output that is neither a report nor the result: '\(firstIgnored)'"
    default:
      "ignored \(ignored) lines of its output that are neither reports nor the result, the first: '\(firstIgnored)'"
    }
  }
}
