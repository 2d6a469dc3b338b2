import AccountModel
import RPCShell

/// What a host and a person tell the storage block: usage, options, editing, that a message was read.
extension StoragePlugin {
  /// `storage.get`: measures first where nothing is known and somebody can.
  func get(_ context: CallContext) -> Route.Reply {
    refresh()
    guard state.isLoading, backend != nil else { return .now(get()) }
    return .later { () async throws(RPCError) in
      try await self.measure(context)
      return await self.get()
    }
  }

  /// `storage.measure`
  func measureNow(_ context: CallContext) throws(RPCError) -> Route.ActionWork {
    refresh()
    guard backend != nil else {
      throw RPCError(
        .notAvailable, "Nothing can be measured here: storage.set hands figures over", data: Self.errorData)
    }
    return { () async throws(RPCError) in
      try await self.measure(context)
      return await self.revisionText()
    }
  }

  /// `storage.set`
  func set(_ params: JSONView, _ context: CallContext) throws(RPCError) -> JSONText {
    let refreshing = params["refreshing"]?.bool
    let given = params["usage"]
    guard given != nil || refreshing != nil else {
      throw .invalidParams("usage: missing; expected an object, or null while nothing is known", path: "usage")
    }
    let usage = try given.flatMap { view throws(RPCError) in try self.usage(view) }
    refresh()
    if given != nil {
      generation += 1
      isMeasured = false
      take(usage)
    }
    state.isRefreshing = refreshing ?? false || measuring != nil
    publish(StateFeed.Transition(cause: "set", requestID: context.requestID))
    startTidying()
    return revisionText()
  }

  private func usage(_ view: JSONView) throws(RPCError) -> StorageUsage? {
    if view.isNull { return nil }
    do throws(SchemaViolation) { return try StorageUsage(validated: view, path: "usage") } catch {
      throw .invalidParams(error.text, path: error.path)
    }
  }

  /// `storage.setOptions`
  func setOptions(_ params: JSONView, _ context: CallContext) -> JSONText {
    refresh()
    let before = state.options
    state.options.change(by: params)
    if state.options != before {
      do throws(StorageFailure) { try optionsStore.keep(state.options) } catch {
        host.log("the options count for this session only: \(error.message)")
      }
    }
    publish(
      StateFeed.Transition(
        cause: "setOptions", requestID: context.requestID,
        feedback: state.options.cellular != before.cellular ? .selection : nil))
    return state.options.jsonText
  }

  /// `storage.setEditing`
  func setEditing(_ isEditing: Bool, _ context: CallContext) -> JSONText {
    refresh()
    state.isEditing = isEditing && state.canRemove && !state.downloads.isEmpty
    publish(StateFeed.Transition(cause: "setEditing", requestID: context.requestID))
    return revisionText()
  }

  /// `storage.dismiss`
  func dismiss(_ action: StorageAction, _ id: String?, _ context: CallContext) -> JSONText {
    refresh()
    switch action {
    case .clearCache: if state.clear.isLasting { state.clear = .idle }
    case .remove: state.dismissError(of: id)
    }
    publish(StateFeed.Transition(cause: "dismiss", requestID: context.requestID))
    return revisionText()
  }

  func revisionText() -> JSONText {
    JSONText { writer in writer.object { $0.member("revision", revision) } }
  }
}
