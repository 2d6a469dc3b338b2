import FileTree
import Glibc
import Testing

struct FileTreeMeasureTests {
  private static func measure(_ units: [TreeUnit], threads: Int) throws -> TreeMeasure {
    let measure = try TreeMeasure.measure(units, threads: threads)
    #expect(measure.warnings == [])
    #expect(measure.isComplete)
    return measure
  }

  private static func measure(_ unit: TreeUnit, threads: Int) throws -> TreeSizes {
    try measure([unit], threads: threads).units[0]
  }

  // MARK: What counts

  @Test(arguments: [1, 2])
  func `an empty root is no bytes`(threads: Int) throws {
    let tree = try TemporaryFolder()
    #expect(try Self.measure([tree.content()], threads: threads).units == [TreeSizes()])
    #expect(try Self.measure([], threads: threads).units == [])
  }

  @Test(arguments: [1, 2])
  func `a file takes whole blocks`(threads: Int) throws {
    let tree = try TemporaryFolder()
    tree.write("small", bytes: 5_000)
    let sizes = try Self.measure(tree.content(), threads: threads)
    #expect(sizes.allocated == 8_192)
    #expect(sizes.apparent == 5_000)
    #expect(sizes.reclaimable == 8_192)
    #expect(sizes.entries == 1)
    #expect(try Self.measure(tree.entry("small"), threads: threads) == sizes)
  }

  @Test(arguments: [1, 2])
  func `a directory as an entry counts itself, but not among the bytes of readers`(threads: Int) throws {
    let tree = try TemporaryFolder()
    tree.write("download/episode", bytes: 10_000)
    let content = try Self.measure(tree.content("download"), threads: threads)
    let whole = try Self.measure(tree.entry("download"), threads: threads)
    #expect(whole.allocated == content.allocated + tree.allocated("download"))
    #expect(whole.apparent == 10_000)
    #expect(whole.entries == content.entries + 1)
    #expect(try Self.measure(tree.content(), threads: threads) == whole)
  }

  @Test(arguments: [1, 2])
  func `a link counts as long as its target is written, and is not followed`(threads: Int) throws {
    let tree = try TemporaryFolder()
    tree.makeFolder("in")
    tree.write("outside/precious", bytes: 1_000_000)
    let targets = ["../outside", "/", "loop", "nowhere", "../outside/precious"]
    for (name, target) in zip(["directory", "root", "loop", "dangling", "file"], targets) {
      tree.link("in/\(name)", to: target)
    }
    let sizes = try Self.measure(tree.content("in"), threads: threads)
    #expect(sizes.apparent == targets.map(\.utf8.count).reduce(0, +))
    #expect(sizes.entries == targets.count)
    #expect(sizes.allocated < 100_000)
    // An entry that is a link is measured as one, too.
    #expect(
      try Self.measure(.entry(Array("in/root".utf8), of: tree.descriptor, path: ""), threads: threads).entries == 1)
  }

  @Test(arguments: [1, 2])
  func `whatever it is called, it counts`(threads: Int) throws {
    let tree = try TemporaryFolder()
    let names: [[UInt8]] = [
      [0x62, 0xFF, 0xFE], Array("cafe\u{301}".utf8), Array("caf\u{E9}".utf8), Array("new\nline".utf8),
      Array("-rf".utf8),
      Array("*".utf8), Array("...".utf8), Array(repeating: 110, count: 255), Array(" ".utf8),
    ]
    for name in names { tree.write(name, Array(repeating: 120, count: 7)) }
    let sizes = try Self.measure(tree.content(), threads: threads)
    #expect(sizes.entries == names.count)
    #expect(sizes.apparent == 7 * names.count)
    for name in names {
      let unit = TreeUnit.entry(name, of: tree.descriptor, path: tree.path)
      #expect(try Self.measure(unit, threads: threads).apparent == 7)
    }
  }

  @Test(arguments: [1, 2])
  func `sizes that no integer can say are as large as it can`(threads: Int) throws {
    let tree = try TemporaryFolder(in: "/dev/shm")
    for name in ["a", "b"] { tree.sparseFile(name, size: .max) }
    let measure = try Self.measure([tree.content(), tree.entry("a")], threads: threads)
    #expect(measure.units.map(\.apparent) == [.max, .max])
    #expect(measure.units.map(\.allocated) == [0, 0])
  }

  /// `-b` of du counts the apparent size of directories, too; of them the sum knows nothing.
  @Test(arguments: [1, 2])
  func `a zoo of files comes to what du says`(threads: Int) async throws {
    let tree = try TemporaryFolder()
    Zoo.make(in: tree)
    let sizes = try Self.measure(tree.entry("in"), threads: threads)
    let script = #"du -s --block-size=1 "$in/in"; find "$in/in" -type d -printf '%s\n'; du -sb "$in/in""#
    let lines = try await TreeTool.run(script, in: tree).texts.map { Int($0.prefix { $0 != "\t" })! }
    #expect(sizes.allocated == lines.first)
    #expect(sizes.apparent == lines.last! - lines.dropFirst().dropLast().reduce(0, +))
    #expect(sizes.entries == Zoo.names)
    #expect(sizes.hasSharedLinks)
    #expect(sizes.reclaimable == sizes.allocated - tree.allocated("outside/shared"))
  }

  // MARK: Files with several names

  @Test(arguments: [1, 2])
  func `a file with two names here counts once and is free when both go`(threads: Int) throws {
    let tree = try TemporaryFolder()
    tree.write("one", bytes: 100_000)
    tree.hardLink("two", to: "one")
    let sizes = try Self.measure(tree.content(), threads: threads)
    #expect(sizes.allocated == tree.allocated("one"))
    #expect(sizes.apparent == 100_000)
    #expect(sizes.reclaimable == sizes.allocated)
    #expect(sizes.entries == 2)
    #expect(!sizes.hasSharedLinks)
  }

  @Test(arguments: [1, 2], [["a", "b"], ["b", "a"]])
  func `a file that two units have belongs to the first`(threads: Int, order: [String]) throws {
    let tree = try TemporaryFolder()
    tree.make("a/", "outside/", "b/one")
    tree.hardLink("a/two", to: "b/one")
    let both = try Self.measure(order.map { tree.content($0) }, threads: threads)
    #expect(both.units.map(\.allocated) == [8_192, 0])
    #expect(both.units.map(\.apparent) == [5_000, 0])
    #expect(both.units.map(\.reclaimable) == [0, 0])
    #expect(both.units.map(\.hasSharedLinks) == [true, true])
    #expect(both.reclaimable == 8_192)

    tree.hardLink("outside/three", to: "b/one")
    let some = try Self.measure(order.map { tree.content($0) }, threads: threads)
    #expect(some.units == both.units)
    #expect(some.reclaimable == 0)
    #expect(try Self.measure([tree.content()], threads: threads).reclaimable == 8_192 + 3 * tree.allocated("a"))
  }

  // MARK: What cannot be measured

  @Test(arguments: [1, 2])
  func `a root that is no directory is a failure that names it`(threads: Int) throws {
    let tree = try TemporaryFolder()
    tree.write("file", bytes: 100)
    let file = openat(tree.descriptor, "file", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    let units = [tree.content(), .content(of: file, path: "/the/file"), .content(of: -1, path: "/closed")]
    #expect(throws: TreeMeasure.Failure.unreadable(unit: 1, path: Array("/the/file".utf8), code: ENOTDIR)) {
      try TreeMeasure.measure(units, threads: threads)
    }
    #expect(throws: TreeMeasure.Failure.unreadable(unit: 0, path: Array("/closed/name".utf8), code: EBADF)) {
      try TreeMeasure.measure([.entry(Array("name".utf8), of: -1, path: "/closed")], threads: threads)
    }
  }

  @Test(arguments: [1, 2])
  func `an entry that is gone is nothing and no warning`(threads: Int) throws {
    let tree = try TemporaryFolder()
    #expect(try Self.measure(tree.entry("gone"), threads: threads) == TreeSizes())
  }

  // MARK: Progress and stopping

  /// Long enough for any machine, in no room on disk: one directory, as many times as needed.
  private static func endless(_ tree: TemporaryFolder) -> [TreeUnit] {
    for file in 0..<20 { tree.write("\(file)", bytes: 0) }
    return Array(repeating: tree.content(), count: 1_000_000)
  }

  @Test(arguments: [1, 2])
  func `progress is told while it goes on, and a stop ends it`(threads: Int) throws {
    let tree = try TemporaryFolder()
    let stop = StopFlag()
    var (counts, times, stopped) = ([Int](), [ContinuousClock.now], ContinuousClock.now)
    #expect(throws: TreeMeasure.Failure.stopped) {
      try TreeMeasure.measure(Self.endless(tree), threads: threads, stop: stop) { count in
        counts.append(count)
        times.append(.now)
        if counts.count == 3 { stop.stop() }
        stopped = .now
      }
    }
    #expect(stopped.duration(to: .now) < .seconds(20))
    try #require(counts.count == 3)
    #expect(counts == counts.sorted() && counts[0] > 0)
    for (one, next) in zip(times.dropFirst(), times.dropFirst(2)) {
      #expect(one.duration(to: next) >= .milliseconds(99))
    }
  }

  @Test func `what was stopped before does not begin`() throws {
    let tree = try TemporaryFolder()
    let stop = StopFlag()
    stop.stop()
    #expect(throws: TreeMeasure.Failure.stopped) { try TreeMeasure.measure([tree.content()], stop: stop) }
  }
}
