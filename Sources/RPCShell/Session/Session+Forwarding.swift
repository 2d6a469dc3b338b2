/// Calls of plugins that are somewhere else: handed over and answered as they stand.
extension Session {
  func forward(_ message: Message, to plugin: some RemotePlugin, in batch: Batch?) {
    if pending.count >= SessionOptions.pendingLimit {
      return refuse(message, .overloaded("\(SessionOptions.pendingLimit) requests are unfinished"), in: batch)
    }
    batch?.addOpen()
    let id = message.id.map { RequestID(Array($0)) }
    let serial = pending.add(
      .init(
        method: name(of: message), id: id, framing: newestFraming, batch: batch, stop: StopSignal(), remote: plugin))
    // Used now and on this thread; the checker cannot know that.
    nonisolated(unsafe) let call = ForwardedCall(
      id: ForwardedCall.ID(serial: serial), method: message.method, params: message.params, requestID: id,
      needsCompaction: message.needsCompaction)
    plugin.assumeIsolated { $0.forward(call) }
  }

  /// The method's name for lines to people.
  private func name(of message: Message) -> String {
    let isPlain = message.method.count <= 64 && message.method.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    return isPlain ? String(decoding: message.method, as: UTF8.self) : display(message.method)
  }

  /// Takes the answer to such a call. Whoever stops because the session ends says "cancelled" without meaning it.
  func answerForwarded(_ serial: Int, _ outcome: Result<JSONText, RPCError>) {
    guard case .failure(let error) = outcome, error.code == .requestCancelled,
      pending.stopReason(of: serial) == .drained
    else { return complete(serial, outcome) }
    let data = pending.action(of: serial).map { [RPCError.Member("action", .string($0))] } ?? []
    complete(serial, .failure(.stopped(.drained, seconds: nil, data: data)))
  }

  // MARK: Requests of handlers

  func ask(_ request: HostRequest, plugin name: String) {
    guard let plugin = registry.router.remotes.first(where: { $0.name == name }) else { return request.answer(.gone) }
    Self.ask(request, plugin)
  }

  private static func ask(_ request: HostRequest, _ plugin: some RemotePlugin) {
    plugin.assumeIsolated { $0.ask(request) }
  }

  func cancelPluginRequest(_ id: Int) {
    for plugin in registry.router.remotes { Self.cancel(id, plugin) }
  }

  private static func cancel(_ id: Int, _ plugin: some RemotePlugin) {
    plugin.assumeIsolated { $0.cancel(request: id) }
  }

  // MARK: A client that does not read

  /// Holds up plugins that are somewhere else while too much is unwritten: what they say would queue up here.
  func pausePlugins() {
    guard writer.isOverLimit != arePluginsPaused else { return }
    arePluginsPaused.toggle()
    for plugin in plugins { if let remote = plugin.remote { pause(remote) } }
  }

  private func pause(_ plugin: some RemotePlugin) {
    let isPaused = arePluginsPaused
    plugin.assumeIsolated { $0.pause(isPaused) }
  }

  // MARK: rpc.discover

  /// Answers with the shell's methods and those of plugins that are somewhere else, which are asked for theirs.
  func discover(_ message: Message, in batch: Batch?) {
    let (version, routes, remotes) = (options.version, registry.router.routes, registry.router.remotes)
    if remotes.isEmpty {
      return reply(to: message, DiscoveryDocument(version: version, routes: routes).text, in: batch)
    }
    if pending.count >= SessionOptions.pendingLimit {
      return refuse(message, .overloaded("\(SessionOptions.pendingLimit) requests are unfinished"), in: batch)
    }
    let id = message.id.map { RequestID(Array($0)) }
    start(ShellMethod.discover.rawValue, id, StopSignal(), in: batch) { () async throws(RPCError) in
      var described: [JSONText] = []
      for plugin in remotes { described += await plugin.describe() }
      return DiscoveryDocument(version: version, routes: routes, remote: described).text
    }
  }
}
