/// What goes wrong with a server, in words that go behind its name.
enum PostgreSQLFailure {
  static let readOnly =
    "can only be read: it is a standby or set so; name the primary in the store's URL (target_session_attrs=read-write)"
  static let held = "is held by another process; end that, or try again"
  static let late = "did not answer in time; look at what the server is doing, or try again"
  static let outdated = "is too old; PostgreSQL 14 or later is needed"
  static let undone = "lost its connection; nothing was written, try again"
  static let unknown = "lost its connection, and whether the last change was written is not known; try again"
  static let damaged = "is damaged; restore a backup of the database"
  static let noHelper =
    "needs the program rpcshell-postgres beside rpcshell or in ../libexec/rpcshell, and libpq; install them, or keep the account in a file"

  static func failure(_ refusal: PostgreSQLRefusal) -> DatabaseFailure {
    DatabaseFailure(reason(refusal))
  }

  private static func reason(_ refusal: PostgreSQLRefusal) -> String {
    let message = refusal.message
    if refusal.kind == .noHelper { return "\(noHelper) (\(message))" }
    if refusal.kind == .shortage { return "cannot be asked: \(message); try again" }
    if refusal.kind == .silent { return late }
    guard let state = refusal.state else {
      return refusal.isLost
        ? "cannot be reached: \(message); start the server, or correct the store's URL"
        : "cannot be used: \(message); correct the store's URL"
    }
    switch state {
    case "28P01", "28000":
      return "refuses the user: \(message); correct user and password in the store's URL, PGPASSWORD or ~/.pgpass"
    case "3D000": return "is not there: \(message); make it with createdb, or name another in the store's URL"
    case "53300": return "has no connection left: \(message); end others, or raise max_connections"
    case "57P03": return "is starting or stopping: \(message); try again"
    case "53100": return "cannot be written: no space is left on the server's disk; make room there and try again"
    case "25006": return readOnly
    case "55P03": return held
    case "57014": return late
    case "42501": return "refuses what is needed: \(message); let its owner grant that"
    case "22P05", "22021": return "has an encoding that lacks letters: \(message); make it with ENCODING 'UTF8'"
    case "XX001", "XX002": return damaged
    case _ where state.hasPrefix("40"): return "is used by others just now: \(message); try again"
    default: return "cannot be used: \(message) (\(state))"
    }
  }
}
