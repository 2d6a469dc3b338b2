import AccountModel
import Glibc
import RPCShell
import Testing

@testable import FileStorage
@testable import FileTree

/// What the built-in adapter removes, and what it says about it.
struct FileStorageRemovalTests {
  private let folders = try! StorageFolders()
  private var folder: TemporaryFolder { folders.folder }

  @Test func `clears the cache, says what is free, and touches nothing else`() throws {
    folder.write("cache/a/b", bytes: 20_000)
    folder.write("downloads/d", bytes: 1)
    folder.write("photos/p", bytes: 1)
    folder.write("outside", bytes: 1)
    symlink(folder.at("photos"), folder.at("cache/link"))
    let before = try folders.measure().usage.cache
    #expect(try folders.clear().clearedBytes == before)
    #expect(folder.list("cache") == [])
    #expect(folder.list() == ["cache", "downloads", "other", "outside", "photos"])
    #expect(folder.list("photos") == ["p"] && folder.list("downloads") == ["d"])
    #expect(try folders.measure().usage.cache == 0)
  }

  @Test func `a download goes as a whole`() throws {
    folder.write("downloads/film/a/b", bytes: 5_000)
    folder.write("downloads/film 2", bytes: 1)
    _ = try folders.measure()
    let result = try folders.remove("film")
    #expect(result.clearedBytes == 8_192)
    #expect(folder.list("downloads") == ["film 2"])
  }

  @Test func `what no measure found is not removed`() throws {
    folder.write("downloads/d", bytes: 1)
    for id in ["d", "../cache", "nope"] {
      let failure = #expect(throws: ActionFailure.self) { try folders.remove(id) }
      #expect(failure?.message == "This download is in none of the folders.")
    }
    #expect(folder.list("downloads") == ["d"])
  }

  @Test func `says how much went, what stayed, and why`() throws {
    folder.write("cache/a", bytes: 8_192)
    folder.write("cache/b/locked", bytes: 4_096)
    let descriptor = open(folder.at("cache/b/locked"), O_RDONLY)
    defer { close(descriptor) }
    flock(descriptor, LOCK_SH)
    let failure = #expect(throws: ActionFailure.self) { try folders.clear() }
    #expect(failure?.message == "Cleared 8 kB. 4 kB couldn't be removed.")
    let data = Dictionary(uniqueKeysWithValues: (failure?.data ?? []).map { ($0.name, $0.value.description) })
    #expect([data["freed"], data["kept"], data["failed"]] == ["8192", "4096", "0"])
    #expect(
      data["errors"]
        == #"[{"path":"\#(folder.at("cache/b/locked"))","message":"in use: somebody holds a lock on it"}]"#)
    #expect(folder.list("cache") == ["b"] && folder.list("cache/b") == ["locked"])
  }

  @Test func `a root that became dangerous is not touched`() throws {
    folder.write("cache/a", bytes: 1)
    _ = try folders.measure()
    rename(folder.at("cache"), folder.at("cache.old"))
    folder.makeFolder("photos/inner")
    folder.write("photos/inner/precious", bytes: 1)
    symlink(folder.at("photos/inner"), folder.at("cache"))
    let failure = #expect(throws: ActionFailure.self) { try folders.clear() }
    #expect(
      failure?.message?.contains("is inside storage.roots") == true
        || failure?.message?.contains("holds storage.roots") == true)
    #expect(folder.list("photos/inner") == ["precious"] && folder.list("cache.old") == ["a"])
  }

  @Test func `tells beforehand exactly what goes`() throws {
    folder.write("cache/a/b", bytes: 5_000)
    folder.write("cache/c", bytes: 1)
    symlink("/", folder.at("cache/link"))
    let preview = try folders.preview(.cache)
    let cache = folder.at("cache")
    #expect(Set(preview.entries.map(\.path)) == ["\(cache)/a/b", "\(cache)/a/", "\(cache)/c", "\(cache)/link"])
    #expect(preview.kept == [])
    #expect(folder.list("cache") == ["a", "c", "link"])
    #expect(try folders.clear().clearedBytes == preview.bytes)
  }

  @Test func `tells beforehand what a download takes`() throws {
    folder.write("downloads/film/a", bytes: 5_000)
    folder.write("downloads/song", bytes: 1)
    _ = try folders.measure()
    let preview = try folders.preview(.download(id: "film"))
    #expect(preview.entries.map(\.path) == [folder.at("downloads/film/a"), folder.at("downloads/film/")])
    #expect(preview.bytes == 8_192)
    #expect(folder.list("downloads") == ["film", "song"])
  }

  @Test func `links between two folders of the cache count once, when the last of them goes`() throws {
    let folders = try StorageFolders { settings, folder in
      settings.roots.cache.append(folder.makeFolder("cache2"))
    }
    let folder = folders.folder
    folder.write("cache/a", bytes: 20_000)
    folder.write("outside", bytes: 1)
    link(folder.at("cache/a"), folder.at("cache2/b"))
    link(folder.at("outside"), folder.at("cache2/c"))
    let preview = try folders.preview(.cache)
    #expect(preview.bytes == 20_480)
    #expect(preview.entries.map(\.bytes).sorted() == [0, 0, 20_480])
    #expect(try folders.clear().clearedBytes == preview.bytes)
  }

  @Test func `a folder that was replaced after it was measured is named with the reason`() throws {
    folder.write("cache/a", bytes: 1)
    _ = try folders.measure()
    rename(folder.at("cache"), folder.at("cache.old"))
    folder.write("cache/b", bytes: 1)
    let failure = #expect(throws: ActionFailure.self) { try folders.clear() }
    #expect(failure?.message == "The cache wasn't cleared. \(folder.at("cache")): replaced since it was measured.")
    #expect(folder.list("cache") == ["b"])
  }

  @Test func `a clear that is stopped says where it keeps what can't go back`() throws {
    folder.write("cache/a/b", bytes: 5_000)
    let root = try TreeRoot(opening: folder.at("cache"))
    // The app puts a file where the folder was, and somebody cancels.
    let isUsable = Locked(false)
    var control = RemovalControl(shouldStop: { isUsable.withLock { $0 } })
    control.whenUsable = { [folder] in
      folder.write("cache/a", bytes: 1)
      isUsable.withLock { $0 = true }
    }
    var report = RootedReport()
    report.add(try root.clear(control), of: root.path)
    let kept = try #require(folder.list().first { $0.hasPrefix(".cache") }).description
    let stage = try #require(folder.list(kept).first)
    let place = folder.at("\(kept)/\(stage)/a")
    #expect(folder.list("\(kept)/\(stage)/a") == ["b"])
    #expect(throws: CancellationError.self) { try folders.end(.onClearCache, report) }
    #expect(
      folders.lines.withLock { $0 } == ["onClearCache: Kept at \(place), since something else has its place."])
    #expect(
      report.text(or: "The cache wasn't cleared.", isClear: true)
        == "The cache wasn't cleared. Kept at \(place), since something else has its place.")
    let waiting = StorageWarning(path: place, message: "Kept here, since something else has its place")
    #expect(try folders.measure().totals.warnings == [waiting])
    // Once its place is free, the next session puts it back.
    unlink(folder.at("cache/a"))
    folders.restart()
    #expect(try folders.measure().totals.warnings == [])
    #expect(folder.list("cache/a") == ["b"])
  }

  @Test func `a download with the trash's name is one, unless it is the trash`() throws {
    folder.write("downloads/.rpcshell-trash/own", bytes: 1)
    #expect(try folders.measure().usage.downloads.map(\.id) == [".rpcshell-trash"])
    _ = try folders.remove(".rpcshell-trash")
    #expect(folder.list("downloads") == [])
    guard case .parts(let changes) = try folders.update(after: ".rpcshell-trash") else {
      Issue.record("the whole was measured")
      return
    }
    #expect(changes.removed == [".rpcshell-trash"])
    folder.write("downloads/.rpcshell-trash/p-0000000000000001-0123456789abcdef/a", bytes: 1)
    chmod(folder.at("downloads/.rpcshell-trash"), 0o700)
    folders.restart()
    #expect(try folders.measure().usage.downloads == [])
    #expect(folder.list("downloads") == [])
  }

  @Test func `what a killed process left in the trash goes with the next measure`() throws {
    folder.write(".cache.rpcshell-trash/p-0000000000000001-0123456789abcdef/a/b", bytes: 5_000)
    chmod(folder.at(".cache.rpcshell-trash"), 0o700)
    _ = try folders.measure()
    #expect(folder.list() == ["cache", "downloads", "other", "photos"])
  }
}
