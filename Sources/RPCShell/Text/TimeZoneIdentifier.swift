/// Names of time zones: IANA's, as `Europe/Berlin`. Which are known is the system's business.
public enum TimeZoneIdentifier {
  /// What is said of a name that is not known.
  public static func refusal(of name: String) -> String {
    "unknown time zone '\(name.shortened)'; expected one like 'Europe/Berlin'"
  }
}
