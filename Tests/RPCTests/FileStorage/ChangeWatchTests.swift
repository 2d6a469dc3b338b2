import FileTree
import Glibc
import Testing

@testable import FileStorage

/// What is noticed under folders.
struct ChangeWatchTests {
  private let folder = try! TemporaryFolder()

  private func watched(_ body: (ChangeWatch) throws -> Void) throws {
    folder.write("downloads/film/part1", bytes: 10)
    folder.write("cache/a/b/c", bytes: 10)
    let watch = try #require(ChangeWatch())
    for (kind, name) in [(0, "downloads"), (1, "cache")] {
      let root = openDirectory(at: AT_FDCWD, folder.at(name))
      defer { close(root) }
      if kind == 0 { watch.addDownloads(0, root) { false } } else { watch.add(kind: kind, root) { false } }
    }
    #expect(watch.isComplete && watch.take().isEmpty)
    try body(watch)
  }

  private static func download(_ name: String) -> ChangeWatch.Part { .download(0, Array(name.utf8)) }

  @Test func `tells which download or kind a change is about`() throws {
    try watched { watch in
      folder.write("downloads/film/part2", bytes: 10)
      folder.write("downloads/song", bytes: 10)
      watch.wait(seconds: nil)
      #expect(watch.take().parts == [Self.download("film"), Self.download("song")])
      unlink(folder.at("cache/a/b/c"))
      #expect(watch.take().parts == [.kind(1)])
      rename(folder.at("downloads/song"), folder.at("downloads/hit"))
      #expect(watch.take().parts == [Self.download("song"), Self.download("hit")])
      #expect(watch.take().isEmpty)
    }
  }

  @Test func `tells that folders came, which can be watched then`() throws {
    try watched { watch in
      folder.makeFolder("downloads/map")
      let changes = watch.take()
      #expect(changes.hasNewFolders && changes.parts == [Self.download("map")])
      let root = openDirectory(at: AT_FDCWD, folder.at("downloads"))
      defer { close(root) }
      watch.addDownloads(0, root) { false }
      folder.write("downloads/map/tile", bytes: 1)
      #expect(watch.take().parts == [Self.download("map")])
    }
  }

  @Test func `a wait ends when it is told to`() throws {
    try watched { watch in
      watch.stopWaiting()
      watch.wait(seconds: nil)
      watch.wait(seconds: 0)
      #expect(watch.take().isEmpty)
    }
  }

  @Test func `links are not followed`() throws {
    folder.write("outside/x", bytes: 1)
    folder.makeFolder("cache")
    symlink(folder.at("outside"), folder.at("cache/link"))
    try watched { watch in
      folder.write("outside/y", bytes: 1)
      #expect(watch.take().isEmpty)
    }
  }
}
