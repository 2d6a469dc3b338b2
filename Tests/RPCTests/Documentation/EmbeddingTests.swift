import Testing

/// The code that docs/EMBEDDING.md shows is the code that `make test-clients` runs.
struct EmbeddingTests {
  private static let page = "docs/EMBEDDING.md"
  private static var blocks: [EmbeddedBlock] { (try? EmbeddedBlock.all(in: page)) ?? [] }

  @Test(arguments: blocks)
  func `each block is a part of a client's test`(block: EmbeddedBlock) throws {
    let source = try #require(block.source, "no comment above it names a script and a part")
    #expect(try EmbeddedBlock.parts(of: source.script)[source.part] == block.code)
  }

  @Test func `each part of a client's test is shown`() throws {
    let shown = Self.blocks.compactMap(\.source)
    let scripts = Set(shown.map(\.script))
    let marked = try scripts.flatMap { script in
      try EmbeddedBlock.parts(of: script).keys.map { EmbeddedBlock.Source(script: script, part: $0) }
    }
    #expect(scripts.count == 7)
    #expect(Set(shown) == Set(marked))
    #expect(shown.count == marked.count)
  }
}
