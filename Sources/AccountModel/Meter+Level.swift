/// How near a meter is to its limit.
public enum Level: String, Sendable, CaseIterable {
  case normal
  /// At or past the share of ``Meter/warnAt``, and below the limit.
  case nearLimit
  case atLimit
}

extension Meter {
  /// The share from which a meter warns where nothing else was given.
  public static let defaultWarnAt = DecimalNumber(number: "0.85")!

  /// Whether it starts again at a date.
  public var isAllowance: Bool { resets.value != nil }

  /// Decided by exact arithmetic; both borders belong to the higher level.
  public var level: Level {
    guard let limit else { return .normal }
    if used.value >= limit.value { return .atLimit }
    let border = (warnAt.value ?? Self.defaultWarnAt).value * limit.value
    return used.value >= border ? .nearLimit : .normal
  }

  /// The used part of the limit, unclamped, with `places` decimals toward zero; nil without a limit.
  ///
  /// Nothing is left of a limit of 0, so that counts as all of it.
  public func ratio(places: Int) -> ExactDecimal? {
    guard let limit else { return nil }
    return limit.value.isZero ? ExactDecimal(1) : used.value.divided(by: limit.value, places: places)
  }
}
