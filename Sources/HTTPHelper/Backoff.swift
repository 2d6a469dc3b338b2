/// How long to wait until another try.
struct Backoff {
  /// How often it was tried again so far.
  private var tries = 0
  /// Tries that are left.
  private(set) var left: Int
  /// 0 ..< 1, so that many who failed together do not come back together.
  private let random: () -> Double

  /// A server that wants to be left alone for longer gets no further try: nobody waits that long before a spinner.
  static let longest = 120.0

  init(retries: Int, random: @escaping () -> Double = { .random(in: 0..<1) }) {
    left = retries
    self.random = random
  }

  /// Seconds until the next try: twice as many each time, up to half of them by chance, and no fewer than the server asks
  /// for.
  ///
  /// - Parameter remaining: seconds that the call has; a try that would begin later is none.
  /// - Returns: nil when there is no further try.
  mutating func next(after asked: Double, remaining: Double) -> Double? {
    let step = Double(1 << tries)
    let wait = max(asked, step / 2 + step / 2 * random())
    guard left > 0, wait <= Self.longest, wait < remaining else { return nil }
    tries += 1
    left -= 1
    return wait
  }
}
