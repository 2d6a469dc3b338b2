/// A method of a plugin: what it is called, what it takes and gives, and how it runs.
public struct Route: Sendable {
  /// What a call of it may do.
  public enum Kind: Sendable {
    /// Answers from what is known: as a notification it would have no effect.
    case query
    /// Changes the plugin's state at once.
    case change
    /// Runs a handler and may take its time.
    case action
  }

  /// How a call runs. Parameters are checked against ``params`` before.
  enum Body: Sendable {
    /// On the spot.
    case immediate(@Sendable (JSONView, CallContext) throws(RPCError) -> JSONText)
    /// Begins on the spot; what that returns then runs in a task of its own on the same thread.
    case action(@Sendable (JSONView, CallContext) throws(RPCError) -> ActionWork)
    /// On the spot where the answer is known, else as an action.
    case eventual(@Sendable (JSONView, CallContext) throws(RPCError) -> Reply)
  }

  /// An answer, or the work that it takes to come to one.
  public enum Reply: Sendable {
    case now(JSONText)
    case later(ActionWork)

    /// Does the work, if there is any.
    public func get() async throws(RPCError) -> JSONText {
      switch self {
      case .now(let text): text
      case .later(let work): try await work()
      }
    }
  }

  /// What is left of an action once it has begun. Its return is the request's one answer.
  public typealias ActionWork = @Sendable () async throws(RPCError) -> JSONText

  /// `plan.upgrade`
  public let name: String
  /// One line for `rpc.discover`.
  public let summary: String
  /// What a call of it may do.
  public let kind: Kind
  /// The members of `params`. A closure, because it is needed only when somebody sends some.
  let params: @Sendable () -> [Schema.Property]
  /// What comes back.
  let result: @Sendable () -> Schema
  /// Names for parameters that come by position; empty where they must come by name.
  let positional: [String]
  let body: Body

  /// A method that is answered on the spot by a plugin.
  public static func immediate<P: Plugin>(
    _ kind: Kind, _ plugin: P, _ name: String, _ summary: String,
    params: @escaping @Sendable () -> [Schema.Property] = { [] },
    result: @escaping @Sendable () -> Schema,
    positional: [String] = [],
    _ answer: @escaping @Sendable (isolated P, JSONView, CallContext) throws(RPCError) -> JSONText
  ) -> Route {
    Route(
      name: name, summary: summary, kind: kind, params: params, result: result, positional: positional,
      body: .immediate { (params, context) throws(RPCError) in
        try plugin.answer(params, context, with: answer)
      })
  }

  /// A method that is answered on the spot by a plugin, unless the answer takes its time.
  public static func eventual<P: Plugin>(
    _ kind: Kind, _ plugin: P, _ name: String, _ summary: String,
    params: @escaping @Sendable () -> [Schema.Property] = { [] },
    result: @escaping @Sendable () -> Schema,
    _ begin: @escaping @Sendable (isolated P, JSONView, CallContext) throws(RPCError) -> Reply
  ) -> Route {
    Route(
      name: name, summary: summary, kind: kind, params: params, result: result, positional: [],
      body: .eventual { (params, context) throws(RPCError) in try plugin.answer(params, context, with: begin) })
  }

  /// A method that takes its time: `begin` runs before the next message is looked at, so actions begin in the order of
  /// their requests; it refuses, or changes the state and returns the rest of the work.
  public static func action<P: Plugin>(
    _ plugin: P, _ name: String, _ summary: String,
    params: @escaping @Sendable () -> [Schema.Property] = { [] },
    result: @escaping @Sendable () -> Schema,
    positional: [String] = [],
    _ begin: @escaping @Sendable (isolated P, JSONView, CallContext) throws(RPCError) -> ActionWork
  ) -> Route {
    Route(
      name: name, summary: summary, kind: .action, params: params, result: result, positional: positional,
      body: .action { (params, context) throws(RPCError) in try plugin.answer(params, context, with: begin) })
  }
}

extension Actor {
  /// Answers a call on this actor from the thread that owns its executor, without a hop.
  fileprivate nonisolated func answer<Answer: Sendable>(
    _ params: JSONView, _ context: CallContext,
    with body: @Sendable (isolated Self, JSONView, CallContext) throws(RPCError) -> Answer
  ) throws(RPCError) -> Answer {
    // The view is used now and on this thread, so nothing is sent anywhere; the checker cannot know that.
    nonisolated(unsafe) let params = params
    let outcome: Result<Answer, RPCError> = assumeIsolated { actor in
      do throws(RPCError) { return .success(try body(actor, params, context)) } catch { return .failure(error) }
    }
    return try outcome.get()
  }
}
