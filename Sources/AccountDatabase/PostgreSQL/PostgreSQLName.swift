import RPCShell

extension String {
  /// The host and the database of a connection URL, without who logs in and how: `postgresql://db.example:5433/podcasts`.
  /// What the URL leaves to libpq and its environment is left out.
  var postgreSQLName: String {
    // A password with letters that should have been escaped must not be taken for a host.
    let rest = drop { $0 != "/" }.dropFirst(2).split(separator: "@", omittingEmptySubsequences: false).last!
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let place = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    var (host, database) = (place[0], place.count > 1 ? place[1] : "")
    for option in parts.count > 1 ? parts[1].split(separator: "&") : [] {
      if option.hasPrefix("host=") { host = option.dropFirst(5) }
      if option.hasPrefix("dbname=") { database = option.dropFirst(7) }
    }
    return "postgresql://\(host)/\(database)".plainLine
  }
}

extension StringProtocol {
  /// A number of 62 bits for a name: the same in every process and on every machine (FNV-1a).
  var stableNumber: Int {
    let hash = utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return Int(hash >> 2)
  }
}
