import RPCShell

/// What storage methods answer, as lines for a person.
enum StorageText {
  // MARK: The page

  /// The page of a storage state.
  static func page(_ state: JSONView) -> [String] {
    guard let summary = state["summary"], !summary.isNull else {
      return ["Nothing is measured yet"] + options(state["options"])
    }
    let total = ResultText.texts(summary, "totalText", "freeText").joined(separator: " · ")
    let legend = (state["legend"]?.elements ?? []).map { ResultText.texts($0, "label", "sizeText") }
    let figures = ResultText.columns([ResultText.texts(summary, "title") + [total]] + legend)
    return figures + ResultText.texts(state["clear"], "note") + downloads(state["downloads"])
      + options(state["options"])
      + warnings(state["usage"])
  }

  /// Each with its id, by which it can be removed.
  private static func downloads(_ section: JSONView?) -> [String] {
    let rows = (section?["rows"]?.elements ?? []).map { row in
      [
        ResultText.texts(row, "id").joined(), ResultText.texts(row, "title", "detail").joined(separator: " · "),
        ResultText.texts(row, "sizeText").joined(),
      ]
    }
    return ResultText.columns(rows) + ResultText.texts(section, "emptyText", "message")
  }

  private static func options(_ section: JSONView?) -> [String] {
    ResultText.columns([
      ResultText.texts(section, "cellularLabel") + [section?["cellular"]?.bool == true ? "on" : "off"],
      ResultText.texts(section, "qualityLabel", "qualityText"),
      ResultText.texts(section, "autoRemoveLabel", "autoRemoveText"),
    ])
  }

  private static func warnings(_ usage: JSONView?) -> [String] {
    (usage?["warnings"]?.elements ?? []).map { ResultText.texts($0, "path", "message").joined(separator: ": ") }
  }

  // MARK: Questions

  /// What is asked before the cache is cleared, and how a script answers.
  static func question(_ confirmation: JSONView) -> [String] {
    ResultText.texts(confirmation, "title")
      + [#"to go on, call it with '{"confirmed":true}'"#]
  }

  /// What would go, and what would stay.
  static func preview(_ result: JSONView) -> [String] {
    let bytes = { (view: JSONView) in view["bytes"]?.integer.map { "\($0)" } ?? "0" }
    let entries = (result["entries"]?.elements ?? []).map { [bytes($0)] + ResultText.texts($0, "path") }
    let kept = (result["kept"]?.elements ?? []).map {
      "stays: " + ResultText.texts($0, "path", "message").joined(separator: ": ")
    }
    return ResultText.columns(entries) + kept + ["bytes that would be free: \(bytes(result))"]
  }
}
