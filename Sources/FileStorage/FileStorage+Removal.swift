public import AccountModel
import FileTree
import Glibc
public import RPCShell

/// The built-in adapter of onClearCache and onRemove: removes files in the configured folders, and nowhere else.
extension FileStorage: ActionHandler {
  /// For error data.
  public nonisolated var adapter: String { "local" }

  /// Empties the cache folders, or removes the download of the call.
  /// - Throws: ``ActionFailure`` that says what went and what stayed; `CancellationError` where it was told to stop.
  public nonisolated func run(
    _ call: ActionCall, host: PluginHost, progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> ActionResult {
    try Task.checkCancellation()
    switch call.action {
    case .onClearCache:
      let bytes = call.details.first { $0.name == "bytes" }.flatMap { Int("\($0.value)") }
      let report = try await perform(settings.roots.roots(of: .cache), child: nil, of: bytes, host, progress)
      return try result(report, of: call, host, or: "The cache wasn't cleared.", isClear: true)
    case .onRemove:
      let (root, item) = try await downloaded(call)
      let report = try await perform([root], child: item.file.name, of: item.download.bytes, host, progress)
      return try result(report, of: call, host, or: "The download wasn't removed.", isClear: false)
    case .onUpgrade, .onManage, .onRestore: throw ActionFailure(message: nil)
    }
  }

  private nonisolated func downloaded(_ call: ActionCall) async throws -> (StorageRoots.Root, Survey.Item) {
    let text = call.details.first { $0.name == "download" }?.value ?? .null
    let id = try? JSONDocument(parsing: text).view["id"]?.string
    guard let id, let item = await item(id) else {
      throw ActionFailure(message: "This download is in none of the folders.")
    }
    return (settings.roots.roots(of: .downloads)[item.file.root], item)
  }

  private func item(_ id: String) -> Survey.Item? { survey?.item(id) }

  // MARK: On a thread of its own

  private nonisolated func perform(
    _ roots: [StorageRoots.Root], child: [UInt8]?, of bytes: Int?, _ host: PluginHost,
    _ progress: @escaping @Sendable (ActionProgress) -> Void
  ) async throws -> RootedReport {
    try await removing.begin()
    let stop = StopFlag()
    let report: @Sendable (RemovalResult.Amount) -> Void = { gone in
      let share = bytes.flatMap { $0 > 0 ? min(Double(gone.bytes) / Double($0), 1) : nil }
      Task(executorPreference: host.executor) { await self.report(ActionProgress(fraction: share), to: progress) }
    }
    let measured = await survey?.identities ?? [:]
    let outcome = await BlockingWork.run { [settings] in
      Result { () throws(StorageFailure) in
        var sum = RootedReport()
        for (root, open) in try settings.openChecked(roots) where !stop.isStopped {
          let control = RemovalControl(shouldStop: { stop.isStopped }, progress: report)
          do throws(TreeFailure) {
            try open.check(isStill: measured[root])
            sum.add(try open.remove(child, control), of: open.path)
          } catch {
            if !error.isGone { sum.add(error) }
          }
        }
        return sum
      }
    } onCancel: {
      stop.stop()
    }
    await removing.end()
    do throws(StorageFailure) { return try outcome.get() } catch { throw ActionFailure(message: error.message) }
  }

  private func report(_ report: ActionProgress, to progress: @Sendable (ActionProgress) -> Void) { progress(report) }

  // MARK: What it came to

  nonisolated func result(
    _ report: RootedReport, of call: ActionCall, _ host: PluginHost, or nothing: String, isClear: Bool
  ) throws -> ActionResult {
    if report.wasStopped {
      // Nobody reads how a run ended that was told to stop; the next measure says it, too.
      if let whereabouts = report.whereabouts { host.log("\(call.action.rawValue): \(whereabouts)") }
      throw CancellationError()
    }
    guard report.isWhole(isClear: isClear) else {
      throw ActionFailure(message: report.text(or: nothing, isClear: isClear), data: report.data)
    }
    var result = ActionResult()
    result.message = isClear ? report.note : nil
    result.clearedBytes = report.freed
    return result
  }

  // MARK: Previews

  public nonisolated func preview(_ target: RemovalTarget) async throws -> RemovalPreview {
    var roots = settings.roots.roots(of: .cache)
    var child: [UInt8]?
    if case .download(let id) = target {
      guard let item = await item(id) else { throw StorageFailure("This download is in none of the folders.") }
      roots = [settings.roots.roots(of: .downloads)[item.file.root]]
      child = item.file.name
    }
    let stop = StopFlag()
    let outcome = await BlockingWork.run { [settings, roots, child] in
      Result { () throws(StorageFailure) in
        try settings.preview(roots, child, stop)
      }
    } onCancel: {
      stop.stop()
    }
    try Task.checkCancellation()
    return try outcome.get()
  }
}

extension FileStorage.Settings {
  /// Opens roots, and looks once more at what those are that are open.
  func openChecked(_ roots: [StorageRoots.Root]) throws(StorageFailure) -> [(StorageRoots.Root, TreeRoot)] {
    var opened: [(StorageRoots.Root, TreeRoot)] = []
    for root in roots {
      if let open = try self.open(root) { opened.append((root, open)) }
    }
    let descriptors = Dictionary(uniqueKeysWithValues: opened.map { ($0.0, $0.1.descriptor) })
    do throws(StorageRootRefusal) {
      try RootRules.check(self.roots, home: home, kept: kept, open: descriptors)
    } catch { throw StorageFailure("\(error.place): \(error.reason)") }
    return opened
  }

  /// nil where it is missing and may be.
  private func open(_ root: StorageRoots.Root) throws(StorageFailure) -> TreeRoot? {
    do throws(TreeFailure) { return try TreeRoot(opening: root.path) } catch {
      if error.code == ENOENT && roots.mayBeMissing { return nil }
      throw StorageFailure("\(root.path): \(error.text)")
    }
  }

  fileprivate func preview(
    _ roots: [StorageRoots.Root], _ child: [UInt8]?, _ stop: StopFlag
  ) throws(StorageFailure) -> RemovalPreview {
    var preview = RemovalPreview(bytes: 0, entries: [])
    let control = RemovalControl(shouldStop: { stop.isStopped })
    for (root, open) in try openChecked(roots) {
      do throws(TreeFailure) {
        var entries: [RemovalPreview.Entry] = []
        let result = try open.preview(child, control) { entry in
          if entry.reason == nil { entries.append(RemovalPreview.Entry(entry, of: open.path)) }
        }
        var report = RootedReport()
        report.add(result, of: open.path)
        preview.entries += entries
        preview.bytes = preview.bytes.adding(report.freed)
        preview.kept += report.problems
      } catch {
        if !error.isGone { throw StorageFailure("\(root.path): \(error.text)") }
      }
    }
    return preview
  }
}

extension TreeRoot {
  /// Checks that it is what was measured; nil is what was not.
  fileprivate func check(isStill measured: FileIdentity?) throws(TreeFailure) {
    if let measured, measured != identity { throw TreeFailure(.changed, code: ESTALE, path: path) }
  }

  /// Removes a child; nil is all that is in it. Waits for another process that removes something there, for a while.
  fileprivate func remove(_ child: [UInt8]?, _ control: RemovalControl) throws(TreeFailure) -> RemovalResult {
    for _ in 0..<Self.patience where !control.shouldStop() {
      do throws(TreeFailure) { return try removeNow(child, control) } catch {
        if error.cause != .busy { throw error }
      }
      usleep(50_000)
    }
    return try removeNow(child, control)
  }

  /// Tries, 50 ms apart.
  private static let patience = 100

  private func removeNow(_ child: [UInt8]?, _ control: RemovalControl) throws(TreeFailure) -> RemovalResult {
    guard let child else { return try clear(control) }
    return try remove(child.cString, expecting: nil, control)
  }

  fileprivate func preview(
    _ child: [UInt8]?, _ control: RemovalControl, _ visit: @escaping (RemovalPreviewEntry) -> Void
  ) throws(TreeFailure) -> RemovalResult {
    guard let child else { return try preview(nil, expecting: nil, control, visit) }
    return try preview(child.cString, expecting: nil, control, visit)
  }
}

extension TreeFailure {
  /// Whether the entry is not there: then there is nothing to do.
  fileprivate var isGone: Bool { cause == .changed && code == ENOENT }
}

extension [UInt8] {
  /// With a NUL.
  fileprivate var cString: [CChar] { map { CChar(bitPattern: $0) } + [0] }
}

extension RemovalPreview.Entry {
  fileprivate init(_ entry: RemovalPreviewEntry, of root: [UInt8]) {
    let path = root + [UInt8(ascii: "/")] + entry.path + (entry.kind == .directory ? [UInt8(ascii: "/")] : [])
    let text = String(validating: path, as: UTF8.self)
    self.init(
      path: text ?? String(decoding: path, as: UTF8.self), exactPath: text == nil ? path : nil, bytes: entry.bytes)
  }
}
