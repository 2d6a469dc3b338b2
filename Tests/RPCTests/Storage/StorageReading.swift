import AccountModel
import RPCShell

// Usages and lines put together from their parts.

extension StorageUsage {
  /// The sample with something changed.
  static func sample(_ change: (inout StorageUsage) -> Void) -> StorageUsage {
    var usage = sample
    change(&usage)
    return usage
  }

  /// The sample without a cache.
  static let cleared = sample { $0.cache = 0 }

  /// The sample without a download.
  static func without(_ ids: String...) -> StorageUsage {
    sample { $0.downloads.removeAll { ids.contains($0.id) } }
  }
}

extension StorageLines {
  static func event(
    _ revision: Int, _ cause: String, _ sections: [String], id: String? = "1", motion: [String] = [],
    feedback: String? = nil, says: String? = nil
  ) -> String {
    PlanLines.event(revision, cause, sections, id: id, motion: motion, feedback: feedback, says: says)
      .replacing("plan.state", with: "storage.state")
  }

  /// The section `clear`.
  static func clear(
    _ phase: String, enabled: Bool? = nil, label: String = "Clear cache", progress: String = "null",
    note: String? = nil, tone: String? = nil
  ) -> String {
    let isEnabled = enabled ?? (phase == "idle" || phase == "failed")
    let note = note.map { "\"\($0)\"" } ?? "null"
    let tone = tone.map { "\"\($0)\"" } ?? "null"
    return
      #""clear":{"label":"\#(label)","enabled":\#(isEnabled),"phase":"\#(phase)","progress":\#(progress),"note":\#(note),"noteTone":\#(tone)}"#
  }

  /// The event of a clear that comes to another phase, where nothing else changes.
  static func clearEvent(
    _ revision: Int, _ section: String, cause: String = "clearCache", id: String? = "1", isMoving: Bool = true,
    feedback: String? = nil, says: String? = nil
  ) -> String {
    event(
      revision, cause, [section], id: id, motion: isMoving ? [PlanLines.snappy("clear")] : [], feedback: feedback,
      says: says)
  }

  static func reply(_ result: String, id: String = "1") -> String { PlanLines.reply(result, id: id) }

  static func refusal(_ code: Int, _ message: String, _ data: String, id: String = "1") -> String {
    PlanLines.refusal(code, message, data, id: id)
  }
}

extension Received {
  /// The names of an event's sections.
  var sections: [String]? { (try? json)?["params"]?["state"]?.members.map(\.name) }
}
