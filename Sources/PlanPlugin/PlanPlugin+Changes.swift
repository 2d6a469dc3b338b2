import AccountModel
import RPCShell

/// What a host tells the plan block: a new plan, and that a message was read.
extension PlanPlugin {
  /// `plan.set`: takes over a plan, and whether a newer one is being read.
  func set(_ params: JSONView, _ context: CallContext) throws(RPCError) -> Route.Reply {
    let refreshing = params["refreshing"]?.bool
    let given = params["plan"]
    guard given != nil || refreshing != nil else {
      throw .invalidParams("plan: missing; expected an object, or null while nothing is known", path: "plan")
    }
    let plan = try given.flatMap { view throws(RPCError) in try self.plan(view) }
    let asOf = params["asOf"].flatMap { $0.isNull ? nil : DateValue(validated: $0) }
    return try whenLoaded("set", context) { [isGiven = given != nil] plugin in
      let isIgnored = isGiven && asOf.map(plugin.isOlder) ?? false
      if isGiven && !isIgnored { plugin.take(plan, asOf: asOf) }
      // What was being read has come, even if it is ignored.
      plugin.state.isRefreshing = refreshing ?? false
      plugin.publish(StateFeed.Transition(cause: "set", requestID: context.requestID))
      return .now(plugin.result(isIgnored: isIgnored))
    }
  }

  private func plan(_ view: JSONView) throws(RPCError) -> PlanUsage? {
    if view.isNull { return nil }
    do throws(SchemaViolation) { return try PlanUsage(validated: view, path: "plan") } catch {
      throw .invalidParams(error.text, path: error.path)
    }
  }

  /// `plan.dismiss`: clears a message that would stay, and lets the attempt behind it go.
  func dismiss(_ action: PlanAction, _ context: CallContext) -> JSONText {
    if run(of: action) == nil {
      giveUp(action)
      giveUpPending(action)
    }
    state.dismiss(action)
    publish(StateFeed.Transition(cause: "dismiss", requestID: context.requestID))
    return result()
  }

  private func result(isIgnored: Bool = false) -> JSONText {
    JSONText { writer in
      writer.object { result in
        result.member("revision", revision)
        if isIgnored { result.member("ignored", true) }
      }
    }
  }
}
