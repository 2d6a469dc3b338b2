import RPCShell

extension HostAction {
  /// As it stands in the journal, in exports and in the log: `upgrade`.
  var word: String {
    let name = rawValue.dropFirst(2)
    return name.prefix(1).lowercased() + name.dropFirst()
  }

  /// The action with a word.
  init?(word: String) {
    guard let action = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = action
  }

  /// Actions of which one at most runs at a time, over all sessions: what one may do is decided by the plan that another
  /// leaves.
  var exclusive: Set<HostAction> { self == .onUpgrade || self == .onRestore ? [.onUpgrade, .onRestore] : [] }
}
