import RPCShell

/// What a person can do about storage. The raw value is the method's last part and the event's cause.
enum StorageAction: String, Sendable {
  case clearCache, remove

  /// What the handler is asked to do.
  var hostAction: HostAction {
    switch self {
    case .clearCache: .onClearCache
    case .remove: .onRemove
    }
  }

  /// What the person reads where a failure says nothing of its own.
  var failureText: String {
    switch self {
    case .clearCache: "The cache wasn't cleared. Try again."
    case .remove: "The download wasn't removed. Try again."
    }
  }

  /// What is being done, for progress.
  var title: String {
    switch self {
    case .clearCache: "Clear cache"
    case .remove: "Remove download"
    }
  }

  /// The first member of every error's data.
  var errorData: [RPCError.Member] { [RPCError.Member("action", .string(rawValue))] }

  /// An error about it.
  func error(_ code: RPCError.Code, _ message: String, _ data: [RPCError.Member] = []) -> RPCError {
    RPCError(code, message, data: errorData + data)
  }
}
