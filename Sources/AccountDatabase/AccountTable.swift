import AccountModel
import RPCShell

/// The row of one account, as statements.
struct AccountTable {
  let engine: any DatabaseEngine
  let account: String

  /// What is kept; nil where the account was never heard of.
  func read() throws(DatabaseFailure) -> AccountRecord? {
    let rows = try engine.run("SELECT plan, as_of FROM account WHERE account_id = $1", [.text(account)])
    guard let row = rows.first, row.count == 2 else { return nil }
    var record = AccountRecord(plan: nil)
    if case .text(let text) = row[0] {
      guard let plan = PlanUsage(kept: text) else { throw .unreadable("the plan") }
      record.plan = plan
    }
    if case .text(let text) = row[1] { record.asOf = DateValue(text) }
    return record
  }

  /// Replaces what is kept.
  func write(_ record: AccountRecord, now: Double) throws(DatabaseFailure) {
    let plan = record.plan.map { SQLValue.text($0.jsonText.description) } ?? .null
    try engine.run(
      """
      INSERT INTO account (account_id, plan, as_of, changed) VALUES ($1, $2, $3, $4)
      ON CONFLICT (account_id) DO UPDATE SET plan = excluded.plan, as_of = excluded.as_of, changed = excluded.changed
      """, [.text(account), plan, record.asOf.map { .text($0.text) } ?? .null, .real(now)])
  }
}

extension PlanUsage {
  /// - Returns: nil for what is no plan. Members of a later version are passed over.
  init?(kept text: String) {
    guard let document = try? JSONDocument(parsing: JSONText(trusted: Array(text.utf8))),
      let plan = try? PlanUsage(checking: document.view, unknown: .ignored)
    else { return nil }
    self = plan
  }
}
