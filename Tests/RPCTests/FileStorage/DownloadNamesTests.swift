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
  ])
  func `an id is the name where that can be sent, else its bytes`(name: [UInt8], id: String) {
    var names = DownloadNames()
    #expect(names.id(nil, name, in: nil) == id)
    #expect(names.id(nil, name, in: nil) == "./" + id)
  }

  @Test func `files of several folders have ids of their own`() {
    var names = DownloadNames()
    #expect(names.id(nil, Self.bytes("a"), in: "/x") == "/x/a")
    #expect(names.id(nil, Self.bytes("a"), in: "/y") == "/y/a")
    #expect(names.id("a", Self.bytes("b"), in: nil) == "a")
    #expect(names.id("a", Self.bytes("c"), in: nil) == "c")
    #expect(names.id(nil, Self.bytes("a"), in: nil) == "./a")
  }

  @Test func `names that only look alike are two`() {
    var names = DownloadNames()
    #expect(names.id(nil, Self.bytes("caf\u{E9}"), in: nil).utf8.count == 5)
    #expect(names.id(nil, Self.bytes("cafe\u{301}"), in: nil).utf8.count == 6)
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

  @Test(arguments: [
    ("{}", "expected an array, got an object"), (#"[{"id":"a"}]"#, "[0].file: missing; expected a string"),
    (#"[{"file":"a","completedAt":"2026-02-30"}]"#, "[0].completedAt: expected a date that exists"), ("[", "line 1"),
  ])
  func `a manifest that cannot be used says where`(text: String, reason: String) throws {
    let file = try TemporaryFile(text)
    let failure = #expect(throws: StorageFailure.self) { try DownloadManifest(reading: file.path) }
    #expect(failure?.message.hasPrefix(reason) == true, "\(failure?.message ?? "")")
  }
}
