import AccountModel
import Glibc
import RPCShell
import Testing

@testable import StoragePlugin

/// A hundred thousand downloads.
@Suite(.timeLimit(.usualMinutes(1)))
struct StorageLongListTests {
  private static let count = 100_000

  private static func downloads(_ count: Int) -> [Download] {
    (0..<count).map { Download(id: "d\($0)", title: "Episode \($0)", bytes: 1_000 + $0) }
  }

  @Test func `a removal's event follows the change, not the list`() throws {
    let backend = ScriptedBackend()
    let usage = StorageUsage(downloads: Self.downloads(Self.count), cache: 5)
    let rig = try StorageRig.measured(backend, usage: usage)
    try rig.call("storage.remove", params: #"{"id":"d70000"}"#)
    let begin = rig.received(1)[0]
    #expect(
      begin.at("params.state.downloads.changedRows")
        == #"[{"id":"d70000","title":"Episode 70000","detail":null,"symbol":null,"bytes":71000,"sizeText":"71 kB","removing":true,"progress":null,"accessibilityLabel":"Episode 70000, 71 kB"}]"#
    )
    #expect(begin.at("params.state.downloads.rows") == nil && begin.at("params.state.downloads.removedRows") == nil)
    #expect(begin.text.utf8.count < 4096)
    rig.remover.succeed()
    rig.run(until: { backend.waitingUpdates == 1 })
    var changes = StorageChanges(totals: .sample)
    changes.removed = ["d70000"]
    backend.deliver(.parts(changes))
    let end = rig.received(2)[0]
    #expect(end.at("params.state.downloads.removedRows") == #"["d70000"]"#)
    #expect(end.at("params.state.downloads.changedRows") == nil && end.at("params.state.downloads.rows") == nil)
    #expect(end.at("params.state.downloads.count") == "99999")
    #expect(end.text.utf8.count < 4096)
  }

  /// The least processor time in nanoseconds that a few hundred events take.
  private static func time(_ count: Int) -> Int {
    var state = StorageState()
    state.take(StorageUsage(downloads: downloads(count)), totals: .sample, asOf: "")
    var feed = StateFeed(plugin: "storage", initial: state.snapshot(Environment()))
    var least = Int.max
    for round in 0..<5 {
      let began = processorTime()
      for number in 0..<60 {
        let id = "d\(number * 15 + round)"
        state.setRemoving(id, progress: nil)
        var length = feed.move(to: state.snapshot(Environment()), .init(cause: "remove"))!.params.bytes.count
        var changes = StorageChanges(totals: .sample)
        changes.removed = [id]
        _ = state.take(changes, asOf: "")
        length += feed.move(to: state.snapshot(Environment()), .init(cause: "remove"))!.params.bytes.count
        #expect(length < 8192)
      }
      least = min(least, processorTime() - began)
    }
    return least
  }

  private static func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  @Test func `an event of a hundred times as many rows does not cost a tenth of that`() {
    let (few, many) = (Self.time(1_000), Self.time(Self.count))
    #expect(many < few * 10, "\(many) ns against \(few) ns")
  }

  @Test func `a usage that lacks one download is an event about that one`() throws {
    let rig = StorageRig(usage: StorageUsage(downloads: Self.downloads(2_000)))
    var rest = Self.downloads(2_000)
    rest.remove(at: 1_234)
    rest[5].bytes = 7
    rest.append(Download(id: "new", title: "New", bytes: 1))
    try rig.set(StorageUsage(downloads: rest))
    let event = rig.received(2)[0]
    #expect(event.at("params.state.downloads.removedRows") == #"["d1234"]"#)
    #expect(event.at("params.state.downloads.changedRows.0.id") == #""d5""#)
    #expect(event.at("params.state.downloads.changedRows.1.id") == #""new""#)
    #expect(event.at("params.state.downloads.changedRows.2") == nil)
  }

  @Test func `a usage of other downloads has all rows`() throws {
    let rig = StorageRig(usage: StorageUsage(downloads: Self.downloads(300)))
    let others = Self.downloads(300).map { Download(id: "x" + $0.id, title: $0.title, bytes: 1) }
    try rig.set(StorageUsage(downloads: others))
    #expect(rig.received(2)[0].at("params.state.downloads.rows.299.id") == #""xd299""#)
  }

  @Test func `a usage in another order has all rows`() throws {
    let rig = StorageRig(usage: StorageUsage(downloads: Self.downloads(200)))
    try rig.set(StorageUsage(downloads: Self.downloads(200).reversed()))
    let event = rig.received(2)[0]
    #expect(event.at("params.state.downloads.rows.0.id") == #""d199""#)
    #expect(event.at("params.state.downloads.changedRows") == nil)
  }

  @Test(arguments: [(101, true), (102, false)])
  func `rows are whole up to a hundred of them`(count: Int, isWhole: Bool) throws {
    let rig = StorageRig(usage: StorageUsage(downloads: Self.downloads(count)))
    try rig.set(StorageUsage(downloads: Array(Self.downloads(count).dropFirst())))
    let event = rig.received(2)[0]
    #expect((event.at("params.state.downloads.rows") != nil) == isWhole)
    #expect((event.at("params.state.downloads.removedRows") == nil) == isWhole)
  }

  @Test func `only rows that change are drawn`() {
    var drawn = 0
    func row(_ download: Download) -> StateRows.Row {
      drawn += 1
      return StorageState.row(download, [:])
    }
    var list = DownloadList()
    list.replace(by: Self.downloads(1_000), row)
    #expect(drawn == 1_000)
    list.remove("d5")
    list.put(Download(id: "d7", title: "Seven", bytes: 1), row)
    list.put(Download(id: "d5", title: "Five", bytes: 1), row)
    #expect(drawn == 1_002)
    list.replace(by: list.all, row)
    #expect(drawn == 1_002)
    #expect(list.count == 1_000 && list.rows.count == 1_000)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `a list that is edited at random has what it was told, in order`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var list = DownloadList()
    var plain: [Download] = []
    func row(_ download: Download) -> StateRows.Row { StorageState.row(download, [:]) }
    for number in 0..<600 {
      let id = "d\(Int.random(in: 0..<150, using: &random))"
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        #expect(list.remove(id) == plain.contains { $0.id == id })
        plain.removeAll { $0.id == id }
      case 4..<8:
        let download = Download(id: id, title: "T", bytes: number)
        if let at = plain.firstIndex(where: { $0.id == id }) { plain[at] = download } else { plain.append(download) }
        list.put(download, row)
      case 8:
        plain = plain.filter { _ in Bool.random(using: &random) }
        list.replace(by: plain, row)
      default:
        if plain.count > 1 { plain.swapAt(0, plain.count - 1) }
        list.replace(by: plain, row)
      }
      #expect(list.all == plain)
      #expect(list.count == plain.count)
      #expect(list.bytes == plain.reduce(0) { $0 + $1.bytes })
    }
  }

  @Test func `the bytes of all downloads stop at the largest number`() {
    var list = DownloadList()
    for id in ["a", "b"] {
      list.put(Download(id: id, title: "T", bytes: .max)) { StorageState.row($0, [:]) }
    }
    #expect(list.bytes == .max)
    list.remove("a")
    #expect(list.bytes == .max)
    list.remove("b")
    #expect(list.bytes == 0)
  }
}
