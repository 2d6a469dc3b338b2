import AccountModel
import Glibc
import RPCShell
import Testing

@testable import FileStorage

/// What a measure finds in the configured folders.
struct FileStorageMeasureTests {
  private let folders = try! StorageFolders()
  private var folder: TemporaryFolder { folders.folder }

  private func fill() {
    folder.write("downloads/b.mp3", bytes: 5_000)
    folder.write("downloads/a/1", bytes: 10_000)
    folder.write("downloads/a/2", bytes: 1)
    folder.write("cache/x/y", bytes: 20_000)
    folder.write("photos/p", bytes: 1_000)
  }

  @Test func `each child of a downloads folder is a download, and the rest is as large as du says`() throws {
    fill()
    let measure = try folders.measure()
    let usage = measure.usage
    #expect(usage.downloads.map(\.id) == ["a", "b.mp3"])
    #expect(usage.downloads.map(\.title) == ["a", "b.mp3"])
    #expect(try usage.downloads.map(\.bytes).reduce(0, +) == folders.diskUsage("downloads"))
    #expect(usage.downloads[1].bytes == 8_192)
    #expect(try usage.cache == folders.diskUsage("cache"))
    #expect(usage.photos == 4_096)
    #expect(usage.other == 0)
    #expect(measure.totals.apparentBytes == 36_001)
    #expect(measure.totals.isComplete && measure.totals.warnings == [])
    #expect(folders.lines.withLock { $0 } == [])
  }

  @Test func `empty folders are nothing`() throws {
    let measure = try folders.measure()
    #expect(measure.usage == StorageUsage())
    #expect(measure.totals == StorageTotals(apparentBytes: 0, reclaimableBytes: 0))
  }

  @Test func `a file with several names counts for the first kind`() throws {
    folder.write("cache/f", bytes: 8_192)
    link(folder.at("cache/f"), folder.at("photos/f"))
    link(folder.at("cache/f"), folder.at("downloads/f"))
    folder.write("outside", bytes: 4_096)
    link(folder.at("outside"), folder.at("other/f"))
    let measure = try folders.measure()
    #expect(measure.usage.downloads.map(\.bytes) == [8_192])
    #expect([measure.usage.cache, measure.usage.photos, measure.usage.other] == [0, 0, 4_096])
    #expect(measure.totals.reclaimableBytes == 8_192)
  }

  @Test func `a root that is missing is an error, unless it is rpcshell's own`() throws {
    rmdir(folder.at("photos"))
    let failure = #expect(throws: StorageFailure.self) { try folders.measure() }
    #expect(failure?.message == "\(folder.at("photos")): No such file or directory")
    let own = try StorageFolders { settings, folder in
      settings.roots.mayBeMissing = true
      rmdir(folder.at("photos"))
    }
    #expect(try own.measure().usage == StorageUsage())
  }

  @Test func `names that are no UTF-8 keep their file`() throws {
    let name: [UInt8] = [0x66, 0xFF, 0x66]
    let descriptor = open(folder.at("downloads"), O_RDONLY | O_DIRECTORY)
    close(openat(descriptor, name.map { CChar(bitPattern: $0) } + [0], O_CREAT | O_WRONLY, 0o644))
    close(descriptor)
    let download = try #require(try folders.measure().usage.downloads.first)
    #expect(download.id == "base64:Zv9m" && download.title == "f\u{FFFD}f")
    _ = try folders.remove(download.id)
    #expect(folder.list("downloads") == [])
  }

  @Test func `the manifest says what downloads are called, and is none itself`() throws {
    let folders = try StorageFolders { settings, folder in settings.manifest = folder.at("downloads/index.json") }
    folders.folder.write("downloads/a", bytes: 1)
    folders.folder.write("downloads/b", bytes: 1)
    folders.folder.write(
      "downloads/index.json", #"[{"file":"b","id":"d1","title":"Episode 12","detail":"Audio","symbol":"waveform"}]"#)
    let downloads = try folders.measure().usage.downloads
    #expect(downloads.map(\.id) == ["./a", "d1"])
    #expect(downloads[1].title == "Episode 12" && downloads[1].detail.value == "Audio")
    folders.folder.write("downloads/index.json", "[")
    let measure = try folders.measure()
    #expect(measure.usage.downloads.map(\.title) == ["a", "b"])
    #expect(measure.totals.warnings.map(\.path) == [folders.folder.at("downloads/index.json")])
  }

  @Test func `downloads keep their places, and new ones come last`() throws {
    for name in ["b", "d"] { folder.write("downloads/" + name, bytes: 1) }
    #expect(try folders.measure().usage.downloads.map(\.id) == ["b", "d"])
    for name in ["c", "a"] { folder.write("downloads/" + name, bytes: 1) }
    unlink(folder.at("downloads/b"))
    #expect(try folders.measure().usage.downloads.map(\.id) == ["d", "a", "c"])
  }

  @Test func `after a removal only the download is looked at`() throws {
    fill()
    let before = try folders.measure()
    _ = try folders.remove("a")
    folder.write("cache/unseen", bytes: 50_000)
    guard case .parts(let changes) = try folders.update(after: "a") else { return #expect(Bool(false)) }
    #expect(changes.removed == ["a"] && changes.downloads == [] && changes.cache == nil)
    #expect(changes.totals.apparentBytes == before.totals.apparentBytes - 10_001)
    #expect(try folders.measure().usage.cache > before.usage.cache)
  }

  @Test func `after the removal of a file that others share everything is measured`() throws {
    folder.write("downloads/a", bytes: 8_192)
    link(folder.at("downloads/a"), folder.at("downloads/b"))
    #expect(try folders.measure().usage.downloads.map(\.bytes) == [8_192, 0])
    _ = try folders.remove("a")
    guard case .whole(let measure) = try folders.update(after: "a") else { return #expect(Bool(false)) }
    #expect(measure.usage.downloads == [Download(id: "b", title: "b", bytes: 8_192)])
  }

  @Test func `records when downloads were complete, where somebody asks`() throws {
    let folders = try StorageFolders { settings, folder in settings.recordFolder = folder.at("state") }
    folders.folder.write("downloads/a", bytes: 1)
    let old = [timespec(tv_sec: 978_307_200, tv_nsec: 0), timespec(tv_sec: 978_307_200, tv_nsec: 0)]
    utimensat(AT_FDCWD, folders.folder.at("downloads/a"), old, 0)
    // After the file was made, whenever this runs.
    let now = 1_900_000_000.0
    folders.restart(now: now)
    func completion() throws -> String? { try folders.measure().usage.downloads.first?.completedAt.value?.text }
    #expect(try completion() == "2030-03-17T17:46:40Z")
    folders.restart(now: now + 86_400)
    #expect(try completion() == "2030-03-17T17:46:40Z")
    folders.folder.write("downloads/a", bytes: 9_000)
    folders.restart(now: now + 86_400)
    #expect(try completion() == "2030-03-18T17:46:40Z")
  }

  @Test func `follows changes, part by part`() throws {
    let folders = try StorageFolders { settings, _ in settings.isWatching = true }
    let folder = folders.folder
    folder.write("downloads/a/1", bytes: 1)
    folder.write("cache/c", bytes: 1)
    _ = try folders.measure()
    folder.write("downloads/a/2", bytes: 5_000)
    folder.write("downloads/new", bytes: 1)
    try folders.wait { try await $0.waitForChange() }
    guard case .parts(let changes) = try folders.update() else { return #expect(Bool(false)) }
    #expect(changes.downloads.map(\.id) == ["a", "new"] && changes.cache == nil)
    folder.write("cache/d/e", bytes: 5_000)
    try folders.wait { try await $0.waitForChange() }
    guard case .parts(let later) = try folders.update() else { return #expect(Bool(false)) }
    #expect(try later.downloads == [] && later.cache == folders.diskUsage("cache"))
    folder.write("cache/d/f", bytes: 1)
    try folders.wait { try await $0.waitForChange() }
    guard case .parts(let last) = try folders.update() else { return #expect(Bool(false)) }
    #expect(try last.cache == folders.diskUsage("cache"))
  }
}
