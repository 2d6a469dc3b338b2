import Glibc
import Testing

/// One `rpc` block of a page: lines in (`→`), out (`←`), on stderr (`!`), and the exit status at the end of input (`=`).
struct DocumentedConversation: Sendable, CustomTestStringConvertible {
  let page: String
  let line: Int
  /// What is said to the program and what it says, in order.
  var turns: [Turn] = []
  var errors: [String] = []
  var status: Int32 = 0

  enum Turn {
    case input(String)
    case output(String)

    var isInput: Bool { if case .input = self { true } else { false } }
  }

  var testDescription: String { "\(page):\(line)" }

  /// All blocks of a page under the repository's root.
  static func all(in page: String) throws -> [DocumentedConversation] {
    var found: [DocumentedConversation] = []
    var current: DocumentedConversation?
    for (number, line) in try lines(of: page).enumerated() {
      if line == "```rpc" {
        current = DocumentedConversation(page: page, line: number + 1)
      } else if line == "```", let ended = current {
        found.append(ended)
        current = nil
      } else {
        current?.add(line)
      }
    }
    return found
  }

  private mutating func add(_ line: String) {
    let text = String(line.dropFirst(2))
    switch line.first {
    case "→": turns.append(.input(text))
    case "←": turns.append(.output(text))
    case "!": errors.append(text)
    case "=": status = Int32(text) ?? -1
    default: break
    }
  }

  private struct Unreadable: Error { var path: String }

  /// Reads a file under the repository's root with the C library: the tests need nothing of Foundation for it.
  static func lines(of page: String) throws -> [String] {
    let path = Binary.root + "/" + page
    guard let file = fopen(path, "r") else { throw Unreadable(path: path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
