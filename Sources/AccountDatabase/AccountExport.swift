import AccountModel
public import RPCShell

/// An account with its journal, as `rpcshell store export` prints it.
public struct AccountExport: Sendable {
  var record: AccountRecord
  var catalogue: [PlanUsage]?
  /// In the order in which actions were begun.
  var journal: [JournalTable.Row]

  /// The form that this program writes.
  private static let version = 1
  /// When things can have happened, in seconds since 1970-01-01T00:00:00Z. A clock may have been before.
  private static let times = 0...DateValue.moments.upperBound

  init(record: AccountRecord, catalogue: [PlanUsage]? = nil, journal: [JournalTable.Row]) {
    self.record = record
    self.catalogue = catalogue
    self.journal = journal
  }

  // MARK: Writing

  var jsonText: JSONText {
    JSONText { writer in
      writer.object { export in
        export.member("version", Self.version)
        export.member("plan", record.plan?.jsonText)
        export.member("asOf", record.asOf?.text)
        if let catalogue {
          export.key("catalogue")
          export.plans(catalogue)
        }
        export.key("journal")
        export.array { list in for row in journal { Self.write(row, to: &list) } }
      }
    }
  }

  private static func write(_ row: JournalTable.Row, to writer: inout JSONWriter) {
    writer.object { entry in
      entry.member("idempotencyKey", row.intent.key)
      entry.member("action", row.intent.action.word)
      entry.member("digest", row.intent.digest)
      entry.member("begun", JSONText(shortest: max(row.intent.time, times.lowerBound)))
      entry.member("ended", row.end.map { JSONText(shortest: max($0.time, times.lowerBound)) })
      entry.member("outcome", row.end?.word)
      entry.member("members", row.members.isEmpty ? nil : JSONText(row.members))
    }
  }

  // MARK: Reading

  private static let schema: Schema = .object([
    .required("version", .integer(version...version)),
    .optional("plan", PlanUsage.schema),
    .optional("asOf", DateValue.schema),
    .optional("catalogue", .array(PlanUsage.schema)),
    .required("journal", .array(entrySchema)),
  ])

  private static var entrySchema: Schema {
    let outcomes = IntentOutcome.Name.allCases.map(\.rawValue) + ["interrupted"]
    return .object([
      .required("idempotencyKey", Intent.keySchema),
      .required("action", .choice(HostAction.allCases.map(\.word))), .required("digest", .string),
      .required("begun", .number(times)), .optional("ended", .number(times)), .optional("outcome", .choice(outcomes)),
      .optional("members", .any),
    ])
  }

  /// Reads what ``AccountDatabase/export()`` gave.
  /// - Throws: the first thing that is wrong: `journal[2].action: expected a string, got null`.
  public init(checking view: JSONView) throws(SchemaViolation) {
    try Self.schema.validate(view)
    record = AccountRecord(plan: nil, asOf: view["asOf"]?.string.flatMap { DateValue($0) })
    if let plan = view["plan"], !plan.isNull { record.plan = try PlanUsage(validated: plan, path: "plan") }
    if let plans = view["catalogue"], !plans.isNull {
      catalogue = []
      for (at, plan) in plans.elements.enumerated() {
        catalogue?.append(try PlanUsage(validated: plan, path: "catalogue[\(at)]"))
      }
    }
    journal = (view["journal"]?.elements ?? []).map { JournalTable.Row(validated: $0) }
  }
}

extension JournalTable.Row {
  /// Whose end is not given is interrupted: nobody works on it here.
  fileprivate init(validated view: JSONView) {
    let begun = view["begun"]!.number!
    let intent = Intent(
      key: view["idempotencyKey"]!.string!, action: HostAction(word: view["action"]!.string!)!,
      digest: view["digest"]!.string!, time: begun)
    self.init(sequence: 0, intent: intent, session: 0)
    let time = view["ended"]?.number ?? begun
    end = End(view["outcome"]?.string ?? "interrupted", at: time)
    members = (view["members"]?.members ?? []).map { RPCError.Member($0.name, $0.value.text) }
  }
}

// MARK: Commands

extension AccountDesk {
  mutating func report() throws(DatabaseFailure) -> StoreReport {
    if let first = try engine.problems().first {
      throw SQLiteFile.damaged(first)
    }
    let rows = try journal.all()
    _ = try account.read()
    let interrupted = try load().interrupted.count
    return StoreReport(version: try engine.schemaVersion(), entries: rows.count, interrupted: interrupted)
  }

  func exported() throws(DatabaseFailure) -> AccountExport {
    let record = try account.read() ?? AccountRecord(plan: nil)
    let catalogue = try Migrations.hasCatalogue(engine) ? account.catalogue() : nil
    guard engine.isReadOnly else {
      try settle()
      return AccountExport(record: record, catalogue: catalogue, journal: try journal.all())
    }
    // What cannot be written down is said all the same.
    let rows = try journal.all().map { row throws(DatabaseFailure) in
      var row = row
      if row.end == nil, try !isRunning(row) { row.end = .interrupted(at: now()) }
      return row
    }
    return AccountExport(record: record, catalogue: catalogue, journal: rows)
  }

  func put(_ export: AccountExport, replaces: Bool) throws(DatabaseFailure) {
    try engine.transaction { () throws(DatabaseFailure) in
      _ = try settleOpen()
      guard try journal.open().isEmpty else {
        throw DatabaseFailure("is used by a session that runs an action; import once that is done")
      }
      let (kept, newest) = (try account.read(), try journal.history(limit: 1))
      guard kept == nil && newest.isEmpty || replaces else {
        throw DatabaseFailure("has this account already; --force replaces it, with its journal")
      }
      try journal.removeAll()
      try account.write(export.record, now: now())
      try account.keep(export.catalogue)
      for row in export.journal { try journal.add(row) }
    }
    copy(export.record)
  }
}
