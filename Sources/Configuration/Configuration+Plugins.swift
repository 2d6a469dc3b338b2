import RPCShell

extension Configuration {
  /// A plugin that runs in a process of its own.
  public struct Plugin: Sendable, Equatable {
    /// The part before the dot of its methods.
    public var name: String
    /// What is started.
    public var command: Command
    /// Seconds in which it must answer `initialize`; nil is ``defaultStartTimeout``.
    public var startTimeout: Double?

    /// What counts where nothing is said.
    public static let defaultStartTimeout = 10.0
  }

  /// Names that are somebody's already.
  private static let takenNames = ["plan", "storage", "shell", "rpc", "host"]

  static var pluginsSchema: Schema {
    .array(
      .object(
        [
          .required("name", .nonEmptyString),
          .optional(
            "startTimeout",
            .checked(.number, expected: "seconds, more than 0 and at most 3600") {
              $0.number! > 0 && $0.number! <= 3600
            }),
        ] + Command.members))
  }

  // MARK: Reading

  /// - Parameter plugins: the member of that name, which was checked with the schema.
  mutating func readPlugins(_ plugins: JSONView?, _ paths: ConfiguredPath) throws(SchemaViolation) {
    for (index, view) in (plugins?.elements ?? []).enumerated() {
      let path = "plugins[\(index)]"
      let plugin = try Plugin(validated: view, path: path, paths)
      guard !Self.takenNames.contains(plugin.name) else {
        throw SchemaViolation(path: path + ".name", reason: "'\(plugin.name)' is rpcshell's own")
      }
      guard !self.plugins.contains(where: { $0.name == plugin.name }) else {
        throw SchemaViolation(
          path: path + ".name", reason: "expected a name that no other plugin has, got '\(plugin.name)' again")
      }
      self.plugins.append(plugin)
    }
  }

  /// A handler's plugin must be there.
  func checkPlugin(named name: String, path: String) throws(SchemaViolation) {
    let names = plugins.map(\.name)
    guard !names.contains(name) else { return }
    let known =
      names.isEmpty ? "the name of one of 'plugins'" : "one of " + names.map { "'\($0)'" }.joined(separator: ", ")
    throw SchemaViolation(
      path: path, reason: "expected \(known), got '\(name.shortened)'" + NearestName.hint(for: name, among: names))
  }
}

extension Configuration.Plugin {
  fileprivate init(validated view: JSONView, path: String, _ paths: ConfiguredPath) throws(SchemaViolation) {
    name = view["name"]!.string!
    guard Self.isName(name) else {
      throw SchemaViolation(
        path: path + ".name",
        reason: "expected a letter, then letters, digits, '-' and '_', up to 64, got '\(name.shortened)'")
    }
    command = try Configuration.Command(validated: view, path: path, paths)
    startTimeout = view["startTimeout"]?.number
  }

  private static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, isLetter(first), name.utf8.count <= 64 else { return false }
    return name.utf8.allSatisfy { isLetter($0) || "0123456789-_".utf8.contains($0) }
  }
}
