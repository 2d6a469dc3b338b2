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
    let input = example.input.map { $0 + "\n" }.joined()
    let ending = try await RunningShell.run(.frozenDemo(["--time-zone", "UTC"]), input: input)
    #expect(ending.texts == example.output)
    #expect(ending.errors == example.errors)
    #expect(ending.exit == .status(example.status))
  }
}
