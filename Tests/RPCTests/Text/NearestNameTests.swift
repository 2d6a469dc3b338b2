import Testing

@testable import RPCShell

struct NearestNameTests {
  private static let known = ["plan.upgrade", "plan.get", "storage.get", "storage.clearCache", "id"]

  @Test(
    arguments: [
      Row("plan.upgarde", "plan.upgrade"), Row("plan.upgrad", "plan.upgrade"), Row("plan.upgradee", "plan.upgrade"),
      Row("Plan.Upgrade", "plan.upgrade"), Row("plan.got", "plan.get"),
      Row("storage.clear_cache", "storage.clearCache"),
      Row("di", "id"), Row("ID", "id"), Row("storage.gets", "storage.get"), Row("plan.get", nil),
      Row("what", nil), Row("", nil), Row("plan", nil), Row("xyz", nil),
      Row(String(repeating: "plan.get", count: 1000), nil),
    ] as [Row<String?>])
  func `finds what was probably meant`(row: Row<String?>) {
    #expect(NearestName.nearest(to: row.text, among: Self.known) == row.expected)
  }

  @Test func `prefers the nearest, then the first`() {
    #expect(NearestName.nearest(to: "storage", among: ["stonages", "storages", "stor"]) == "storages")
    #expect(NearestName.nearest(to: "cat", among: ["bat", "hat"]) == "bat")
    #expect(NearestName.nearest(to: "a", among: []) == nil)
  }

  @Test func `puts it into a hint`() {
    #expect(NearestName.hint(for: "plan.gte", among: Self.known) == "; did you mean 'plan.get'?")
    #expect(NearestName.hint(for: "unheard of", among: Self.known) == "")
  }
}

struct PlainTextTests {
  @Test(arguments: [
    Row("plain", "plain"), Row("  a \t b\r\nc  ", "a b c"), Row("\u{1B}[31mred\u{1B}[0m", "red"),
    Row("\u{1B}]0;title\u{7}text", "text"), Row("\u{1B}]8;;http://x\u{1B}\\link\u{1B}]8;;\u{1B}\\", "link"),
    Row("\u{9B}1mbold", "bold"), Row("\u{9D}0;title\u{9C}text", "text"), Row("\u{1B}(Bx", "x"), Row("a\u{1B}", "a"),
    Row("a\u{0}b\u{7F}c\u{85}d", "abc d"), Row("10\u{A0}GB", "10\u{A0}GB"), Row("a\u{2028}b", "a b"), Row("", ""),
    Row(" \n ", ""),
    Row("é😀", "é😀"), Row("\u{1B}[999999", ""), Row("\u{1B}]never ends", ""),
  ])
  func `puts a text on one line without control sequences`(row: Row<String>) {
    #expect(row.text.plainLine == row.expected)
  }
}
