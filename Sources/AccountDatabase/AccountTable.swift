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

  /// The catalogue, of an account that has one.
  func catalogue() throws(DatabaseFailure) -> [PlanUsage]? {
    guard let text = try catalogueText() else { return nil }
    guard let plans = (try? JSONDocument(wholeText: Array(text.utf8)))?.view.elements else {
      throw .unreadable("the catalogue")
    }
    return try plans.map { (view) throws(DatabaseFailure) in
      do throws(SchemaViolation) { return try PlanUsage(checking: view, unknown: .ignored) } catch {
        throw .unreadable("the catalogue")
      }
    }
  }

  private func catalogueText() throws(DatabaseFailure) -> String? {
    let rows = try engine.run("SELECT catalogue FROM account WHERE account_id = $1", [.text(account)])
    guard case .text(let text)? = rows.first?.first else { return nil }
    return text
  }

  /// Whether this is the catalogue that is kept.
  func keeps(_ catalogue: [PlanUsage]) throws(DatabaseFailure) -> Bool {
    try catalogueText()?.isExactly(Self.text(of: catalogue)) ?? false
  }

  /// Replaces the catalogue of an account that is kept.
  func keep(_ catalogue: [PlanUsage]?) throws(DatabaseFailure) {
    try engine.run(
      "UPDATE account SET catalogue = $1 WHERE account_id = $2",
      [catalogue.map { .text(Self.text(of: $0)) } ?? .null, .text(account)])
  }

  private static func text(of catalogue: [PlanUsage]) -> String { JSONText { $0.plans(catalogue) }.description }

  /// Replaces what is kept, but for the catalogue.
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

extension JSONWriter {
  mutating func plans(_ plans: [PlanUsage]) {
    array { list in for plan in plans { list.text(plan.jsonText) } }
  }
}
