import AccountModel

// What the actions of a plan may come to beside what every action does.
extension ActionPhase {
  static let pending = ActionPhase(.pending, message: "Waiting for approval", tone: .secondary)
  static let restored = ActionPhase(.done, message: "Purchases restored", tone: .success)
  static let nothingToRestore = ActionPhase(.done, message: "Nothing to restore", tone: .secondary)
}
