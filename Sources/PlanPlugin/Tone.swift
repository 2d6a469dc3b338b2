/// The colour a theme gives to a text or a bar, by what it means (model.md, section 1).
enum Tone: String, Sendable {
  case primary, secondary, tertiary, muted, accent, success, info, warning, danger, neutral
}
