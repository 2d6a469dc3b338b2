import RPCShell

extension Configuration {
  /// A program to run.
  public struct Command: Sendable, Equatable {
    /// The program and its arguments; never empty. One without a slash is looked for in PATH, others are absolute.
    public var arguments: [String]
    /// Names of the variables that it is given of rpcshell's own.
    public var environment: [String] = []
    /// Where it starts, absolute; nil is where rpcshell is.
    public var folder: String?

    /// - Parameter arguments: the program first.
    public init(_ arguments: [String], environment: [String] = [], folder: String? = nil) {
      self.arguments = arguments
      self.environment = environment
      self.folder = folder
    }
  }
}

// MARK: Reading

extension Configuration.Command {
  /// The members of an object that names a program.
  static var members: [Schema.Property] {
    [
      .required("command", program), .optional("env", .array(variableName)), .optional("cwd", .nonEmptyString),
    ]
  }

  static var program: Schema {
    .checked(.array(argument), expected: "a program and its arguments") { $0[0].map { $0.string != "" } ?? false }
  }

  private static var argument: Schema {
    .checked(.string, expected: "text without NUL") { !$0.string!.utf8.contains(0) }
  }

  private static var variableName: Schema {
    .checked(.nonEmptyString, expected: "the name of a variable, without '=' and NUL") { name in
      !name.string!.utf8.contains { $0 == UInt8(ascii: "=") || $0 == 0 }
    }
  }

  /// - Parameters:
  ///   - view: was checked to have ``members``.
  ///   - program: the member that names the program.
  ///   - path: where it stands.
  init(
    validated view: JSONView, program: String = "command", path: String, _ paths: ConfiguredPath
  ) throws(SchemaViolation) {
    self.init(
      view.member(named: program)!.elements.map { $0.string! },
      environment: (view["env"]?.elements ?? []).map { $0.string! })
    if arguments[0].contains("/") {
      arguments[0] = try paths.resolve(arguments[0], at: "\(path).\(program)[0]")
    }
    if let folder = view["cwd"]?.string { self.folder = try paths.resolve(folder, at: "\(path).cwd") }
  }
}
