/// The colour a theme gives to a text or a bar, by what it means.
public enum Tone: String, Sendable {
  case primary, secondary, tertiary, muted, accent, success, info, warning, danger, neutral
}
