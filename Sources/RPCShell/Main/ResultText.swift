import RPCShell

/// A result as lines for a person.
enum ResultText {
  /// The page of a plan's state; of any other result its members, one a line.
  static func lines(of result: JSONText) -> [String] {
    guard let view = try? JSONDocument(parsing: result).view else { return [] }
    if let state = view["state"], let summary = state["summary"] { return plan(state, summary) }
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
  private static func texts(_ section: JSONView?, _ names: StaticString...) -> [String] {
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

  /// The labels in a column of their own.
  private static func meters(_ meters: [JSONView]) -> [String] {
    let labels = meters.map { texts($0, "label").joined() }
    let width = labels.map(\.count).max() ?? 0
    return zip(labels, meters).map { label, meter in
      label + String(repeating: " ", count: width - label.count + 2)
        + texts(meter, "figure", "line").joined(separator: " · ")
    }
  }
}
