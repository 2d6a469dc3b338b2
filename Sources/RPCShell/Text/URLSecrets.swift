extension String {
  /// A URL without what may let somebody in: a user with a password, a query, a fragment.
  package var withoutSecrets: String {
    let end = firstIndex { $0 == "?" || $0 == "#" } ?? endIndex
    let shown = self[..<end]
    let hidden = end < endIndex ? "\(self[end])…" : ""
    // Whoever logs in stands before the host, also in URLs with fewer or more slashes than there should be.
    guard let colon = shown.firstIndex(of: ":") else { return shown + hidden }
    let start = shown[shown.index(after: colon)...].drop { $0 == "/" }.startIndex
    let host = shown[start...].prefix { $0 != "/" }
    guard let at = host.lastIndex(of: "@") else { return shown + hidden }
    return shown[..<start] + "…" + shown[at...] + hidden
  }
}
