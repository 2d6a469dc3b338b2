public import HTTPCall
public import RPCShell

// MARK: Who does what

extension Configuration {
  /// Who may do an action.
  public enum Adapter: Sendable, Equatable {
    /// The built-in one.
    case local
    /// The client, which is asked.
    case host
    /// A program, which is run for each call; another one says what an upgrade would cost.
    case exec(Command, preview: Command? = nil)
    /// The plugin of that name, which is called.
    case plugin(String)
    /// A server, which is called; another address of it says what an upgrade would cost.
    case http(HTTPEndpoint, preview: WebAddress? = nil)

    /// What a file calls it.
    public enum Name: String, Sendable, CaseIterable {
      case local, host, exec, http, plugin
    }

    /// What a file calls it.
    public var name: Name {
      switch self {
      case .local: .local
      case .host: .host
      case .exec: .exec
      case .plugin: .plugin
      case .http: .http
      }
    }
  }

  /// What a file says about an action.
  public enum Handling: Sendable, Equatable {
    /// Nothing: the built-in adapter does it.
    case unset
    /// `null`: nobody does it.
    case notAvailable
    /// An adapter, and maybe the seconds after which a call is given up.
    case by(Adapter, timeout: Double?)
  }

  /// Who does an action, and how long that may take in seconds.
  public struct Handler: Sendable, Equatable {
    public var adapter: Adapter
    public var timeout: Double

    /// Whether it is another than the built-in one.
    public var isCustom: Bool { adapter != .local }
  }

  /// What the file says about an action.
  public subscript(action: HostAction) -> Handling {
    get { handlings[action] ?? .unset }
    set { handlings[action] = newValue == .unset ? nil : newValue }
  }

  /// Who does an action with the defaults filled in; nil where it is not available.
  public func handler(of action: HostAction) -> Handler? {
    switch self[action] {
    case .unset: Handler(adapter: .local, timeout: Self.defaultTimeout(of: action, by: .local))
    case .notAvailable: nil
    case .by(let adapter, let timeout):
      Handler(adapter: adapter, timeout: timeout ?? Self.defaultTimeout(of: action, by: adapter))
    }
  }

  /// Many files on a slow disk take their time, and nobody else waits for them.
  private static func defaultTimeout(of action: HostAction, by adapter: Adapter) -> Double {
    let isRemoval = action == .onClearCache || action == .onRemove
    return adapter == .local && isRemoval ? 3_600 : action.defaultTimeout
  }
}

// MARK: Reading

extension Configuration {
  /// The members that every handler has.
  private static var common: [Schema.Property] {
    [
      .required("adapter", .choice(Adapter.Name.allCases.map(\.rawValue))),
      .optional(
        "timeout",
        .checked(.number, expected: "seconds, more than 0 and at most 86400") { $0.number! > 0 && $0.number! <= 86400 }),
    ]
  }

  /// The members that an adapter has beside those.
  private static func members(of name: Adapter.Name, for action: HostAction) -> [Schema.Property] {
    // Others cost nothing.
    func preview(_ schema: Schema) -> [Schema.Property] {
      action == .onUpgrade ? [.optional("preview", schema)] : []
    }
    return switch name {
    case .local, .host: []
    case .exec: Command.members + preview(Command.program)
    case .plugin: [.required("plugin", .nonEmptyString)]
    case .http: HTTPEndpoint.properties + preview(HTTPEndpoint.address)
    }
  }

  /// - Parameter handlers: the member of that name.
  mutating func readHandlers(_ handlers: JSONView?, _ paths: ConfiguredPath) throws(SchemaViolation) {
    for action in HostAction.allCases {
      guard let view = handlers?.member(named: action.rawValue) else { continue }
      let path = "handlers.\(action.rawValue)"
      self[action] = try Self.handling(of: action, view, path: path, paths)
      if case .by(.plugin(let name), _) = self[action] { try checkPlugin(named: name, path: path + ".plugin") }
    }
  }

  private static func handling(
    of action: HostAction, _ view: JSONView, path: String, _ paths: ConfiguredPath
  ) throws(SchemaViolation) -> Handling {
    if view.isNull { return .notAvailable }
    // Members that are another adapter's are named only when it is clear which one it is.
    let name = view["adapter"]?.string.flatMap(Adapter.Name.init)
    let schema = Schema.object(common + (name.map { members(of: $0, for: action) } ?? []))
    try schema.validate(view, path: path, unknown: .refusedButComments)
    return .by(try adapter(name!, view, path: path, paths), timeout: view["timeout"]?.number)
  }

  private static func adapter(
    _ name: Adapter.Name, _ view: JSONView, path: String, _ paths: ConfiguredPath
  ) throws(SchemaViolation) -> Adapter {
    switch name {
    case .local: .local
    case .host: .host
    case .exec: try program(view, path: path, paths)
    case .plugin: .plugin(view["plugin"]!.string!)
    case .http: try server(view, path: path, paths)
    }
  }

  private static func program(
    _ view: JSONView, path: String, _ paths: ConfiguredPath
  ) throws(SchemaViolation) -> Adapter {
    let command = try Command(validated: view, path: path, paths)
    guard let preview = view["preview"], !preview.isNull else { return .exec(command) }
    return .exec(command, preview: try Command(validated: view, program: "preview", path: path, paths))
  }

  private static func server(
    _ view: JSONView, path: String, _ paths: ConfiguredPath
  ) throws(SchemaViolation) -> Adapter {
    let endpoint = try HTTPEndpoint(validated: view, path: path) { (file, place) throws(SchemaViolation) in
      try paths.resolve(file, at: place)
    }
    let preview = view["preview"]?.string.flatMap(WebAddress.init)
    guard preview.map({ $0.origin == endpoint.url.origin }) ?? true else {
      throw SchemaViolation(path: path + ".preview", reason: "expected the origin of url, which the headers are for")
    }
    return .http(endpoint, preview: preview)
  }
}
