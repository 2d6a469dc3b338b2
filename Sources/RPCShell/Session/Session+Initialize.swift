import CLinux
import Glibc

/// `initialize`: who the host is and how the person reads (docs/PROTOCOL.md, "The life of a session").
extension Session {
  func initialize(_ message: Message, in batch: Batch?) throws(RPCError) {
    guard message.id != nil else { throw RPCError(.invalidRequest, "must be a request: add an \"id\"") }
    guard !life.isInitialized else { throw RPCError(.invalidRequest, "the session is initialized already") }
    let params = try readParams(message, properties: ShellMethod.initialize.params, unknown: .ignored).view
    var environment = try environment(from: params)
    if host.hostHandler != nil, let actions = try hostActions(in: params) { environment.hostActions = actions }
    life.isInitialized = true
    if let processID = params["processId"]?.integer { watchHostProcess(processID) }
    reply(to: message, initializeResult, in: batch)
    change(environment)
  }

  /// How the person reads is not what it was.
  func change(_ environment: Environment) {
    guard environment != self.environment else { return }
    self.environment = environment
    for plugin in plugins { announce(environment, to: plugin) }
  }

  private func announce(_ environment: Environment, to plugin: some Plugin) {
    plugin.assumeIsolated { $0.environmentChanged(environment) }
  }

  static var environmentParams: [Schema.Property] {
    [
      .optional("locale", .string, "a BCP 47 or ICU identifier"),
      .optional("timeZone", .string, "an IANA time zone"),
      .optional("textSize", .choice(Environment.TextSize.allCases.map(\.rawValue)), "for renderers"),
      .optional("reduceMotion", .boolean, "changes are placed, not animated"),
    ]
  }

  static var initializeParams: [Schema.Property] {
    [
      .optional("clientInfo", .any, "the host's name and version"),
      .optional("processId", .integer(0...Int.max), "the session ends when this process does"),
    ] + environmentParams + [
      .optional("theme", .any, "for renderers"),
      .optional("handlers", .array(.choice(HostAction.allCases.map(\.rawValue))), "actions that the host does itself"),
      .optional("capabilities", .any, "what the host can do"),
      .optional("initializationOptions", .any, "handlers again, for clients that can put them nowhere else (LSP)"),
    ]
  }

  /// The actions that the host takes over.
  private func hostActions(in params: JSONView) throws(RPCError) -> [HostAction]? {
    var handlers = params["handlers"]
    if handlers?.isNull ?? true, let options = params["initializationOptions"], options.kind == .object {
      do throws(SchemaViolation) {
        try Schema.object(Self.initializeParams.filter { "\($0.name)" == "handlers" })
          .validate(options, path: "initializationOptions", unknown: .ignored)
      } catch { throw .invalidParams(error.text, path: error.path) }
      handlers = options["handlers"]
    }
    return handlers.map { $0.elements.compactMap { $0.string.flatMap(HostAction.init) } }
  }

  func environment(from params: JSONView) throws(RPCError) -> Environment {
    var environment = environment
    if let locale = params["locale"]?.string {
      guard LocaleIdentifier.isWellFormed(locale) else {
        throw .invalidParams("locale: " + LocaleIdentifier.refusal(of: locale), path: "locale")
      }
      environment.locale = locale
    }
    if let timeZone = params["timeZone"]?.string {
      guard options.isKnownTimeZone(timeZone) else {
        throw .invalidParams("timeZone: " + TimeZoneIdentifier.refusal(of: timeZone), path: "timeZone")
      }
      environment.timeZone = timeZone
    }
    if let size = params["textSize"]?.string.flatMap(Environment.TextSize.init) { environment.textSize = size }
    if let reduceMotion = params["reduceMotion"]?.bool { environment.reduceMotion = reduceMotion }
    return environment
  }

  // MARK: The host's process

  /// Ends the session, as by end of input, when the process does. One that is not there (a PID of another namespace)
  /// is passed over.
  private func watchHostProcess(_ processID: Int) {
    let descriptor = cl_pidfd_open(pid_t(clamping: processID))
    guard descriptor >= 0 else {
      return log("cannot watch process \(processID) (\(String(cString: strerror(errno)))); going on without")
    }
    life.hostProcess = descriptor
  }

  // MARK: The result

  private var initializeResult: JSONText {
    JSONText { writer in
      writer.object { result in
        result.key("serverInfo")
        result.object { info in
          info.member("name", "rpcshell")
          info.member("version", options.version)
        }
        result.member("protocolVersion", "1")
        result.key("capabilities")
        result.object { writeCapabilities(to: &$0) }
        result.key("plugins")
        result.array { list in for plugin in registry.plugins { list.object { write(plugin, to: &$0) } } }
      }
    }
  }

  private func writeCapabilities(to writer: inout JSONWriter) {
    writer.member("batch", true)
    writer.member("cancellation", true)
    writer.member("progress", true)
    writer.key("framing")
    writer.array { list in
      list.string(Framing.lines.rawValue)
      list.string(Framing.headers.rawValue)
    }
    writer.key("events")
    writer.array { list in for plugin in registry.plugins where plugin.hasState { list.string("\(plugin.name).state") }
    }
    writer.key("render")
    writer.array { _ in }
  }

  private func write(_ plugin: some Plugin, to writer: inout JSONWriter) {
    if let remote = plugin.remote { return write(remote: remote, to: &writer) }
    writer.member("name", plugin.name)
    writer.member("version", plugin.version)
    writer.key("methods")
    writer.array { list in for route in plugin.routes() { list.string(route.name) } }
  }

  /// Nothing is started for that: a version and methods are there once the plugin has told.
  private func write(remote plugin: some RemotePlugin, to writer: inout JSONWriter) {
    let listing = plugin.assumeIsolated { $0.listing }
    writer.member("name", plugin.name)
    writer.member("version", listing.version)
    writer.key("methods")
    writer.array { list in for method in listing.methods { list.string(method) } }
  }
}
