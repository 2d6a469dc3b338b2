public import RPCShell

/// Where an action stands, with what is shown beside it.
public struct ActionPhase: Sendable, Equatable {
  /// What an action is doing.
  public enum Name: String, Sendable {
    case idle, working, done, failed, pending
  }

  /// What it is doing.
  public var name: Name
  /// 0 … 1; nil where nobody knows.
  public var progress: Double?
  /// What the person reads beside it.
  public var message: String?
  /// How that looks.
  public var tone: Tone?

  /// With what is shown beside it.
  public init(_ name: Name, progress: Double? = nil, message: String? = nil, tone: Tone? = nil) {
    self.name = name
    self.progress = progress
    self.message = message
    self.tone = tone
  }

  /// Nothing is going on.
  public static let idle = ActionPhase(.idle)
  /// A handler is at work.
  public static let working = ActionPhase(.working)
  /// It succeeded, and a checkmark says so for a moment.
  public static let done = ActionPhase(.done)

  /// It failed, and says so until somebody waves it away.
  public static func failed(_ message: String) -> ActionPhase {
    ActionPhase(.failed, message: message, tone: .danger)
  }

  /// Whether it stays until a new plan, the next attempt, or somebody who waves it away.
  public var isLasting: Bool { name == .failed || name == .pending }

  /// Takes over a report from the way. Its message stays until the next one.
  public mutating func report(_ report: ActionProgress) {
    progress = report.fraction.flatMap { $0.isFinite ? min(max($0, 0), 1) : nil }
    if let text = report.message?.plainLine, !text.isEmpty {
      message = text
      tone = .secondary
    }
  }

  /// The members `phase`, `progress`, `message` and `tone`.
  public func writeMembers(to writer: inout JSONWriter) {
    writer.member("phase", name.rawValue)
    writer.member("progress", progress.map { JSONText(shortest: $0) })
    writer.member("message", message)
    writer.member("tone", tone?.rawValue)
  }
}
