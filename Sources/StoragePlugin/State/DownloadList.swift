import AccountModel
import RPCShell

/// The downloads and their rows: what changes costs the same, however many there are.
struct DownloadList: Sendable {
  private var downloads: [ExactText: Download] = [:]
  /// In the order in which they are shown.
  private(set) var ids: [String] = []
  private var table = StateRowTable()
  /// Those of ``ids`` that are gone: the list is tidied now and then.
  private var gone: Set<ExactText> = []
  /// Kept beside, since adding up would follow the length.
  private var sum: Int128 = 0

  var rows: StateRows { table.rows }
  var count: Int { downloads.count }
  var isEmpty: Bool { downloads.isEmpty }
  /// All together; stops at the largest number.
  var bytes: Int { Int(clamping: sum) }

  subscript(id: String) -> Download? { downloads[ExactText(id)] }

  /// In order.
  var all: [Download] { ids.compactMap { downloads[ExactText($0)] } }

  /// Takes over all downloads; rows that stay as they are stay the same rows.
  mutating func replace(by newer: [Download], _ row: (Download) -> StateRows.Row) {
    guard keepsOrder(newer) else {
      self = DownloadList()
      append(newer, row)
      return
    }
    let kept = Set(newer.map { ExactText($0.id) })
    for id in ids where !kept.contains(ExactText(id)) { remove(id) }
    for download in newer { put(download, row) }
  }

  /// Whether some stay, and stand as they stood, and new ones come last.
  private func keepsOrder(_ newer: [Download]) -> Bool {
    let kept = newer.prefix { downloads[ExactText($0.id)] != nil }
    guard !kept.isEmpty, newer.dropFirst(kept.count).allSatisfy({ downloads[ExactText($0.id)] == nil }) else {
      return false
    }
    let wanted = Set(kept.map { ExactText($0.id) })
    let before = ids.filter { wanted.contains(ExactText($0)) && downloads[ExactText($0)] != nil }
    return before.elementsEqual(kept.map(\.id)) { $0.isExactly($1) }
  }

  private mutating func append(_ newer: [Download], _ row: (Download) -> StateRows.Row) {
    if !gone.isEmpty && newer.contains(where: { gone.contains(ExactText($0.id)) }) { tidy() }
    for download in newer {
      downloads[ExactText(download.id)] = download
      sum += Int128(download.bytes)
    }
    ids += newer.map(\.id)
    if newer.count == 1 { table.put(row(newer[0])) } else { table.append(newer.map(row)) }
  }

  /// Takes over one download; one that is new comes last.
  /// - Returns: whether it says anything new.
  @discardableResult
  mutating func put(_ download: Download, _ row: (Download) -> StateRows.Row) -> Bool {
    let key = ExactText(download.id)
    guard let old = downloads[key] else {
      append([download], row)
      return true
    }
    guard old != download else { return false }
    sum += Int128(download.bytes) - Int128(old.bytes)
    downloads[key] = download
    table.put(row(download))
    return true
  }

  /// Draws the row of a download again.
  mutating func redraw(_ id: String, _ row: (Download) -> StateRows.Row) {
    if let download = self[id] { table.put(row(download)) }
  }

  /// - Returns: whether it was there.
  @discardableResult
  mutating func remove(_ id: String) -> Bool {
    guard let old = downloads.removeValue(forKey: ExactText(id)) else { return false }
    sum -= Int128(old.bytes)
    table.remove(id)
    gone.insert(ExactText(id))
    if gone.count > 64 + downloads.count / 2 { tidy() }
    return true
  }

  private mutating func tidy() {
    ids = ids.filter { downloads[ExactText($0)] != nil }
    gone = []
  }
}
