public import RPCShell

/// How a meter's figures are written.
public struct NumberFormat: Sendable, Equatable, JSONWritable {
  /// Decimals that are always shown; 0 by default.
  public var minFraction = Given<Int>.absent
  /// Decimals that are shown at most; 1 by default, or ``minFraction`` where that is more.
  public var maxFraction = Given<Int>.absent
  /// Whether thousands are grouped, as the locale does it; true by default.
  public var grouping = Given<Bool>.absent

  /// The default format: nothing given.
  public init() {}

  /// The number of decimals, from the fewest to the most.
  public var decimals: ClosedRange<Int> {
    let fewest = minFraction.value ?? 0
    return fewest...max(fewest, maxFraction.value ?? 1)
  }

  /// ``grouping``, or its default.
  public var groupsThousands: Bool { grouping.value ?? true }

  static let schema: Schema =
    Schema.checked(
      .object([
        .optional("minFraction", .integer(0...15)),
        .optional("maxFraction", .integer(0...15)),
        .optional("grouping", .boolean),
      ]), expected: "minFraction to be at most maxFraction"
    ) { view in
      guard let fewest = view["minFraction"]?.integer, let most = view["maxFraction"]?.integer else { return true }
      return fewest <= most
    }

  /// - Parameter view: was checked with ``schema``.
  init(validated view: JSONView) {
    minFraction = Given(view["minFraction"]) { $0.integer! }
    maxFraction = Given(view["maxFraction"]) { $0.integer! }
    grouping = Given(view["grouping"]) { $0.bool! }
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { format in
      format.member("minFraction", minFraction) { $0.integer($1) }
      format.member("maxFraction", maxFraction) { $0.integer($1) }
      format.member("grouping", grouping) { $0.bool($1) }
    }
  }
}
