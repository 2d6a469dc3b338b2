import Testing

/// A block of code on a page, and the part of a script that the comment above it says it is.
struct EmbeddedBlock: Sendable, CustomTestStringConvertible {
  /// `<!-- Tests/Clients/emacs.el: show -->`
  struct Source: Sendable, Hashable {
    let script: String
    let part: String
  }

  let page: String
  let line: Int
  let source: Source?
  var code: [String] = []

  var testDescription: String { "\(page):\(line)" }

  /// All blocks of a page that are in a programming language.
  static func all(in page: String) throws -> [EmbeddedBlock] {
    var found: [EmbeddedBlock] = []
    var current: EmbeddedBlock?
    var above = ""
    for (number, line) in try DocumentedConversation.lines(of: page).enumerated() {
      if line == "```", let ended = current {
        found.append(ended)
        current = nil
      } else if current != nil {
        current?.code.append(line)
      } else if ["```elisp", "```lua", "```vim", "```python"].contains(line) {
        current = EmbeddedBlock(page: page, line: number + 1, source: source(in: above))
      }
      above = line
    }
    return found
  }

  private static func source(in comment: String) -> Source? {
    let words = comment.split(separator: " ")
    guard words.count == 4, words[0] == "<!--", words[1].last == ":", words[3] == "-->" else { return nil }
    return Source(script: String(words[1].dropLast()), part: String(words[2]))
  }

  /// The parts of a script: what stands between a comment `>>> name` and one `<<< name`.
  static func parts(of script: String) throws -> [String: [String]] {
    var parts: [String: [String]] = [:]
    var name: String?
    for line in try DocumentedConversation.lines(of: script) {
      let words = line.split(separator: " ")
      if words.count == 3, words[1] == ">>>" {
        name = String(words[2])
        parts[String(words[2])] = []
      } else if words.count == 3, words[1] == "<<<" {
        name = nil
      } else if let name {
        parts[name]?.append(line)
      }
    }
    return parts
  }
}
