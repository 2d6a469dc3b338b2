/// The colour a theme gives to a text or a bar, by what it means.
enum Tone: String, Sendable {
  case primary, secondary, tertiary, muted, accent, success, info, warning, danger, neutral
}
