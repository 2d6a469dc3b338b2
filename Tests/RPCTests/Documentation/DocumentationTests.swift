import Configuration
import RPCShell
import Testing

/// What the pages show is what the program does.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct DocumentationTests {
  private static var conversations: [DocumentedConversation] {
    (try? DocumentedConversation.all(in: "docs/PROTOCOL.md")) ?? []
  }

  @Test func `the protocol page has examples`() throws {
    #expect(try DocumentedConversation.all(in: "docs/PROTOCOL.md").count >= 4)
  }

  @Test(arguments: conversations)
  func `replays every example of the protocol page`(example: DocumentedConversation) async throws {
    let ending = try await RunningShell.run(.frozenDemo(["--time-zone", "UTC"])) { shell in
      for (place, turn) in example.turns.enumerated() {
        switch turn {
        case .input(let text): try await shell.send(text + "\n")
        case .output(let text):
          // What comes when the input ends.
          if !example.turns[place...].contains(where: \.isInput) { shell.end() }
          #expect(try await shell.next().text == text)
        }
      }
    }
    #expect(ending.errors == example.errors)
    #expect(ending.exit == .status(example.status))
  }

  private static let pagesWithCommands = [
    "README.md", "docs/ADAPTERS.md", "docs/CONFIGURATION.md", "docs/PLUGINS.md",
  ]

  /// Programs that a page's commands find beside them.
  private static func programs(of page: String) throws -> [String: String] {
    switch page {
    case "README.md":
      ["greet.py": try #require(DocumentedBlock.all("python", in: page).first).lines.joined(separator: "\n")]
    case "docs/PLUGINS.md": ["notes.py": TemporaryFile.read(Binary.root + "/Examples/plugins/notes/notes.py")]
    default: [:]
    }
  }

  @Test(arguments: pagesWithCommands.flatMap { DocumentedBlock.all("console", in: $0) })
  func `runs every command of the pages`(block: DocumentedBlock) async throws {
    var setup = try RunningShell.Setup(script: block.script(beside: Self.programs(of: block.page)))
    setup.environment = [
      "RPCSHELL_NOW": "2026-10-19T00:00:00Z", "TZ": "UTC", "HOME": "/home/me",
      "EXAMPLES": Binary.root + "/Examples/handlers",
    ]
    let state = try TemporaryFolder()
    // The page on the configuration shows where it is by default.
    setup.environment["XDG_STATE_HOME"] = block.page == "docs/CONFIGURATION.md" ? "" : state.path
    let ending = try await RunningShell.run(setup)
    #expect(ending.texts == block.lines)
  }

  @Test func `the pages have examples`() {
    for (page, count) in zip(Self.pagesWithCommands, [2, 2, 3, 1]) {
      #expect(DocumentedBlock.all("console", in: page).count >= count)
    }
    #expect(DocumentedBlock.all("json", in: "docs/CONFIGURATION.md").count >= 1)
  }

  @Test func `the plugin of the first page has five lines`() {
    #expect(DocumentedBlock.all("python", in: "README.md").map(\.lines.count) == [5])
  }

  @Test(arguments: DocumentedBlock.all("json", in: "docs/PLUGINS.md"))
  func `every configuration of the page on plugins is good`(block: DocumentedBlock) throws {
    let view = try JSONDocument(wholeText: Array(block.lines.joined(separator: "\n").utf8)).view
    #expect(try Configuration(checking: view, paths: ConfiguredPath(folder: "/app")) { _ in false }.plugins.count == 1)
  }

  @Test(arguments: DocumentedBlock.all("json", in: "docs/CONFIGURATION.md"))
  func `every file of that page is good`(block: DocumentedBlock) throws {
    let view = try JSONDocument(wholeText: Array(block.lines.joined(separator: "\n").utf8)).view
    _ = try Configuration(checking: view, paths: ConfiguredPath(folder: "/app")) { _ in false }
  }
}
