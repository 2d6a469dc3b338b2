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
      return try result(report, or: "The cache wasn't cleared.")
    case .onRemove:
      let (root, item) = try await downloaded(call)
      let report = try await perform([root], child: item.file.name, of: item.download.bytes, host, progress)
      return try result(report, or: "The download wasn't removed.")
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
    let stop = StopFlag()
    let report: @Sendable (Int, Int) -> Void = { entries, freed in
      let share = bytes.flatMap { $0 > 0 ? min(Double(freed) / Double($0), 1) : nil }
      Task(executorPreference: host.executor) { await self.report(ActionProgress(fraction: share), to: progress) }
    }
    let outcome = await BlockingWork.run { [settings] in
      Result { () throws(StorageFailure) in
        try settings.checkRoots()
        var sum = RootedReport()
        for root in roots where !stop.isStopped {
          guard let open = try settings.open(root) else { continue }
          let control = RemovalControl(isStopped: { stop.isStopped }, progress: report)
          let removal = Removal(open, control: control)
          sum.add(child.map(removal.remove) ?? removal.clear(), of: open.path)
        }
        return sum
      }
    } onCancel: {
      stop.stop()
    }
    do throws(StorageFailure) { return try outcome.get() } catch { throw ActionFailure(message: error.message) }
  }

  private func report(_ report: ActionProgress, to progress: @Sendable (ActionProgress) -> Void) { progress(report) }

  // MARK: What it came to

  private nonisolated func result(_ report: RootedReport, or nothing: String) throws -> ActionResult {
    let sum = report.sum
    if sum.isStopped { throw CancellationError() }
    let isWhole = sum.failure == nil && sum.failedCount == 0 && sum.kept == 0 && sum.leftInTrash == nil
    guard isWhole && sum.stillOpen == 0 else {
      throw ActionFailure(message: report.text(or: nothing), data: report.data)
    }
    var result = ActionResult()
    result.clearedBytes = sum.freed
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
        try settings.checkRoots()
        return try settings.preview(roots, child, stop)
      }
    } onCancel: {
      stop.stop()
    }
    try Task.checkCancellation()
    return try outcome.get()
  }
}

extension FileStorage.Settings {
  /// Looks once more at what the roots are, right before something in them goes.
  func checkRoots() throws(StorageFailure) {
    do throws(StorageRootRefusal) { try RootRules.check(roots, home: home, kept: kept) } catch {
      throw StorageFailure("\(error.place): \(error.reason)")
    }
  }

  /// nil where it is missing and may be.
  func open(_ root: StorageRoots.Root) throws(StorageFailure) -> TreeRoot? {
    do throws(TreeError) { return try TreeRoot(root.path) } catch {
      if error.code == ENOENT && roots.mayBeMissing { return nil }
      throw StorageFailure("\(root.path): \(error.message)")
    }
  }

  fileprivate func preview(
    _ roots: [StorageRoots.Root], _ child: [UInt8]?, _ stop: StopFlag
  ) throws(StorageFailure) -> RemovalPreview {
    var entries: [RemovalPreview.Entry] = []
    var sum = RootedReport()
    for root in roots {
      guard let open = try self.open(root) else { continue }
      let removal = Removal(open, control: RemovalControl(isStopped: { stop.isStopped }))
      let report = removal.preview(child) { path, isDirectory, bytes in
        let whole = open.path + [UInt8(ascii: "/")] + path + (isDirectory ? [UInt8(ascii: "/")] : [])
        let text = String(validating: whole, as: UTF8.self)
        entries.append(
          RemovalPreview.Entry(
            path: text ?? String(decoding: whole, as: UTF8.self), exactPath: text == nil ? whole : nil, bytes: bytes))
      }
      sum.add(report, of: open.path)
    }
    if let code = sum.sum.failure { throw StorageFailure(String(cString: strerror(code))) }
    return RemovalPreview(bytes: sum.sum.freed, entries: entries, kept: sum.problems)
  }
}
