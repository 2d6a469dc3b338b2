import RPCShell

extension Configuration {
  /// Where the account is kept.
  public enum Store: Sendable, Equatable {
    /// Nowhere: it is new with each session.
    case memory
    /// In a file, which is absolute.
    case sqlite(path: String)
    /// On a server. The URL is whole and may hold secrets.
    case postgresql(url: String)

    /// As it stands in a configuration file, without secrets.
    public var shown: String {
      switch self {
      case .memory: "memory"
      case .sqlite(let path): "sqlite:" + path
      case .postgresql(let url): url.withoutSecrets
      }
    }
  }

  /// The account that is meant where nobody says so.
  public static let defaultAccountID = "default"

  static let accountIDSchema = Schema.checked(
    .string, expected: "a name of 1 to 128 bytes without control characters"
  ) { view in
    let bytes = view.string!.utf8
    return (1...128).contains(bytes.count) && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}

extension Configuration.Store {
  /// - Parameter text: `sqlite:PATH`, `memory`, `postgresql://…`
  /// - Throws: what was expected. What came instead may hold a password, and is not said.
  init(_ text: String, _ paths: ConfiguredPath) throws(SchemaViolation) {
    if text.isExactly("memory") {
      self = .memory
    } else if text.hasPrefix("sqlite:"), !text.hasSuffix(":"), !text.hasSuffix("/") {
      do throws(ConfiguredPath.Refusal) { self = .sqlite(path: try paths.resolve(String(text.dropFirst(7)))) } catch {
        throw SchemaViolation(path: "store", reason: error.reason)
      }
    } else if text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") {
      self = .postgresql(url: text)
    } else {
      throw SchemaViolation(path: "store", reason: "expected 'sqlite:PATH', 'memory' or 'postgresql://…'")
    }
  }
}
