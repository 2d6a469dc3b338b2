import RPCShell

/// Questions that were asked before a clear: each can be answered once, for a while, as long as what it named is what
/// would go.
public struct ConfirmationTokens: Sendable {
  private struct Question: Sendable {
    let token: String
    let bytes: Int
    let isOver: @Sendable () -> Bool
  }

  /// How long a question stands.
  static let lifetime = Duration.seconds(600)
  /// Questions that are kept; the newest count.
  private static let limit = 100

  private var questions: [Question] = []
  private let make: @Sendable () -> String

  init(make: @escaping @Sendable () -> String) { self.make = make }

  /// Eight digits that nobody guesses.
  @Sendable
  public static func random() -> String {
    let digits = String(UInt32.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// Asks about so many bytes.
  /// - Returns: what the answer has to bring.
  mutating func ask(_ bytes: Int, _ clock: any Clock<Duration>) -> String {
    let token = make()
    questions.removeAll { $0.isOver() }
    if questions.count >= Self.limit { questions.removeFirst() }
    questions.append(Question(token: token, bytes: bytes, isOver: Self.deadline(on: clock)))
    return token
  }

  /// Takes an answer; it counts once.
  ///
  /// - Parameter cache: what would go now: at most a tenth more than what was asked about.
  /// - Returns: the size that was confirmed; nil where the answer does not count.
  mutating func redeem(_ token: String, cache: Int) -> Int? {
    guard let at = questions.firstIndex(where: { $0.token.isExactly(token) }) else { return nil }
    let question = questions.remove(at: at)
    guard !question.isOver(), Int128(cache) * 10 <= Int128(question.bytes) * 11 else { return nil }
    return question.bytes
  }

  private static func deadline(on clock: some Clock<Duration>) -> @Sendable () -> Bool {
    let end = clock.now.advanced(by: lifetime)
    return { clock.now >= end }
  }
}
