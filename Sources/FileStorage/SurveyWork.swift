import AccountModel
import FileTree
import Glibc
import RPCShell

/// Measures all roots or some parts of them. Waits for the disk: to be used on a thread of its own.
struct SurveyWork {
  let settings: FileStorage.Settings
  let watch: ChangeWatch?
  let stop: StopFlag
  /// Takes how many entries were looked at.
  let report: @Sendable (Int) -> Void
  /// The time of day: seconds since 1970-01-01T00:00:00Z.
  let now: Double
  /// When downloads were complete; nil where nobody asks.
  var record: CompletionRecord?
  private(set) var warnings: [StorageWarning] = []

  init(
    _ settings: FileStorage.Settings, watch: ChangeWatch?, record: CompletionRecord?, now: Double, stop: StopFlag,
    report: @escaping @Sendable (Int) -> Void
  ) {
    self.settings = settings
    self.watch = watch
    self.record = record
    self.now = now
    self.stop = stop
    self.report = report
  }

  /// A child of a downloads root, before it is measured.
  private struct Child {
    let file: Survey.File
    let folder: RootFolder
    /// Where it stood before.
    let place: Int?
  }

  // MARK: Everything

  /// - Parameter earlier: gives downloads their places.
  mutating func measureAll(after earlier: Survey?) throws(StorageFailure) -> Survey {
    let manifest = readManifest()
    var folders: [RootFolder] = []
    for root in settings.roots.all {
      if let folder = try RootFolder.open(root, mayBeMissing: settings.roots.mayBeMissing) { folders.append(folder) }
    }
    watchAll(folders)
    let children = try self.children(folders, earlier)
    let others = folders.filter { $0.root.kind != .downloads }
    let units =
      children.map { TreeUnit.entry($0.file.name, of: $0.folder.descriptor, path: $0.folder.root.path) }
      + others.map { TreeUnit.content(of: $0.descriptor, path: $0.root.path) }
    let measure = try measure(units)
    let survey = Survey()
    if let earlier { survey.continuePlaces(of: earlier) }
    add(children, measure.units, manifest, to: survey)
    for kind in StorageRoots.Kind.allCases where kind != .downloads {
      let sizes = zip(others, measure.units.dropFirst(children.count)).filter { $0.0.root.kind == kind }.map(\.1)
      survey.put(kind, sizes.reduce(into: TreeSizes(), +=))
    }
    survey.reclaimableBytes = measure.reclaimable
    for folder in folders { survey.identities[folder.root] = FileStatus(of: folder.descriptor)?.identity }
    finish(survey, measure)
    return survey
  }

  /// - Throws: ``StorageFailure`` where a root cannot be read; what was told to stop is a failure, too, which nobody sees.
  func measure(_ units: [TreeUnit], threads: Int = 2) throws(StorageFailure) -> TreeMeasure {
    do throws(TreeMeasure.Failure) {
      return try TreeMeasure.measure(units, threads: threads, stop: stop, progress: report)
    } catch {
      switch error {
      case .unreadable(_, let path, let code):
        throw StorageFailure("\(String(decoding: path, as: UTF8.self)): \(String(cString: strerror(code)))")
      case .stopped: throw StorageFailure("The measure was stopped.")
      }
    }
  }

  private mutating func finish(_ survey: Survey, _ measure: TreeMeasure) {
    warnings += measure.warnings.map { StorageWarning(path: $0.path, code: $0.code) }
    survey.isComplete = measure.isComplete
    if let watch, !watch.isComplete {
      warnings.append(
        StorageWarning(
          path: settings.roots.all.first?.path ?? "",
          message: "Too many folders to watch: changes show after a minute at the latest"))
    }
    survey.warnings = Array(warnings.prefix(Self.warningLimit))
    survey.waiting = waiting()
  }

  /// Warnings that are kept; the first say enough.
  static let warningLimit = 100

  mutating func readManifest() -> DownloadManifest? {
    guard let path = settings.manifest else { return nil }
    do throws(StorageFailure) {
      let manifest = try DownloadManifest(reading: path)
      warnings += manifest.problems.prefix(Self.warningLimit).map { StorageWarning(path: path, message: $0) }
      return manifest
    } catch {
      warnings.append(StorageWarning(path: path, message: error.message))
      return nil
    }
  }

  // MARK: Before and after

  /// Deletes what an earlier process left behind when it was killed, and puts back what has to stay.
  mutating func sweep() {
    let roots = settings.roots.all.filter(\.kind.isRemovable)
    for (_, open) in (try? settings.openChecked(roots)) ?? [] {
      _ = try? open.sweep(RemovalControl(shouldStop: { [stop] in stop.isStopped }))
    }
  }

  /// What an earlier removal could neither remove nor put back: it is in no root any more, and must not be forgotten.
  func waiting() -> [StorageWarning] {
    let paths = settings.roots.all.filter(\.kind.isRemovable).flatMap { root in
      (try? TreeRoot(opening: root.path))?.waiting() ?? []
    }
    return paths.map { path in
      StorageWarning(
        path: String(decoding: path, as: UTF8.self), message: "Kept here, since something else has its place")
    }
  }

  /// Keeps when downloads were complete.
  func saved(log: (String) -> Void) -> CompletionRecord? {
    var record = record
    do throws(StateFileFailure) { try record?.save() } catch {
      log("when downloads were finished cannot be kept: \(error.message)")
    }
    return record
  }

  // MARK: Downloads

  private func children(
    _ folders: [RootFolder], _ earlier: Survey?
  ) throws(StorageFailure) -> [Child] {
    var children: [Child] = []
    for folder in folders where folder.root.kind == .downloads {
      let code = forEachChild(of: folder.descriptor) { name, _ in
        guard !TreeRoot.isTrash(name, in: folder.descriptor), !isManifest(name, folder) else { return }
        let file = Survey.File(root: folder.root.index, name: name)
        children.append(Child(file: file, folder: folder, place: earlier?.place(of: file)))
      }
      guard code == 0 else { throw StorageFailure("\(folder.root.path): \(String(cString: strerror(code)))") }
    }
    // Those that were known stay where they were; new ones come last, by name.
    return children.sorted { one, other in
      switch (one.place, other.place) {
      case (let one?, let other?): one < other
      case (_?, nil): true
      case (nil, _?): false
      case (nil, nil):
        one.file.root == other.file.root
          ? one.file.name.lexicographicallyPrecedes(other.file.name) : one.file.root < other.file.root
      }
    }
  }

  /// Whether a child is the manifest, however its path is written.
  func isManifest(_ name: [UInt8], _ folder: RootFolder) -> Bool {
    guard let path = settings.manifest, let slash = path.lastIndex(of: "/"),
      Array(path[path.index(after: slash)...].utf8) == name
    else { return false }
    let parent = slash == path.startIndex ? "/" : String(path[..<slash])
    return FileStatus(through: parent)?.identity == FileStatus(of: folder.descriptor)?.identity
  }

  private mutating func add(
    _ children: [Child], _ sizes: some Sequence<TreeSizes>, _ manifest: DownloadManifest?, to survey: Survey
  ) {
    for (child, sizes) in zip(children, sizes) where sizes.entries > 0 {
      let path = settings.roots.downloads.count > 1 ? child.folder.root.path : nil
      let entry = manifest?.entry(child.file.name, in: child.folder.root.path)
      let id = entry?.id ?? DownloadNames.id(child.file.name, in: path, hasManifest: settings.manifest != nil)
      survey.put(child.file, sizes, download(id, child.file, child.folder, sizes, entry), place: child.place)
    }
    record?.keep(only: survey.items.keys.map(\.text))
  }

  mutating func download(
    _ id: String, _ file: Survey.File, _ folder: RootFolder, _ sizes: TreeSizes, _ entry: DownloadManifest.Entry?
  ) -> Download {
    var download = Download(id: id, title: entry?.title ?? DownloadNames.title(of: file.name), bytes: sizes.allocated)
    if let detail = entry?.detail { download.detail = .value(detail) }
    if let symbol = entry?.symbol { download.symbol = .value(symbol) }
    if let completion = entry?.completedAt {
      download.completedAt = .value(completion)
    } else if record != nil {
      let name = file.name.map { CChar(bitPattern: $0) } + [0]
      let changed = FileStatus(at: folder.descriptor, name)?.changedAt
      let completion = record?.completion(of: id, bytes: sizes.allocated, changedAt: changed ?? .max, now: now)
      if let completion { download.completedAt = .value(completion) }
    }
    return download
  }

  // MARK: Watching

  private func watchAll(_ folders: [RootFolder]) {
    guard let watch else { return }
    watch.restart()
    for folder in folders { self.watch(folder, watch) }
  }

  func watch(_ folder: RootFolder, _ watch: ChangeWatch) {
    let isStopped = { [stop] in stop.isStopped }
    if folder.root.kind == .downloads {
      watch.addDownloads(folder.root.index, folder.descriptor, isStopped: isStopped)
    } else {
      watch.add(kind: folder.root.kind.number, folder.descriptor, isStopped: isStopped)
    }
    // Whoever reads the entries next begins at the first.
    lseek(folder.descriptor, 0, SEEK_SET)
  }
}

extension StorageWarning {
  /// - Parameters:
  ///   - path: bytes, which need not be UTF-8.
  ///   - code: `errno`
  init(path: [UInt8], code: Int32) {
    self.init(path: String(decoding: path, as: UTF8.self), message: String(cString: strerror(code)))
  }
}

extension StorageRoots.Kind {
  /// Its place among all.
  var number: Int { Self.allCases.firstIndex(of: self)! }
}
