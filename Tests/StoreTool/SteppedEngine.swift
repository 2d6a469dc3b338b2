import AccountDatabase
import RPCShell

/// An engine that says before and after each thing that reaches the disk that it does so: what happens there may end the
/// process, or fail.
final class SteppedEngine: DatabaseEngine, @unchecked Sendable {
  /// A moment: `open`, `begin`, `INSERT`, `commit` …, before and after.
  struct Step: Sendable {
    var number: Int
    var name: String
  }

  /// Never nil before the end.
  private var engine: (any DatabaseEngine)!
  private let number = Locked(0)
  private let reached: @Sendable (Step) throws(DatabaseFailure) -> Void

  private let ended: @Sendable () -> Void

  /// - Parameter ended: called when the engine is gone, with all that it held.
  init(
    _ engine: any DatabaseEngine, ended: @escaping @Sendable () -> Void = {},
    reached: @escaping @Sendable (Step) throws(DatabaseFailure) -> Void
  ) {
    self.engine = engine
    self.ended = ended
    self.reached = reached
  }

  deinit {
    engine = nil
    ended()
  }

  private func step<Value>(_ name: String, _ work: () throws(DatabaseFailure) -> Value) throws(DatabaseFailure) -> Value
  {
    try reach("before " + name)
    let value = try work()
    try reach("after " + name)
    return value
  }

  private func reach(_ name: String) throws(DatabaseFailure) {
    let number = number.withLock { number in
      number += 1
      return number
    }
    try reached(Step(number: number, name: name))
  }

  var name: String { engine.name }
  var session: Int { engine.session }

  var isReadOnly: Bool { engine.isReadOnly }

  func openForReading() throws(DatabaseFailure) {
    try step("open") { () throws(DatabaseFailure) in try engine.openForReading() }
  }

  func open() throws(DatabaseFailure) { try step("open") { () throws(DatabaseFailure) in try engine.open() } }

  func run(_ statement: String, _ parameters: [SQLValue]) throws(DatabaseFailure) -> [[SQLValue]] {
    let word = String(statement.prefix { $0 != " " })
    return try step(word) { () throws(DatabaseFailure) in try engine.run(statement, parameters) }
  }

  func begin() throws(DatabaseFailure) { try step("begin") { () throws(DatabaseFailure) in try engine.begin() } }
  func commit() throws(DatabaseFailure) { try step("commit") { () throws(DatabaseFailure) in try engine.commit() } }
  func rollback() { engine.rollback() }
  func schemaVersion() throws(DatabaseFailure) -> Int { try engine.schemaVersion() }
  func setSchemaVersion(_ version: Int) throws(DatabaseFailure) { try engine.setSchemaVersion(version) }
  func problems() throws(DatabaseFailure) -> [String] { try engine.problems() }
  func isAlive(_ session: Int) throws(DatabaseFailure) -> Bool { try engine.isAlive(session) }
  func watch(_ noticed: @escaping @Sendable () -> Void) { engine.watch(noticed) }
  func wasChanged() throws(DatabaseFailure) -> Bool { try engine.wasChanged() }
}
