/// The shape of locale identifiers: BCP 47 (`pt-BR`) and ICU (`en_US@calendar=gregorian`). What ICU does with one that it
/// does not know is ICU's business.
public enum LocaleIdentifier {
  public static func isWellFormed(_ text: String) -> Bool {
    let halves = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = halves[0].split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
    guard let language = parts.first, (2...8).contains(language.utf8.count), language.utf8.allSatisfy(isLetter) else {
      return false
    }
    guard parts.dropFirst().allSatisfy({ isSubtag($0, 1...8) }) else { return false }
    guard halves.count == 2 else { return true }
    return halves[1].split(separator: ";", omittingEmptySubsequences: false).allSatisfy { keyword in
      let pair = keyword.split(separator: "=", omittingEmptySubsequences: false)
      return pair.count == 2 && pair.allSatisfy { isSubtag($0, 1...32) }
    }
  }

  private static func isSubtag(_ text: Substring, _ length: ClosedRange<Int>) -> Bool {
    length.contains(text.utf8.count) && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
  }
}
