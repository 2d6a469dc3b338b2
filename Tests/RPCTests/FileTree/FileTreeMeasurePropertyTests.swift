import CLinux
import Glibc
import Testing

@testable import FileTree

/// Trees made at random, and trees that change.
struct FileTreeMeasurePropertyTests {
  @Test(arguments: 1...12)
  func `one thread, two threads and a plain recursion agree on random trees`(seed: UInt64) throws {
    let tree = try TemporaryFolder()
    var random = SeededGenerator(seed: seed)
    var (directories, files) = (["u0", "u1", "u2", "outside"], [String]())
    for name in directories { tree.makeFolder(name) }
    for number in 0..<220 {
      let parent = directories.randomElement(using: &random)!
      let name = "\(parent)/\(number)"
      switch (0..<10).randomElement(using: &random)! {
      case 0..<3:
        tree.makeFolder(name)
        directories.append(name)
      case 3..<7:
        tree.write(name, bytes: (0..<20_000).randomElement(using: &random)!)
        files.append(name)
      case 7..<9 where !files.isEmpty: tree.hardLink(name, to: files.randomElement(using: &random)!)
      default: tree.link(name, to: "nowhere")
      }
    }
    let names = ["u0", "u1", "u2"].shuffled(using: &random)
    let units = names.map { random.next() % 2 == 0 ? tree.content($0) : tree.entry($0) }
    let one = try TreeMeasure.measure(units, threads: 1)
    #expect(one == PlainMeasure(of: units, named: names, in: tree).measure)
    for _ in 0..<3 { #expect(try TreeMeasure.measure(units, threads: 2) == one) }
  }

  @Test func `a wide directory is shared, and comes to the same`() throws {
    let tree = try TemporaryFolder()
    tree.makeFolder("in")
    tree.write("out/linked", bytes: 3)
    let tail = String(repeating: "-", count: 200)
    for number in 0..<2_000 {
      if number % 10 == 0 {
        tree.write("in/\(number)\(tail)/one", bytes: 1)
      } else if number % 7 == 0 {
        tree.hardLink("in/\(number)\(tail)", to: "out/linked")
      } else {
        tree.write("in/\(number)\(tail)", bytes: number % 3)
      }
    }
    let one = try TreeMeasure.measure([tree.content("in")], threads: 1)
    #expect(one.units[0].entries == 2_200)
    #expect(one.units[0].hasSharedLinks)
    for _ in 0..<10 { #expect(try TreeMeasure.measure([tree.content("in")], threads: 2) == one) }
  }

  @Test(arguments: [1, 2])
  func `files that come and go meanwhile are no warnings, and what stays is counted`(threads: Int) async throws {
    let tree = try TemporaryFolder()
    for number in 0..<30 {
      tree.write("\(number)/stays", bytes: 10)
    }
    let stop = StopFlag()
    async let changes = onThread {
      var rounds = 0
      while !stop.isStopped || rounds == 0 {
        for number in 0..<30 {
          tree.write("\(number)/new/file", bytes: 0)
          tree.hardLink("\(number)/other", to: "\(number)/new/file")
        }
        for number in 0..<30 {
          unlinkat(tree.descriptor, "\(number)/new/file", 0)
          unlinkat(tree.descriptor, "\(number)/new", AT_REMOVEDIR)
          unlinkat(tree.descriptor, "\(number)/other", 0)
        }
        rounds += 1
      }
      return rounds
    }
    for _ in 0..<150 {
      let measure = try TreeMeasure.measure([tree.content()], threads: threads)
      #expect(measure.warnings == [])
      #expect(measure.units[0].apparent == 300)
    }
    stop.stop()
    #expect(try await changes > 0)
  }

  @Test(arguments: 1...5)
  func `a table of links forgets what is whole and finds all else`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = LinkTable()
    var names: [(device: UInt64, inode: UInt64, links: UInt32)] = []
    for inode in 1...400 as ClosedRange<UInt64> {
      let links = UInt32.random(in: 2...5, using: &random)
      names += Array(repeating: (random.next() % 2, inode << (seed * 7), links), count: Int(links))
    }
    names.shuffle(using: &random)
    // Those of one inode on two devices are two files, seldom whole.
    var seen: [FileIdentity: UInt32] = [:]
    for name in names {
      var status = cl_status()
      (status.device, status.inode, status.links, status.blocks) = (name.device, name.inode, name.links, name.inode)
      let identity = FileIdentity(device: name.device, inode: name.inode)
      seen[identity, default: 0] += 1
      let link = table.see(status, unit: 0).link
      #expect(link.seen == seen[identity])
      if seen[identity] == name.links { seen[identity] = nil }
    }
    #expect(table.count == seen.count)
    table.forEach { link in #expect(seen[FileIdentity(device: link.device, inode: link.inode)] == link.seen) }
  }
}

/// What a measurement must come to, by readdir, recursion and sets.
private struct PlainMeasure {
  private struct File {
    var status: stat
    var names: [Int]
  }

  private(set) var measure = TreeMeasure(units: [], reclaimable: 0, warnings: [], warningCount: 0)
  private var files: [ino_t: File] = [:]

  init(of units: [TreeUnit], named names: [String], in tree: TemporaryFolder) {
    measure.units = Array(repeating: TreeSizes(), count: units.count)
    for (unit, name) in names.enumerated() {
      if units[unit].name != nil { see(tree.posixStatus(name), unit) }
      visit(tree.path + "/" + name, unit)
    }
    for file in files.values {
      let (blocks, first) = (Int(file.status.st_blocks) * 512, file.names.min()!)
      let isDirectory = file.status.st_mode & S_IFMT == S_IFDIR
      measure.units[first].allocated += blocks
      if !isDirectory { measure.units[first].apparent += Int(file.status.st_size) }
      let isWhole = isDirectory || file.names.count == file.status.st_nlink
      if isWhole { measure.reclaimable += blocks }
      if isWhole && Set(file.names).count == 1 {
        measure.units[first].reclaimable += blocks
      } else {
        for unit in file.names { measure.units[unit].hasSharedLinks = true }
      }
    }
  }

  private mutating func see(_ status: stat, _ unit: Int) {
    measure.units[unit].entries += 1
    files[status.st_ino, default: File(status: status, names: [])].names.append(unit)
  }

  private mutating func visit(_ path: String, _ unit: Int) {
    let stream = opendir(path)!
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      let status = TemporaryFolder.posixStatus(at: dirfd(stream), name)
      see(status, unit)
      if status.st_mode & S_IFMT == S_IFDIR { visit(path + "/" + name, unit) }
    }
  }
}
