import Testing

/// What the pages show is what the program does.
@Suite(.serialized, .timeLimit(.minutes(1)))
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
}
