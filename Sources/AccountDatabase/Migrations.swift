/// The tables, as each version left them. A version that was published is never changed; the next is added behind it.
enum Migrations {
  /// Statements that make version 1 out of nothing, version 2 out of version 1 …
  private static let steps: [[String]] = [
    [
      """
      CREATE TABLE account (
        account_id TEXT NOT NULL PRIMARY KEY,
        plan TEXT,
        as_of TEXT,
        changed DOUBLE PRECISION NOT NULL)
      """,
      // One row for each time that an action was begun, in the order of the sequence: clocks are set back at times. Each
      // account counts for itself, so that accounts on a server do not wait for each other.
      """
      CREATE TABLE journal (
        account_id TEXT NOT NULL,
        sequence BIGINT NOT NULL,
        key TEXT NOT NULL,
        action TEXT NOT NULL,
        digest TEXT NOT NULL,
        begun DOUBLE PRECISION NOT NULL,
        session BIGINT NOT NULL,
        outcome TEXT,
        ended DOUBLE PRECISION,
        members TEXT,
        PRIMARY KEY (account_id, sequence))
      """,
      "CREATE INDEX journal_key ON journal (account_id, key, sequence)",
      "CREATE INDEX journal_open ON journal (account_id, sequence) WHERE outcome IS NULL OR outcome = 'interrupted'",
    ],
    [
      // What the last commit of a place was: of an account on a server, by the number of its writers' lock; of a file,
      // 0. The number counts the session's commits there, all commits here.
      """
      CREATE TABLE commits (
        place BIGINT NOT NULL PRIMARY KEY,
        session BIGINT NOT NULL,
        number BIGINT NOT NULL)
      """
    ],
    ["ALTER TABLE account ADD COLUMN catalogue TEXT"],
  ]

  /// The version that this program writes.
  static let current = steps.count

  /// Brings the tables up to the current version, or leaves them as they are.
  /// - Returns: whether there were none.
  static func run(on engine: any DatabaseEngine) throws(DatabaseFailure) -> Bool {
    guard try isBehind(engine) else { return false }
    return try engine.transaction { () throws(DatabaseFailure) in
      // Another session may have done it meanwhile.
      guard try isBehind(engine) else { return false }
      let version = try engine.schemaVersion()
      for statement in steps[version...].joined() { try engine.run(statement) }
      try engine.setSchemaVersion(current)
      return version == 0
    }
  }

  /// Whether the tables have room for a catalogue: what can only be read stays as it was.
  static func hasCatalogue(_ engine: any DatabaseEngine) throws(DatabaseFailure) -> Bool {
    try engine.schemaVersion() >= 3
  }

  /// Makes sure that what is there can be read.
  static func check(_ engine: any DatabaseEngine) throws(DatabaseFailure) { _ = try isBehind(engine) }

  private static func isBehind(_ engine: any DatabaseEngine) throws(DatabaseFailure) -> Bool {
    let version = try engine.schemaVersion()
    guard (0...current).contains(version) else {
      guard version > 0 else {
        throw DatabaseFailure(
          "has tables of version \(version), which no rpcshell wrote (this one knows 1 to \(current)); put a copy in its place"
        )
      }
      throw DatabaseFailure(
        "was written by a later rpcshell (version \(version); this one knows up to \(current)); use that one")
    }
    return version < current
  }
}
