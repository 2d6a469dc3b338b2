extension Meter {
  /// The highest of some shares of the limit that what is used is at or past: none without a limit, any of a limit of 0.
  public func highestReached(of shares: [DecimalNumber]) -> DecimalNumber? {
    guard let limit else { return nil }
    return shares.filter { used.value >= $0.value * limit.value }.max { $0.value < $1.value }
  }
}
