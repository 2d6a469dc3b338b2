/// The shape of locale identifiers: BCP 47 (`pt-BR`) and ICU (`en_US@calendar=gregorian`). What ICU does with one that it
/// does not know is ICU's business.
public enum LocaleIdentifier {
  /// Bytes that an identifier may have.
  private static let limit = 255

  /// Whether a text can be an identifier.
  public static func isWellFormed(_ text: String) -> Bool {
    guard text.utf8.count <= limit else { return false }
    let halves = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = halves[0].split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
    // One letter begins names that are registered whole or private: i-klingon, x-mine.
    let shortest = parts.count > 1 ? 1 : 2
    guard let language = parts.first, (shortest...8).contains(language.utf8.count), language.utf8.allSatisfy(isLetter)
    else { return false }
    // ICU leaves places empty: en__POSIX has a variant and no region.
    let isComplete = parts.count == 1 || !parts[parts.count - 1].isEmpty
    guard isComplete, parts.dropFirst().allSatisfy({ isSubtag($0, 0...8) }) else { return false }
    guard halves.count == 2 else { return true }
    return halves[1].split(separator: ";", omittingEmptySubsequences: false).allSatisfy { keyword in
      let pair = keyword.split(separator: "=", omittingEmptySubsequences: false)
      return pair.count == 2 && pair.allSatisfy { isSubtag($0, 1...32) }
    }
  }

  /// What is said of a text that does not.
  public static func refusal(of text: String) -> String {
    "expected an identifier like 'en_US' or 'pt-BR', got '\(text.shortened)'"
  }

  private static func isSubtag(_ text: Substring, _ length: ClosedRange<Int>) -> Bool {
    length.contains(text.utf8.count) && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
  }
}
