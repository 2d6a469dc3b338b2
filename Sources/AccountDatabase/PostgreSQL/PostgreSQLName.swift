import RPCShell

/// What a connection URL says of where its database is, without who logs in and how. What it leaves to libpq and its
/// environment is left out.
struct PostgreSQLPlace {
  let hosts: Substring
  let database: Substring

  /// - Returns: nil for a URL that can be read in two ways, one of which may show a part of a password: with letters that
  ///   should have been escaped, or that libpq would not take.
  init?(_ url: String) {
    let rest = url.drop { $0 != "/" }.dropFirst(2)
    // Who logs in ends at the first "@", if that is in front of a "/".
    let at = rest.prefix { $0 != "/" }.firstIndex(of: "@")
    let place = at.map { rest[rest.index(after: $0)...] } ?? rest
    guard !place.contains("@") else { return nil }
    let parts = place.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    var (hosts, database) = (path[0], path.count > 1 ? path[1] : "")
    let options = parts.dropFirst().flatMap { $0.split(separator: "&", omittingEmptySubsequences: false) }
    for option in options {
      let pair = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, Self.options.contains(pair[0]) else { return nil }
      if pair[0] == "host" { hosts = pair[1] }
      if pair[0] == "dbname" { database = pair[1] }
    }
    guard hosts.split(separator: ",").allSatisfy(Self.isHost), database.allSatisfy(Self.isPlain) else { return nil }
    (self.hosts, self.database) = (hosts, database)
  }

  /// `db.example`, `db.example:5433`, `[::1]:5433`, `/run/postgresql`
  private static func isHost(_ text: Substring) -> Bool {
    let isBracketed = text.first == "["
    let end = isBracketed ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":")
    let host = text[..<(end ?? text.endIndex)].filter { !isBracketed || !"[:]".contains($0) }
    let port = text[(end ?? text.endIndex)...]
    return host.allSatisfy { isPlain($0) || $0 == "/" }
      && (port.isEmpty || port.first == ":" && port.count <= 6 && port.dropFirst().allSatisfy { "0"..."9" ~= $0 })
  }

  private static func isPlain(_ letter: Character) -> Bool {
    letter.isLetter || letter.isNumber || "._-+~$%".contains(letter)
  }

  /// Those of libpq (PQconninfoOptions).
  private static let options: Set<Substring> = [
    "application_name", "channel_binding", "client_encoding", "connect_timeout", "dbname", "fallback_application_name",
    "gssdelegation", "gssencmode", "gsslib", "host", "hostaddr", "keepalives", "keepalives_count", "keepalives_idle",
    "keepalives_interval", "krbsrvname", "load_balance_hosts", "options", "passfile", "password", "port", "replication",
    "require_auth", "requirepeer", "requiressl", "service", "ssl", "ssl_max_protocol_version",
    "ssl_min_protocol_version", "sslcert", "sslcertmode", "sslcompression", "sslcrl", "sslcrldir", "sslkey", "sslmode",
    "sslnegotiation", "sslpassword", "sslrootcert", "sslsni", "target_session_attrs", "tcp_user_timeout", "user",
  ]
}

extension String {
  /// The hosts and the database of a connection URL: `postgresql://db.example:5433/podcasts`, or `postgresql://…` where
  /// they cannot be told from a password.
  var postgreSQLName: String {
    guard let place = PostgreSQLPlace(self) else { return "postgresql://…" }
    return "postgresql://\(place.hosts)/\(place.database)".plainLine
  }
}

extension StringProtocol {
  /// A number of 62 bits for a name: the same in every process and on every machine (FNV-1a).
  var stableNumber: Int {
    let hash = utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return Int(hash >> 2)
  }
}
