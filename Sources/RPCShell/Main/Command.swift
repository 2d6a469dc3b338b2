import RPCShell

/// What the command line asks for.
enum Command {
  /// No command: a session on stdin and stdout.
  case serve(Options)
  case call(method: String, params: String?, Options)
  case schema
  case checkConfiguration(Options)
  case exampleConfiguration
  case store(StoreCommand.Verb, file: String?, Options)
  case help(HelpTopic)
  case version
}

/// Arguments that make no sense: shown on one line, status 2.
struct UsageError: Error {
  var text: String
  /// Whose help is pointed at; nil where that would not help.
  var topic: HelpTopic?

  init(_ text: String, see topic: HelpTopic? = .serve) {
    self.text = text
    self.topic = topic
  }
}

/// What the operands name, before it is known whether they and the options make sense.
private enum CommandName: String, CaseIterable {
  case call, schema, config, store

  var topic: HelpTopic {
    switch self {
    case .call: .call
    case .schema: .schema
    case .config: .config
    case .store: .store
    }
  }
}

extension Command {
  /// Reads the process's arguments. Options may stand anywhere in front of `--`.
  static func parse() throws(UsageError) -> Command {
    var options = Options()
    var operands: [String] = []
    var table = OptionTable<OptionKey>()
    while let match = table.next() {
      if case .operand(let text) = match { operands.append(text) }
      do throws(UsageError) { try options.apply(match) } catch {
        let command = operands.first.flatMap(CommandName.init)
        throw UsageError(error.text, see: command?.topic ?? .serve)
      }
    }
    let name = try operands.first.map { text throws(UsageError) in try command(named: text) }
    if options.given.contains(OptionSelection(.help)) { return .help(name?.topic ?? .serve) }
    if options.given.contains(OptionSelection(.version)) { return .version }
    switch name {
    case nil: return .serve(try options.checked(for: .serve))
    case .call: return try call(operands, options.checked(for: .call))
    case .schema:
      try expect(operands, atMost: 1, .schema)
      _ = try options.checked(for: .schema)
      return .schema
    case .config: return try config(operands, options)
    case .store: return try store(operands, options)
    }
  }

  private static func command(named text: String) throws(UsageError) -> CommandName {
    if let name = CommandName(rawValue: text) { return name }
    // A method without the command is a good guess, too.
    let hint =
      text.contains(".")
      ? "; did you mean 'call \(text)'?" : NearestName.hint(for: text, among: CommandName.allCases.map(\.rawValue))
    throw UsageError("unknown command '\(text)'\(hint)")
  }

  private static func call(_ operands: [String], _ options: Options) throws(UsageError) -> Command {
    guard operands.count > 1 else {
      throw UsageError("call: expected a method; rpcshell schema lists what there is", see: .call)
    }
    guard operands.count <= 3 else {
      throw UsageError("call: unexpected argument '\(operands[3])'; the parameters are one argument", see: .call)
    }
    return .call(method: operands[1], params: operands.count > 2 ? operands[2] : nil, options)
  }

  private static func config(_ operands: [String], _ options: Options) throws(UsageError) -> Command {
    guard operands.count > 1 else { throw UsageError("config: expected 'check' or 'example'", see: .config) }
    try expect(operands, atMost: 2, .config)
    switch operands[1] {
    case "check": return .checkConfiguration(try options.checked(for: .config))
    case "example":
      _ = try options.checked(for: .config, allowing: [], as: "rpcshell config example")
      return .exampleConfiguration
    case let other:
      let nearest = NearestName.nearest(to: other, among: ["check", "example"])
      let hint = nearest.map { "; did you mean 'config \($0)'?" } ?? ""
      throw UsageError("unknown command 'config \(other)'\(hint)", see: .config)
    }
  }

  private static func store(_ operands: [String], _ options: Options) throws(UsageError) -> Command {
    let names = StoreCommand.Verb.allCases.map(\.rawValue)
    guard operands.count > 1 else { throw UsageError("store: expected 'check', 'export' or 'import'", see: .store) }
    guard let verb = StoreCommand.Verb(rawValue: operands[1]) else {
      let hint = NearestName.nearest(to: operands[1], among: names).map { "; did you mean 'store \($0)'?" } ?? ""
      throw UsageError("unknown command 'store \(operands[1])'\(hint)", see: .store)
    }
    try expect(operands, atMost: verb == .import ? 3 : 2, .store)
    let allowed = verb == .import ? nil : HelpTopic.store.options.subtracting(OptionSelection(.force))
    let options = try options.checked(for: .store, allowing: allowed, as: "rpcshell store \(verb.rawValue)")
    return .store(verb, file: operands.count > 2 ? operands[2] : nil, options)
  }

  private static func expect(_ operands: [String], atMost count: Int, _ topic: HelpTopic) throws(UsageError) {
    guard operands.count > count else { return }
    throw UsageError("unexpected argument '\(operands[count])'", see: topic)
  }
}

extension Options {
  /// The options, if the command takes all that were given.
  ///
  /// - Parameters:
  ///   - allowed: in place of what the topic's commands take.
  ///   - command: what it is called.
  func checked(
    for topic: HelpTopic, allowing allowed: OptionSelection? = nil, as command: String? = nil
  ) throws(UsageError) -> Options {
    let excess = given.subtracting(allowed ?? topic.options)
    guard !excess.isEmpty, let key = OptionKey.allCases.first(where: { excess.contains(OptionSelection($0)) }) else {
      return self
    }
    let name = command ?? (topic == .serve ? "rpcshell without a command" : topic.command)
    throw UsageError("\(name) takes no option '--\(key.text)'", see: topic)
  }
}
