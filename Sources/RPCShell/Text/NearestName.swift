/// Finds what somebody probably meant.
public enum NearestName {
  /// `; did you mean 'plan.upgrade'?`, or nothing when no name is near.
  public static func hint(for name: String, among known: [String]) -> String {
    nearest(to: name, among: known).map { "; did you mean '\($0)'?" } ?? ""
  }

  /// The known name with the smallest edit distance, if at most a third of the name (and at least one letter) differs.
  /// Never the name itself: whoever asks has refused that.
  public static func nearest(to name: String, among known: [String]) -> String? {
    let given = Array(name.utf8.prefix(64))
    let tolerance = max(1, given.count / 3)
    var best: (name: String, distance: Int)?
    for candidate in known where !candidate.isExactly(name) {
      let distance = distance(given, Array(candidate.utf8))
      if distance <= tolerance, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
  }

  /// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). A name that differs by
  /// letter case only is one step away.
  private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    if one.elementsEqual(other, by: { $0 | 0x20 == $1 | 0x20 }) { return one == other ? 0 : 1 }
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (row, byte) in one.enumerated() {
      var current = [row + 1]
      for (column, candidate) in other.enumerated() {
        let substitution = last[column] + (byte == candidate ? 0 : 1)
        var cost = min(substitution, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, byte == other[column - 1], one[row - 1] == candidate {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[other.count]
  }
}
