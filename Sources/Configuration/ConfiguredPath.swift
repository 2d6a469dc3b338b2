import RPCShell

/// How paths in a configuration file are read: `~` and `$NAME` stand for folders, and a relative path starts at the file.
public struct ConfiguredPath: Sendable {
  /// The folder of the file, absolute.
  public var folder: String
  /// A variable of the process's environment; one that is empty counts as unset.
  public var variable: @Sendable (String) -> String?

  /// - Parameter folder: of the file, absolute.
  public init(
    folder: String,
    variable: @escaping @Sendable (String) -> String? = ConfigurationFile.environmentVariable(named:)
  ) {
    self.folder = folder
    self.variable = variable
  }

  /// Why a path cannot be read.
  struct Refusal: Error {
    /// `expected variables that are set, got '$FOO'`
    let reason: String
  }

  /// The absolute path that a text stands for.
  ///
  /// `~` at the start is the home folder; `$NAME` and `${NAME}` are variables, and those of the XDG Base Directory
  /// Specification have that page's defaults where they are unset, empty or no absolute paths.
  func resolve(_ text: String) throws(Refusal) -> String {
    var rest = Substring(text)
    var path = ""
    if rest.first == "~" {
      rest = rest.dropFirst()
      guard rest.isEmpty || rest.first == "/" else {
        throw Refusal(reason: "expected '~' alone or '~/…', got '\(text.shortened)'")
      }
      path = try home()
    }
    while let character = rest.popFirst() {
      path += character == "$" ? try value(&rest) : String(character)
    }
    guard !path.utf8.contains(0) else { throw Refusal(reason: "expected a path without NUL") }
    if path.hasPrefix("/") { return path }
    return folder + (folder.hasSuffix("/") ? "" : "/") + path
  }

  /// The same for a member of the file.
  /// - Parameter place: where it stands, for the error.
  func resolve(_ text: String, at place: String) throws(SchemaViolation) -> String {
    do throws(Refusal) { return try resolve(text) } catch {
      throw SchemaViolation(path: place, reason: error.reason)
    }
  }

  private func home() throws(Refusal) -> String {
    guard let home = variable("HOME"), home.hasPrefix("/") else { throw Refusal(reason: "HOME is not set") }
    return home
  }

  /// The value of the variable whose name comes next.
  private func value(_ rest: inout Substring) throws(Refusal) -> String {
    let isBraced = rest.first == "{"
    if isBraced { rest = rest.dropFirst() }
    let name = String(rest.prefix { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) })
    rest = rest.dropFirst(name.count)
    if isBraced {
      guard rest.first == "}" else { throw Refusal(reason: "expected '}' behind '${\(name)'") }
      rest = rest.dropFirst()
    }
    guard !name.isEmpty else { throw Refusal(reason: "expected the name of a variable behind '$'") }
    if let folder = XDGFolder(rawValue: name) { return try self.path(of: folder) }
    guard let value = variable(name) else { throw Refusal(reason: "the variable '$\(name)' is not set") }
    return value
  }

  /// A folder of the XDG Base Directory Specification, which has a place even where nobody named one.
  func path(of folder: XDGFolder) throws(Refusal) -> String {
    if let path = variable(folder.rawValue), path.hasPrefix("/") { return path }
    return try home() + folder.underHome
  }
}

/// The base directories of the XDG Base Directory Specification.
enum XDGFolder: String {
  case cache = "XDG_CACHE_HOME"
  case config = "XDG_CONFIG_HOME"
  case data = "XDG_DATA_HOME"
  case state = "XDG_STATE_HOME"

  /// Where it is by default.
  var underHome: String {
    switch self {
    case .cache: "/.cache"
    case .config: "/.config"
    case .data: "/.local/share"
    case .state: "/.local/state"
    }
  }
}
