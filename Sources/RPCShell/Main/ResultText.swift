import RPCShell

/// A result as lines for a person.
enum ResultText {
  /// The page of a plan's or a storage's state; of any other result its members, one a line.
  static func lines(of result: JSONText) -> [String] {
    guard let view = try? JSONDocument(parsing: result).view else { return [] }
    if let state = view["state"], let summary = state["summary"] {
      return state["clear"] == nil ? plan(state, summary) : StorageText.page(state)
    }
    if let confirmation = view["confirmation"] { return StorageText.question(confirmation) }
    if view["dueNowText"] != nil { return upgradePreview(view) }
    if view["outcome"]?.string == "dryRun" { return StorageText.preview(view) }
    return switch view.kind {
    case .null: []
    case .object: view.members.map { "\($0.name.plainLine): \(plain($0.value))" }
    default: [plain(view)]
    }
  }

  private static func plain(_ view: JSONView) -> String {
    view.string?.plainLine ?? view.text.description.withoutControls
  }

  /// The texts of a section that are there.
  static func texts(_ section: JSONView?, _ names: StaticString...) -> [String] {
    names.compactMap { section?[$0]?.string?.plainLine }
  }

  // MARK: A plan

  private static func plan(_ state: JSONView, _ summary: JSONView) -> [String] {
    guard !summary.isNull else { return ["No plan is known yet"] }
    let title = texts(summary, "name") + texts(summary["chip"], "text")
    let offer = texts(state["upgrade"], "title", "detail")
    return [title.joined(separator: " · ")] + texts(summary, "priceLine", "dateLine", "changeLine")
      + meters(state["usage"]?["meters"]?.elements ?? [])
      + (offer.isEmpty ? [] : [offer.joined(separator: " · ")]) + texts(state["upgrade"], "message")
      + texts(state["restore"], "message")
  }

  /// What an upgrade would cost.
  private static func upgradePreview(_ preview: JSONView) -> [String] {
    let rows = [
      ["Due now"] + texts(preview, "dueNowText"), ["Credit"] + texts(preview, "creditText"),
      ["Next charge"] + texts(preview, "nextChargeText"),
    ]
    return texts(preview, "name") + columns(rows.filter { $0.count > 1 }) + texts(preview, "effectiveText")
  }

  private static func meters(_ meters: [JSONView]) -> [String] {
    columns(meters.map { [texts($0, "label").joined(), texts($0, "figure", "line").joined(separator: " · ")] })
  }

  /// Rows whose cells stand below each other; the last is as wide as it is.
  static func columns(_ rows: [[String]]) -> [String] {
    let widths = (0..<(rows.map(\.count).max() ?? 0)).map { at in rows.map { at < $0.count ? $0[at].count : 0 }.max()! }
    return rows.map { row in
      zip(row, widths).enumerated().map { at, cell in
        at == row.count - 1 ? cell.0 : cell.0 + String(repeating: " ", count: cell.1 - cell.0.count + 2)
      }.joined()
    }
  }
}
