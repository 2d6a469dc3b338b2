import AccountModel
import RPCShell

/// The journal of one account, as statements. All but the reading ones are parts of a transaction.
struct JournalTable {
  let engine: any DatabaseEngine
  let account: String

  /// One time that an action was begun.
  struct Row: Equatable {
    var sequence: Int
    var intent: Intent
    var session: Int
    /// nil while it has no end.
    var end: End?
    var members: [RPCError.Member] = []

    /// How it ended.
    enum End: Equatable {
      case outcome(IntentOutcome.Name, at: Double)
      /// Its session was found gone then.
      case interrupted(at: Double)
    }
  }

  private static let columns = "sequence, key, action, digest, begun, session, outcome, ended, members"

  /// Entries that are kept whatever their age. Beyond them goes what is older than ``keptSeconds`` as well.
  static let keptEntries = 10_000
  /// 30 days: a key counts for 24 hours at least, also where the clock was set forward by less than 29 days.
  static let keptSeconds = 30 * 86_400.0

  // MARK: Reading

  /// The newest with a key.
  func newest(_ key: String) throws(DatabaseFailure) -> Row? {
    try rows("account_id = $1 AND key = $2 ORDER BY sequence DESC LIMIT 1", [.text(account), .text(key)]).first
  }

  /// The newest attempt at an action.
  func newest(of action: HostAction) throws(DatabaseFailure) -> Row? {
    try rows(
      "account_id = $1 AND action = $2 ORDER BY sequence DESC LIMIT 1", [.text(account), .text(action.word)]
    ).first
  }

  /// The newest attempt at each action that was tried.
  func newestOfEach() throws(DatabaseFailure) -> [Row] {
    try rows(
      "account_id = $1 AND sequence IN (SELECT MAX(sequence) FROM journal WHERE account_id = $1 GROUP BY action)",
      [.text(account)])
  }

  /// Those that nobody wrote an end for, in the order in which they were begun.
  func open() throws(DatabaseFailure) -> [Row] {
    try rows("account_id = $1 AND outcome IS NULL ORDER BY sequence", [.text(account)])
  }

  /// Those whose end is not known and that were not tried again, in the order in which they were begun.
  func unresolved() throws(DatabaseFailure) -> [Row] {
    try rows(
      """
      account_id = $1 AND (outcome IS NULL OR outcome = 'interrupted') AND \(Self.isNewest) ORDER BY sequence
      """, [.text(account)])
  }

  /// The newest attempt with each key, newest first.
  func history(limit: Int) throws(DatabaseFailure) -> [Row] {
    try rows(
      "account_id = $1 AND \(Self.isNewest) ORDER BY sequence DESC LIMIT $2",
      [.text(account), .integer(max(0, limit))])
  }

  private static let isNewest = """
    NOT EXISTS (SELECT 1 FROM journal AS later WHERE later.account_id = journal.account_id
      AND later.key = journal.key AND later.sequence > journal.sequence)
    """

  /// Everything, in the order in which it was begun.
  func all() throws(DatabaseFailure) -> [Row] { try rows("account_id = $1 ORDER BY sequence", [.text(account)]) }

  private func rows(_ condition: String, _ parameters: [SQLValue]) throws(DatabaseFailure) -> [Row] {
    var rows: [Row] = []
    for columns in try engine.run("SELECT \(Self.columns) FROM journal WHERE \(condition)", parameters) {
      guard let row = Row(columns) else { throw DatabaseFailure.unreadable("a line of the journal") }
      rows.append(row)
    }
    return rows
  }

  // MARK: Writing

  /// Adds a row behind all others of the account, whatever its own number says.
  /// - Returns: its number.
  @discardableResult
  func add(_ row: Row) throws(DatabaseFailure) -> Int {
    let (outcome, ended) = Self.values(of: row.end)
    let added = try engine.run(
      """
      INSERT INTO journal (account_id, sequence, key, action, digest, begun, session, outcome, ended, members)
      VALUES ($1, (SELECT COALESCE(MAX(sequence), 0) + 1 FROM journal WHERE account_id = $1),
        $2, $3, $4, $5, $6, $7, $8, $9)
      RETURNING sequence
      """,
      [
        .text(account), .text(row.intent.key), .text(row.intent.action.word), .text(row.intent.digest),
        .real(row.intent.time), .integer(row.session), outcome, ended, Self.text(of: row.members),
      ])
    guard case .integer(let sequence) = added.first?.first else { throw .unreadable("the journal") }
    return sequence
  }

  /// Writes down how one ended.
  func end(_ sequence: Int, _ end: Row.End, members: [RPCError.Member] = []) throws(DatabaseFailure) {
    let (outcome, ended) = Self.values(of: end)
    try engine.run(
      "UPDATE journal SET outcome = $1, ended = $2, members = $3 WHERE account_id = $4 AND sequence = $5",
      [outcome, ended, Self.text(of: members), .text(account), .integer(sequence)])
  }

  /// Drops a row as if it had not been.
  func remove(_ sequence: Int) throws(DatabaseFailure) {
    try engine.run(
      "DELETE FROM journal WHERE account_id = $1 AND sequence = $2", [.text(account), .integer(sequence)])
  }

  /// Drops what is both far back and old. What has no end stays.
  func trim(now: Double) throws(DatabaseFailure) {
    try engine.run(
      """
      DELETE FROM journal WHERE account_id = $1 AND outcome IS NOT NULL AND begun < $2 AND sequence <= (
        SELECT sequence FROM journal WHERE account_id = $1 ORDER BY sequence DESC LIMIT 1 OFFSET \(Self.keptEntries))
      """, [.text(account), .real(now - Self.keptSeconds)])
  }

  /// Drops everything.
  func removeAll() throws(DatabaseFailure) {
    try engine.run("DELETE FROM journal WHERE account_id = $1", [.text(account)])
  }

  private static func values(of end: Row.End?) -> (outcome: SQLValue, ended: SQLValue) {
    switch end {
    case nil: (.null, .null)
    case .outcome(let name, let time): (.text(name.rawValue), .real(time))
    case .interrupted(let time): (.text("interrupted"), .real(time))
    }
  }

  private static func text(of members: [RPCError.Member]) -> SQLValue {
    members.isEmpty ? .null : .text(JSONText(members).description)
  }
}

extension JournalTable.Row {
  /// - Parameter columns: in the order of `JournalTable.columns`.
  fileprivate init?(_ columns: [SQLValue]) {
    guard columns.count == 9, case .integer(let sequence) = columns[0], case .text(let key) = columns[1],
      case .text(let word) = columns[2], let action = HostAction(word: word), case .text(let digest) = columns[3],
      let begun = columns[4].number, case .integer(let session) = columns[5]
    else { return nil }
    self.init(
      sequence: sequence,
      intent: Intent(key: key, action: action, digest: digest, time: DateValue.moment(nearest: begun)), session: session
    )
    if case .text(let outcome) = columns[6] {
      guard let end = End(outcome, at: DateValue.moment(nearest: columns[7].number ?? 0)) else { return nil }
      self.end = end
    }
    if case .text(let text) = columns[8] {
      guard let view = try? JSONDocument(parsing: JSONText(trusted: Array(text.utf8))).view else { return nil }
      members = view.members.map { RPCError.Member($0.name, $0.value.text) }
    }
  }
}

extension JournalTable.Row.End {
  init?(_ word: String, at time: Double) {
    if word == "interrupted" {
      self = .interrupted(at: time)
    } else {
      guard let name = IntentOutcome.Name(rawValue: word) else { return nil }
      self = .outcome(name, at: time)
    }
  }

  /// `completed`, `interrupted`
  var word: String {
    switch self {
    case .outcome(let name, _): name.rawValue
    case .interrupted: "interrupted"
    }
  }

  var time: Double {
    switch self {
    case .outcome(_, let time), .interrupted(let time): time
    }
  }
}

extension SQLValue {
  /// A number of either kind: SQLite keeps whole ones as integers, PostgreSQL says those that are not finite as text.
  var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    case .text(let text): Double(text)
    case .null: nil
    }
  }
}

extension JSONText {
  /// An object with these members.
  init(_ members: [RPCError.Member]) {
    self.init { writer in
      writer.object { object in
        for member in members {
          object.key(member.name)
          object.text(member.value)
        }
      }
    }
  }
}

extension DatabaseFailure {
  /// - Parameter what: `the plan`
  static func unreadable(_ what: String) -> DatabaseFailure {
    DatabaseFailure(
      "holds something that cannot be read (\(what)); put a copy in its place, or use a later rpcshell")
  }
}
