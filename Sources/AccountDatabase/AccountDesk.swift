import AccountModel
import RPCShell

/// What the database's thread works on: the store as it is, without a thought of threads.
struct AccountDesk {
  let engine: any DatabaseEngine
  let settings: AccountDatabase.Settings
  let now: @Sendable () -> Double
  let log: @Sendable (String) -> Void
  var account: AccountTable { AccountTable(engine: engine, account: settings.accountID) }
  var journal: JournalTable { JournalTable(engine: engine, account: settings.accountID) }
  /// Ends that could not be written, in order.
  private var unwritten: [(key: String, outcome: IntentOutcome)] = []
  /// What was refused because of a failure, after which it may be in the journal all the same: an answer can be lost.
  private var doubtful: [Intent] = []
  private var isCatalogueKept = false
  private var noticed: (@Sendable () -> Void)?
  /// Whether the tables are known to be as this program wants them.
  private var isReady = false

  init(
    _ engine: any DatabaseEngine, _ settings: AccountDatabase.Settings, now: @escaping @Sendable () -> Double,
    log: @escaping @Sendable (String) -> Void
  ) {
    self.engine = engine
    self.settings = settings
    self.now = now
    self.log = log
  }

  // MARK: Around a call

  /// Does what was asked for, once the database is open and all that was told before is written.
  /// - Parameter isReading: whether that can be done with what can only be read.
  mutating func answer<Value>(
    isReading: Bool = false, _ work: (inout AccountDesk) throws(DatabaseFailure) -> Value
  ) -> Result<Value, StoreFailure> {
    do throws(DatabaseFailure) {
      try open(isReading: isReading)
      try removeDoubtful()
      try writeEnds()
      return .success(try work(&self))
    } catch { return .failure(failure(error)) }
  }

  private func failure(_ failure: DatabaseFailure) -> StoreFailure {
    StoreFailure(
      "The account store \(engine.name) \(failure.reason)", file: engine.name,
      lastGood: settings.companions?.lastGood(of: settings.accountID))
  }

  private mutating func open(isReading: Bool = false) throws(DatabaseFailure) {
    if isReading { try engine.openForReading() } else { try engine.open() }
    if engine.isReadOnly { return try Migrations.check(engine) }
    if !isReady {
      if try Migrations.run(on: engine) { settings.companions?.noteBeginning(of: engine.name, log) }
      isReady = true
    }
    if let noticed { engine.watch(noticed) }
  }

  // MARK: The account

  mutating func load() throws(DatabaseFailure) -> AccountRecord {
    // What comes from now on is news to whoever watches.
    _ = try engine.wasChanged()
    let record = if let kept = try account.read() { kept } else { try start() }
    keepCatalogue()
    try settle()
    return try withAttempts(record, newest: journal.newestOfEach())
  }

  /// Adds what the journal says.
  private func withAttempts(
    _ record: AccountRecord, newest: [JournalTable.Row]
  ) throws(DatabaseFailure) -> AccountRecord {
    var record = record
    record.interrupted = try withoutRunning(journal.unresolved()).map(\.intent)
    for row in newest { record.newest.append(try entry(row)) }
    return record
  }

  /// Writes down what the account starts with.
  private func start() throws(DatabaseFailure) -> AccountRecord {
    let record = AccountRecord(plan: settings.initial)
    guard record.plan != nil else { return record }
    let kept = try engine.transaction { () throws(DatabaseFailure) in
      if let other = try account.read() { return other }
      try account.write(record, now: now())
      return record
    }
    copy(kept)
    return kept
  }

  /// Once, so that sessions whose configurations differ do not take turns. Others are not told: nothing of it shows.
  private mutating func keepCatalogue() {
    guard let catalogue = settings.catalogue, !isCatalogueKept else { return }
    // Who cannot write has no need to: what is configured counts here.
    do throws(DatabaseFailure) {
      if try !account.keeps(catalogue) {
        try engine.transaction { () throws(DatabaseFailure) in try account.keep(catalogue) }
      }
      isCatalogueKept = true
    } catch {}
  }

  mutating func keep(_ record: AccountRecord) throws(DatabaseFailure) {
    let isNewest = try engine.transaction { () throws(DatabaseFailure) in
      // Another session may have kept one meanwhile that was read later.
      if let asOf = record.asOf, let kept = try account.read()?.asOf, asOf.isEarlierEverywhere(than: kept) {
        return false
      }
      try account.write(record, now: now())
      return true
    }
    guard isNewest else { return }
    copy(record)
  }

  // MARK: The journal

  mutating func begin(_ intent: Intent, on basis: IntentBasis) throws(DatabaseFailure) -> IntentStart {
    let (start, gone): (IntentStart, [JournalTable.Row])
    do throws(DatabaseFailure) {
      (start, gone) = try engine.transaction { () throws(DatabaseFailure) in
        let gone = try settleOpen()
        return (try begin(intent, on: basis, beside: journal.open()), gone)
      }
    } catch {
      doubtful.append(intent)
      throw error
    }
    report(interrupted: gone)
    return start
  }

  /// Takes back what nobody was told to have begun, so that it is in nobody's way.
  private mutating func removeDoubtful() throws(DatabaseFailure) {
    while let intent = doubtful.first {
      // Read first: what cannot be written just now can be looked at.
      if let row = try journal.newest(intent.key), row.session == engine.session, row.end == nil, row.intent == intent {
        try engine.transaction { () throws(DatabaseFailure) in try journal.remove(row.sequence) }
      }
      doubtful.removeFirst()
    }
  }

  /// - Parameter running: what lives, of this session and of others.
  private func begin(
    _ intent: Intent, on basis: IntentBasis, beside running: [JournalTable.Row]
  ) throws(DatabaseFailure) -> IntentStart {
    if let known = try journal.newest(intent.key) {
      guard known.intent.action == intent.action else { return .conflict }
      if case .outcome(let name, let time) = known.end, name.isDone {
        return .ended(IntentOutcome(name, members: known.members, time: time))
      }
      guard known.intent.digest.isExactly(intent.digest) else { return .conflict }
      if known.end == nil { return .busy(intent.action) }
    }
    let others = running.filter { $0.session != engine.session }
    if let other = others.first(where: { intent.action.exclusive.contains($0.intent.action) }) {
      return .busy(other.intent.action)
    }
    // What another session has bought meanwhile is not bought again.
    if let plan = basis.plan, let kept = try account.read()?.plan, Offer(kept) != Offer(plan) { return .outdated }
    // What another session left open is gone on with.
    if basis.isKeyNew, let key = try openKey(intent) { return .unfinished(key: key) }
    let sequence = try journal.add(JournalTable.Row(sequence: 0, intent: intent, session: engine.session))
    // Not each time: it looks at as many lines as are kept.
    if sequence % 256 == 0 { try journal.trim(now: now()) }
    return .begun
  }

  /// The key of an attempt at the same that came to no known end.
  private func openKey(_ intent: Intent) throws(DatabaseFailure) -> String? {
    let newest = try journal.newest(of: intent.action)
    let record = try withAttempts(AccountRecord(plan: nil), newest: newest.map { [$0] } ?? [])
    let open = record.openAttempt(at: intent.action, now: intent.time)
    return open.flatMap { $0.intent.digest.isExactly(intent.digest) ? $0.intent.key : nil }
  }

  /// Writes down how an action ended, now or, where that fails, with the next call.
  mutating func end(_ key: String, _ outcome: IntentOutcome) -> Result<Void, StoreFailure> {
    unwritten.removeAll { $0.key.isExactly(key) }
    unwritten.append((key, outcome))
    return answer { _ in }
  }

  private mutating func writeEnds() throws(DatabaseFailure) {
    while let (key, outcome) = unwritten.first {
      try writeEnd(key, outcome)
      unwritten.removeFirst()
    }
  }

  /// What is done stays as it is, and so does what another session is at.
  private mutating func writeEnd(_ key: String, _ outcome: IntentOutcome) throws(DatabaseFailure) {
    let record = outcome.plan.map { AccountRecord(plan: $0) }
    let (row, isWritten) = try engine.transaction { () throws(DatabaseFailure) -> (JournalTable.Row?, Bool) in
      let row = try journal.newest(key)
      if let row {
        guard try mayEnd(row, outcome.name) else { return (row, false) }
        try journal.end(row.sequence, .outcome(outcome.name, at: outcome.time), members: outcome.members)
      }
      if let record { try account.write(record, now: now()) }
      return (row, true)
    }
    guard isWritten else { return }
    if let record { copy(record) }
    if let row {
      settings.companions?.note(row.intent, outcome.name.rawValue, at: outcome.time, settings.accountID, log)
    } else {
      log("the journal of \(engine.name) has no action with the key '\(key.shortened)' any more")
    }
  }

  private func mayEnd(_ row: JournalTable.Row, _ name: IntentOutcome.Name) throws(DatabaseFailure) -> Bool {
    if row.session == engine.session { return true }
    if case .outcome(let known, _) = row.end { return !known.isDone || known == .pending && name == .cancelled }
    return try !isRunning(row)
  }

  func history(limit: Int) throws(DatabaseFailure) -> [JournalEntry] {
    try settle()
    return try journal.history(limit: limit).map { row throws(DatabaseFailure) in try entry(row) }
  }

  func find(_ key: String) throws(DatabaseFailure) -> JournalEntry? {
    guard let row = try journal.newest(key) else { return nil }
    return try entry(row)
  }

  private func entry(_ row: JournalTable.Row) throws(DatabaseFailure) -> JournalEntry {
    switch row.end {
    case .outcome(let name, _): JournalEntry(row.intent, outcome: name, isInterrupted: false)
    case .interrupted: JournalEntry(row.intent, outcome: nil, isInterrupted: true)
    case nil: JournalEntry(row.intent, outcome: nil, isInterrupted: try !isRunning(row))
    }
  }

  // MARK: Sessions that are gone

  func isRunning(_ row: JournalTable.Row) throws(DatabaseFailure) -> Bool {
    guard row.end == nil else { return false }
    return try engine.isAlive(row.session)
  }

  private func withoutRunning(_ rows: [JournalTable.Row]) throws(DatabaseFailure) -> [JournalTable.Row] {
    var others: [JournalTable.Row] = []
    for row in rows where try !isRunning(row) { others.append(row) }
    return others
  }

  /// Writes down which actions were interrupted. That this cannot be written keeps nobody from reading.
  func settle() throws(DatabaseFailure) {
    guard try !withoutRunning(journal.open()).isEmpty else { return }
    do throws(DatabaseFailure) {
      report(interrupted: try engine.transaction { () throws(DatabaseFailure) in try settleOpen() })
    } catch { log("an interrupted action cannot be written down: \(engine.name) \(error.reason)") }
  }

  /// The part of it that is in a transaction.
  /// - Returns: what was found.
  func settleOpen() throws(DatabaseFailure) -> [JournalTable.Row] {
    let gone = try withoutRunning(journal.open())
    for row in gone { try journal.end(row.sequence, .interrupted(at: now())) }
    return gone
  }

  func report(interrupted rows: [JournalTable.Row]) {
    for row in rows { settings.companions?.note(row.intent, "interrupted", at: now(), settings.accountID, log) }
  }

  func copy(_ record: AccountRecord) { settings.companions?.copy(record, settings.accountID, log) }

  // MARK: Others' changes

  /// - Parameter noticed: called on any thread when somebody may have changed something.
  mutating func watch(_ noticed: @escaping @Sendable () -> Void) {
    self.noticed = noticed
    // Where it cannot be opened, the next call says so, and the watch begins once one can.
    do throws(DatabaseFailure) { try open() } catch { return }
    // Before it was watched something may have changed, too.
    noticed()
  }

  func wasChangedByOthers() -> Bool {
    do throws(DatabaseFailure) { return try engine.wasChanged() } catch { return false }
  }
}

/// What an upgrade is about: from which plan to what.
private struct Offer: Equatable {
  private let plan: ExactText
  private let title: ExactText

  init(_ plan: PlanUsage) {
    self.plan = ExactText(plan.name)
    title = ExactText(plan.upgrade.value?.title ?? "")
  }
}
