import AccountModel
import FileTree
import RPCShell

/// What the newest measure found, part by part, so that a later one can look at what changed alone.
///
/// A value in a box: it is handed from thread to thread, used by one at a time, and never copied.
final class Survey: @unchecked Sendable {
  /// A child of a downloads root.
  struct File: Hashable, Sendable {
    /// The root's index.
    let root: Int
    /// Bytes: a name need not be UTF-8.
    let name: [UInt8]
  }

  /// A download as it was found.
  struct Item: Sendable {
    let file: File
    /// Its place among all: it never changes, and new ones come last.
    let place: Int
    let sizes: TreeSizes
    let download: Download
  }

  private(set) var items: [ExactText: Item] = [:]
  private var ids: [File: String] = [:]
  /// What the roots of each kind hold together; downloads are in ``items``.
  var kinds: [StorageRoots.Kind: TreeSizes] = [:]
  /// What the roots were when they were measured.
  var identities: [StorageRoots.Root: FileIdentity] = [:]
  var reclaimableBytes = 0
  var warnings: [StorageWarning] = []
  /// What removals have put aside and could not put back.
  var waiting: [StorageWarning] = []
  var isComplete = true
  private var apparentBytes = 0
  private var nextPlace = 0

  func item(_ id: String) -> Item? { items[ExactText(id)] }
  func id(of file: File) -> String? { ids[file] }

  /// Where a file stood in an earlier survey; nil for one that it did not know.
  func place(of file: File) -> Int? { ids[file].flatMap { items[ExactText($0)]?.place } }

  /// The places that a survey gives from now on come behind those of an earlier one.
  func continuePlaces(of earlier: Survey) { nextPlace = earlier.nextPlace }

  /// Takes over a download as it is now.
  func put(_ file: File, _ sizes: TreeSizes, _ download: Download, place: Int? = nil) {
    let key = ExactText(download.id)
    let old = items[key]
    let place = old?.place ?? place ?? nextPlace
    nextPlace = max(nextPlace, place + 1)
    items[key] = Item(file: file, place: place, sizes: sizes, download: download)
    ids[file] = download.id
    replace(old?.sizes, by: sizes)
  }

  /// Forgets a download.
  func remove(_ id: String) {
    guard let old = items.removeValue(forKey: ExactText(id)) else { return }
    ids[old.file] = nil
    replace(old.sizes, by: nil)
  }

  /// Takes over what the roots of a kind hold now.
  func put(_ kind: StorageRoots.Kind, _ sizes: TreeSizes) {
    let old = kinds.updateValue(sizes, forKey: kind)
    replace(old, by: sizes)
  }

  /// Sums follow what changed. None of the parts shares files with others here, or everything is measured anew.
  private func replace(_ old: TreeSizes?, by new: TreeSizes?) {
    apparentBytes = apparentBytes.adding(new?.apparent ?? 0).subtracting(old?.apparent ?? 0)
    reclaimableBytes = reclaimableBytes.adding(new?.reclaimable ?? 0).subtracting(old?.reclaimable ?? 0)
  }

  // MARK: What it says

  var totals: StorageTotals {
    StorageTotals(
      apparentBytes: apparentBytes, reclaimableBytes: reclaimableBytes,
      warnings: Array((waiting + warnings).prefix(SurveyWork.warningLimit)), isComplete: isComplete)
  }

  func bytes(of kind: StorageRoots.Kind) -> Int { kinds[kind]?.allocated ?? 0 }

  /// All of it. Together it is never more than 2^63-1: what goes beyond that is cut off from the last part.
  var measure: StorageMeasure {
    var room = Int.max
    func fitting(_ bytes: Int) -> Int {
      defer { room -= min(bytes, room) }
      return min(bytes, room)
    }
    let downloads = items.values.sorted { $0.place < $1.place }.map { item in
      var download = item.download
      download.bytes = fitting(download.bytes)
      return download
    }
    let usage = StorageUsage(
      downloads: downloads, cache: fitting(bytes(of: .cache)), photos: fitting(bytes(of: .photos)),
      other: fitting(bytes(of: .other)))
    return StorageMeasure(usage: usage, totals: totals)
  }
}

extension Int {
  /// Stops at the largest number.
  func adding(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// Stops at 0.
  func subtracting(_ other: Int) -> Int { Swift.max(0, self - other) }
}
