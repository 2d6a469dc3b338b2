extension String {
  /// A URL without what may let somebody in: a user with a password, a query, a fragment. Where it cannot be told what
  /// that is, as of a password with letters that should have been escaped, nothing but the scheme is left.
  package var withoutSecrets: String {
    // Who logs in stands before the host, also in URLs with fewer or more slashes than there should be.
    guard let colon = firstIndex(of: ":") else { return contains("@") ? "…" : withoutQuery }
    let start = self[index(after: colon)...].drop { $0 == "/" }.startIndex
    let scheme = self[..<start]
    guard let at = self[start...].lastIndex(of: "@") else {
      return hasPort(self[start...]) ? withoutQuery : scheme + "…"
    }
    // That of a path, behind a host without a password: `https://example/@me`.
    let isOfPath = !self[start..<at].contains(":") && self[start...].prefix { !"@?#".contains($0) }.contains("/")
    guard !isOfPath else { return withoutQuery }
    // A "?" in front of it may begin a query, in which a password ends anywhere, or be a letter of one.
    guard !self[start..<at].contains(where: { $0 == "?" || $0 == "#" }) else { return scheme + "…" }
    return scheme + "…" + String(self[at...]).withoutQuery
  }

  private var withoutQuery: String {
    guard let end = firstIndex(where: { $0 == "?" || $0 == "#" }) else { return self }
    return "\(self[...end])…"
  }

  /// Whether what stands behind the host, if anything does, is a port: it could be a password whose host is missing.
  private func hasPort(_ rest: Substring) -> Bool {
    let host = rest.prefix { !"/?#".contains($0) }
    let behind = host.first == "[" ? host.drop { $0 != "]" }.dropFirst() : host.drop { $0 != ":" }
    return behind.split(separator: ",").allSatisfy { part in
      let port = part.first == "[" ? part.drop { $0 != "]" }.dropFirst() : part.drop { $0 != ":" }
      return port.count <= 6 && port.dropFirst().allSatisfy { "0"..."9" ~= $0 }
    }
  }
}
