import AccountModel
import RPCShell
import Testing

@testable import FileStorage

/// Ids and titles of downloads, and what the manifest says of them.
struct DownloadNamesTests {
  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test(arguments: [
    (bytes("a.mp3"), "a.mp3"), (bytes("é\u{301}"), "é\u{301}"), ([0xFF, 0xFE, 0x61], "base64://5h"),
    (bytes("a\nb"), "base64:YQpi"), (bytes("a\u{1B}[1m"), "base64:YRtbMW0="), (bytes("ab\u{7F}"), "base64:YWJ/"),
    (bytes("base64:gA=="), "base64:YmFzZTY0OmdBPT0="), ([0x80], "base64:gA=="),
  ])
  func `an id is the name where that can be sent, else its bytes`(name: [UInt8], id: String) {
    #expect(DownloadNames.id(name, in: nil, hasManifest: false) == id)
    #expect(DownloadNames.id(name, in: nil, hasManifest: true) == "./" + id)
  }

  @Test func `files of several folders have ids of their own`() {
    #expect(DownloadNames.id(Self.bytes("a"), in: "/x", hasManifest: false) == "/x/a")
    #expect(DownloadNames.id(Self.bytes("a"), in: "/y", hasManifest: false) == "/y/a")
  }

  @Test func `ids of a manifest are one file's alone, and look like no other's`() throws {
    let file = try TemporaryFile(
      #"""
      [{"file":"a","id":"d1"},{"file":"b","id":"d1"},{"file":"c","id":"./x"},{"file":"d","id":"base64:x"},
       {"file":"e","id":"d2","title":"E"}]
      """#)
    let manifest = try DownloadManifest(reading: file.path)
    #expect("abcde".map { manifest.entry(Self.bytes(String($0)), in: "/x")?.id } == [nil, nil, nil, nil, "d2"])
    #expect(manifest.problems.count == 3)
  }

  @Test func `a title is on one line`() {
    #expect(DownloadNames.title(of: Self.bytes("a\nb\u{1B}[31m")) == "a b")
    #expect(DownloadNames.title(of: [0x61, 0xFF]) == "a\u{FFFD}")
    #expect(DownloadNames.title(of: [0x1B]) == "?")
  }

  @Test(arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")])
  func `writes bytes as RFC 4648 does`(text: String, base64: String) {
    #expect(Base64.text(of: Array(text.utf8)) == base64)
  }

  // MARK: The manifest

  @Test func `a manifest says what a file is, by its path or its name`() throws {
    let file = try TemporaryFile(
      #"""
      [{"file":"a.mp3","id":"d1","title":"Episode 12","detail":"Audio · 52 min","symbol":"waveform",
        "completedAt":"2026-10-01","size":7},
       {"file":"/x/a.mp3","title":"Another"},{"file":"b.mp3","id":null}]
      """#)
    let manifest = try DownloadManifest(reading: file.path)
    let entry = try #require(manifest.entry(Self.bytes("a.mp3"), in: "/y"))
    #expect([entry.id, entry.title, entry.detail] == ["d1", "Episode 12", "Audio · 52 min"])
    #expect([entry.symbol, entry.completedAt?.text] == ["waveform", "2026-10-01"])
    #expect(manifest.entry(Self.bytes("a.mp3"), in: "/x")?.title == "Another")
    #expect(manifest.entry(Self.bytes("b.mp3"), in: "/x")?.id == nil)
    #expect(manifest.entry(Self.bytes("c.mp3"), in: "/x") == nil)
  }

  @Test func `an entry that is wrong is passed over, and says where`() throws {
    let file = try TemporaryFile(#"[{"id":"a"},{"file":"a","completedAt":"2026-02-30"},{"file":"b","title":"B"}]"#)
    let manifest = try DownloadManifest(reading: file.path)
    #expect(manifest.entry(Self.bytes("b"), in: "/x")?.title == "B" && manifest.entry(Self.bytes("a"), in: "/x") == nil)
    #expect(manifest.problems.first == "[0].file: missing; expected a string")
    #expect(manifest.problems.last?.hasPrefix("[1].completedAt: expected a date that exists") == true)
  }

  @Test(arguments: [
    ("{}", "expected an array, got an object"), ("7", "expected an array, got an integer"), ("[", "line 1"),
  ])
  func `a manifest that cannot be used says where`(text: String, reason: String) throws {
    let file = try TemporaryFile(text)
    let failure = #expect(throws: StorageFailure.self) { try DownloadManifest(reading: file.path) }
    #expect(failure?.message.hasPrefix(reason) == true, "\(failure?.message ?? "")")
  }
}
