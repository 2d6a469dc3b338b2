import Glibc
import RPCShell

/// A configuration file: who named it, and where it is.
public struct ConfigurationFile: Sendable, Equatable {
  /// Who named the file.
  public enum Origin: Sendable {
    /// `--config`
    case option
    /// `RPCSHELL_CONFIG`
    case environment
    /// Nobody: it is looked for where such files are kept, and may be missing.
    case usualPlace
  }

  public var path: String
  public var origin: Origin

  /// A file, whether or not it is there.
  public init(path: String, origin: Origin) {
    self.path = path
    self.origin = origin
  }

  /// Longer files are refused.
  public static let limit = 16 << 20

  /// The file to read: that of the option, else of `RPCSHELL_CONFIG`, else `rpcshell/config.json` under
  /// `XDG_CONFIG_HOME` or `~/.config` (XDG Base Directory Specification: relative folders do not count).
  ///
  /// - Parameters:
  ///   - option: what `--config` says.
  ///   - isDemo: only the option counts.
  ///   - variable: a variable of the process's environment; one that is empty counts as unset.
  /// - Returns: nil where there is no place to look at.
  public static func find(
    option: String?, isDemo: Bool, variable: (StaticString) -> String? = Self.environmentVariable
  ) -> ConfigurationFile? {
    if let option { return ConfigurationFile(path: option, origin: .option) }
    if isDemo { return nil }
    if let path = variable("RPCSHELL_CONFIG") { return ConfigurationFile(path: path, origin: .environment) }
    if let folder = variable("XDG_CONFIG_HOME"), folder.hasPrefix("/") {
      return ConfigurationFile(path: folder + "/rpcshell/config.json", origin: .usualPlace)
    }
    guard let home = variable("HOME") else { return nil }
    return ConfigurationFile(path: home + "/.config/rpcshell/config.json", origin: .usualPlace)
  }

  /// The value of a variable; nil where it is unset or empty.
  @Sendable
  public static func environmentVariable(_ name: StaticString) -> String? {
    guard let value = getenv(UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)), value[0] != 0 else {
      return nil
    }
    return String(cString: value)
  }

  /// The same for a name that is not known at compile time.
  @Sendable
  public static func environmentVariable(named name: String) -> String? {
    guard let value = getenv(name), value[0] != 0 else { return nil }
    return String(cString: value)
  }

  /// How paths in the file are read.
  private var paths: ConfiguredPath {
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = end.map { String(path[...$0]) } ?? ""
    if folder.hasPrefix("/") { return ConfiguredPath(folder: folder) }
    guard let current = getcwd(nil, 0) else { return ConfiguredPath(folder: "/" + folder) }
    defer { free(current) }
    return ConfiguredPath(folder: String(cString: current) + "/" + folder)
  }

  // MARK: Reading

  /// What the file says; nil where nobody named it and it is not there.
  ///
  /// - Parameter isKnownTimeZone: asked where a time zone is given.
  /// - Throws: the first thing that is wrong.
  public func read(isKnownTimeZone: (String) -> Bool) throws(ConfigurationError) -> Configuration? {
    guard let text = try content() else { return nil }
    let document: JSONDocument
    do throws(JSONParseFailure) { document = try JSONDocument(wholeText: text) } catch {
      let isComment = text[error.offset...].starts(with: "\"//".utf8) && error.reason.hasPrefix("duplicate")
      let advice = isComment ? "; each comment needs one of its own in its object, like '// 2'" : ""
      throw refusal(error.text(in: text) + advice)
    }
    do throws(SchemaViolation) {
      return try Configuration(checking: document.view, paths: paths, isKnownTimeZone: isKnownTimeZone)
    } catch { throw refusal(error.text) }
  }

  private func content() throws(ConfigurationError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if origin == .usualPlace && (errno == ENOENT || errno == ENOTDIR) { return nil }
      throw unreadable(errno)
    }
    defer { close(descriptor) }
    let buffer = ByteBuffer(capacity: 1 << 14)
    switch buffer.append(allOf: descriptor, upTo: Self.limit) {
    case .complete: return buffer.bytes
    case .failed(let code): throw unreadable(code)
    case .tooLong: throw refusal("expected at most \(Self.limit >> 20) MiB")
    }
  }

  private func unreadable(_ code: Int32) -> ConfigurationError {
    let whose = origin == .environment ? " (RPCSHELL_CONFIG names it)" : ""
    return refusal("cannot be read: \(String(cString: strerror(code)))" + whose)
  }

  private func refusal(_ reason: String) -> ConfigurationError { ConfigurationError(file: path, reason: reason) }
}

/// What is wrong with a configuration file.
public struct ConfigurationError: Error, Equatable, Sendable {
  /// Its path.
  public var file: String
  /// The place in it and what was expected there, or why it cannot be read.
  public var reason: String

  /// `/home/me/config.json: handlers.onUpgarde: unknown member; did you mean 'onUpgrade'?`
  public var text: String { "\(file): \(reason)" }
}
