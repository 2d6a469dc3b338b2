import AccountModel
import RPCShell

/// All that the storage block knows. What it shows is a function of this and how the person reads.
struct StorageState: Sendable {
  /// What takes room, once that is known.
  struct Figures: Sendable {
    var cache, photos, other: Int
    /// What a measure says beside the parts; nil for figures that were handed over.
    var totals: StorageTotals?
    /// When they were true: an RFC 3339 instant.
    var asOf: String
    /// What the host says is free; null hides it.
    var free: Given<Int>
  }

  /// nil while nothing is known.
  private(set) var figures: Figures?
  private(set) var downloads = DownloadList()
  /// The largest total so far: the whole bar.
  private(set) var capacity = 0
  /// A newer value is being read.
  var isRefreshing = false
  /// A newer value could not be read.
  var isStale = false
  var clear = ActionPhase.idle
  /// Downloads that are being removed, with how far that is.
  private(set) var removing: [ExactText: Double?] = [:]
  /// What went wrong with downloads that are still there, by id, the latest last.
  private(set) var errors: [(id: String, text: String)] = []
  var isEditing = false
  var options = StorageOptions()
  /// Bytes free on the device; nil where that cannot be read or is not shown.
  var free: Int?
  var showsFreeSpace = true
  var canClear = false
  var canRemove = false

  var isLoading: Bool { figures == nil }
  var cache: Int { figures?.cache ?? 0 }

  /// All together; stops at the largest number.
  var total: Int {
    [cache, figures?.photos ?? 0, figures?.other ?? 0].reduce(downloads.bytes) { sum, part in
      let (more, overflow) = sum.addingReportingOverflow(part)
      return overflow ? .max : more
    }
  }

  /// What is shown as free.
  var shownFree: Int? {
    guard showsFreeSpace, let figures else { return nil }
    switch figures.free {
    case .absent: return free
    case .null: return nil
    case .value(let bytes): return bytes
    }
  }

  // MARK: Usage

  /// Takes over a usage.
  mutating func take(_ usage: StorageUsage?, totals: StorageTotals?, asOf: String) {
    guard let usage else {
      figures = nil
      downloads = DownloadList()
      return settle()
    }
    figures = Figures(
      cache: usage.cache, photos: usage.photos, other: usage.other, totals: totals, asOf: asOf, free: usage.free)
    let removing = removing
    downloads.replace(by: usage.downloads) { Self.row($0, removing) }
    settle()
  }

  /// Takes over what changed.
  /// - Returns: whether anything did.
  mutating func take(_ changes: StorageChanges, asOf: String) -> Bool {
    guard var figures else { return false }
    var isNew = figures.totals != changes.totals
    for id in changes.removed { isNew = downloads.remove(id) || isNew }
    let removing = removing
    for download in changes.downloads { isNew = downloads.put(download) { Self.row($0, removing) } || isNew }
    let parts: [(WritableKeyPath<Figures, Int>, Int?)] = [
      (\.cache, changes.cache), (\.photos, changes.photos), (\.other, changes.other),
    ]
    for case (let part, let bytes?) in parts where figures[keyPath: part] != bytes {
      figures[keyPath: part] = bytes
      isNew = true
    }
    figures.totals = changes.totals
    if isNew { figures.asOf = asOf }
    self.figures = figures
    settle()
    return isNew
  }

  /// What follows from the figures.
  private mutating func settle() {
    capacity = max(capacity, total)
    if downloads.isEmpty { isEditing = false }
    errors.removeAll { downloads[$0.id] == nil }
    isStale = false
  }

  /// Whether a measure says anything new.
  func differs(from measure: StorageMeasure) -> Bool {
    guard let figures else { return true }
    let usage = measure.usage
    return figures.totals != measure.totals || isStale
      || [figures.cache, figures.photos, figures.other] != [usage.cache, usage.photos, usage.other]
      || downloads.all != usage.downloads
  }

  // MARK: Removals

  /// Shows that a download is being removed, and how far that is.
  mutating func setRemoving(_ id: String, progress: Double?) {
    removing[ExactText(id)] = .some(progress)
    redraw(id)
  }

  mutating func endRemoving(_ id: String) {
    removing[ExactText(id)] = nil
    redraw(id)
  }

  private mutating func redraw(_ id: String) {
    let removing = removing
    downloads.redraw(id) { Self.row($0, removing) }
  }

  mutating func setError(_ text: String, of id: String) {
    dismissError(of: id)
    if downloads[id] != nil { errors.append((id, text)) }
  }

  /// - Parameter id: nil is all.
  mutating func dismissError(of id: String?) {
    errors.removeAll { error in id.map { error.id.isExactly($0) } ?? true }
  }
}
