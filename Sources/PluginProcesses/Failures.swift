/// How often the process ended by itself lately, and what follows from that.
struct Failures {
  /// After so many in ``window``, it is not started any more.
  static let limit = 5
  static let window = Duration.seconds(180)
  private static let first = Duration.milliseconds(100)
  private static let longest = Duration.seconds(5)

  private var recent = 0
  private var last = 0
  private var rest = Duration.zero
  /// Nothing is started any more in this session.
  private(set) var areTooMany = false

  /// One more.
  /// - Returns: its number, and how long to wait before the next start.
  mutating func add() -> (number: Int, rest: Duration) {
    rest = recent == 0 ? Self.first : min(rest * 2, Self.longest)
    recent += 1
    last += 1
    if recent >= Self.limit { areTooMany = true }
    return (last, rest)
  }

  /// One is so long ago that it no longer counts.
  mutating func forget() { recent -= 1 }

  /// What the client is told once they are too many.
  static func advice(_ plugin: String) -> String {
    "the plugin '\(plugin)' ended \(limit) times in \(window.components.seconds) s and is not started any more; "
      + "mend it, then start a new session"
  }
}
