import AccountModel
import Glibc
import RPCShell
import Testing

@testable import FileStorage

/// What is kept in the state folder.
struct StateFileTests {
  private let folder = try! TemporaryFolder()
  private let lines = Locked<[String]>([])

  private func options(_ name: String = "a/b") -> OptionsFile {
    OptionsFile(folder: folder.at(name)) { [lines] line in lines.withLock { $0.append(line) } }
  }

  @Test func `options outlive who kept them, in a folder that is made for its owner alone`() throws {
    var changed = StorageOptions()
    changed.cellular = true
    changed.quality = .high
    changed.autoRemove = .week
    #expect(options().options() == StorageOptions())
    try options().keep(changed)
    #expect(options().options() == changed)
    #expect(TemporaryFile.read(folder.at("a/b/options.json")) == changed.jsonText.description + "\n")
    #expect(folder.list("a/b") == ["options.json"])
    var status = stat()
    stat(folder.at("a/b"), &status)
    #expect(status.st_mode & 0o777 == 0o700)
    stat(folder.at("a/b/options.json"), &status)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(lines.withLock { $0 } == [])
  }

  @Test(arguments: [
    ("{", "line 1, column 2"), (#"{"quality":"best"}"#, "quality: expected one of"), ("", "line 1, column 1"),
  ])
  func `options that cannot be read have their defaults, and a line says so`(text: String, reason: String) throws {
    folder.write("a/b/options.json", text)
    #expect(options().options() == StorageOptions())
    let line = lines.withLock { $0.first } ?? ""
    #expect(line.hasPrefix("the options have their defaults: \(folder.at("a/b/options.json")): "))
    #expect(line.contains(reason))
  }

  @Test func `members of a later version are passed over`() throws {
    folder.write("a/b/options.json", #"{"cellular":true,"wifi":false,"quality":null}"#)
    #expect(options().options().cellular)
    #expect(lines.withLock { $0 } == [])
  }

  @Test func `says why options cannot be kept`() throws {
    folder.write("a", "a file where the folder should be")
    let failure = #expect(throws: StorageFailure.self) { try options().keep(StorageOptions()) }
    #expect(failure?.message == "\(folder.at("a/b/options.json")) cannot be written: Not a directory")
  }

  @Test func `remembers when downloads were complete, until their size changes or they are gone`() throws {
    func record() -> CompletionRecord {
      CompletionRecord(folder: folder.path) { [lines] line in lines.withLock { $0.append(line) } }
    }
    var first = record()
    #expect(first.completion(of: "a", bytes: 5, changedAt: 900, now: 1000).text == "1970-01-01T00:16:40Z")
    _ = first.completion(of: "b", bytes: 5, changedAt: 900, now: 1000)
    _ = first.completion(of: "c", bytes: 5, changedAt: 900, now: 5000)
    try first.save()
    var second = record()
    #expect(second.completion(of: "a", bytes: 5, changedAt: 900, now: 2000).text == "1970-01-01T00:16:40Z")
    #expect(!second.isChanged)
    #expect(second.completion(of: "b", bytes: 6, changedAt: 900, now: 2000).text == "1970-01-01T00:33:20Z")
    // A clock that was wrong: what it said is no time that has been.
    #expect(second.completion(of: "c", bytes: 5, changedAt: 900, now: 4000).text == "1970-01-01T01:06:40Z")
    second.keep(only: ["a", "c"])
    try second.save()
    var third = record()
    #expect(third.completion(of: "b", bytes: 6, changedAt: 900, now: 9000).text == "1970-01-01T02:30:00Z")
    #expect(third.completion(of: "a", bytes: 5, changedAt: 900, now: 9000).text == "1970-01-01T00:16:40Z")
    #expect(lines.withLock { $0 } == [])
  }
}
