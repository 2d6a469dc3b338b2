import RPCShell

/// Where an action stands, with what is shown beside it.
struct ActionPhase: Sendable, Equatable {
  enum Name: String, Sendable {
    case idle, working, done, failed, pending
  }

  var name: Name
  /// 0 … 1; nil where nobody knows.
  var progress: Double?
  var message: String?
  var tone: Tone?

  static let idle = ActionPhase(name: .idle)
  static let working = ActionPhase(name: .working)
  static let done = ActionPhase(name: .done)
  static let pending = ActionPhase(name: .pending, message: "Waiting for approval", tone: .secondary)
  static let restored = ActionPhase(name: .done, message: "Purchases restored", tone: .success)
  static let nothingToRestore = ActionPhase(name: .done, message: "Nothing to restore", tone: .secondary)

  static func failed(_ message: String) -> ActionPhase {
    ActionPhase(name: .failed, message: message, tone: .danger)
  }

  /// Whether it stays until a new plan, the next attempt, or somebody who waves it away.
  var isLasting: Bool { name == .failed || name == .pending }

  /// Takes over a report from the way. Its message stays until the next one.
  mutating func report(_ report: ActionProgress) {
    progress = report.fraction.flatMap { $0.isFinite ? min(max($0, 0), 1) : nil }
    if let text = report.message?.plainLine, !text.isEmpty {
      message = text
      tone = .secondary
    }
  }

  /// The members `phase`, `progress`, `message` and `tone`.
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("phase", name.rawValue)
    writer.member("progress", progress.map { JSONText(shortest: $0) })
    writer.member("message", message)
    writer.member("tone", tone?.rawValue)
  }
}
