import Testing

/// A fenced block of a page, and where it stands.
struct DocumentedBlock: Sendable, CustomTestStringConvertible {
  let page: String
  let line: Int
  var lines: [String] = []

  var testDescription: String { "\(page):\(line)" }

  /// All blocks of a page under the repository's root that are in a language.
  static func all(_ language: String, in page: String) -> [DocumentedBlock] {
    var found: [DocumentedBlock] = []
    var current: DocumentedBlock?
    let text = TemporaryFile.read(Binary.root + "/" + page)
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line == "```\(language)" {
        current = DocumentedBlock(page: page, line: number + 1)
      } else if line == "```", let ended = current {
        found.append(ended)
        current = nil
      } else {
        current?.lines.append(String(line))
      }
    }
    return found
  }

  /// What runs the commands of a `console` block (`$`), each under its own text, in an empty folder.
  /// - Parameters:
  ///   - folder: a command that goes to the folder where the others run.
  ///   - programs: texts of programs that are in that folder, by their names.
  func script(
    in folder: String = #"folder=$(mktemp -d) && cd "$folder" && trap 'rm -rf "$folder"' EXIT"#,
    beside programs: [String: String] = [:]
  ) throws -> String {
    let files = programs.map { name, text in "cat > \(name) <<'END OF FILE'\n\(text)\nEND OF FILE\nchmod +x \(name)\n" }
    let commands = lines.map { line in
      guard line.hasPrefix("$ ") else { return "" }
      let command = line.dropFirst(2)
      let quoted = command.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      return "echo '$ \(quoted)'\n\(command)\n"
    }
    return """
      \(folder)
      rpcshell() { '\(try Binary.rpcshell.path)' "$@"; }
      exec 2>&1
      \(files.joined())\(commands.joined())
      """
  }
}
