import AccountModel
public import RPCShell

extension PlanPlugin {
  /// The methods `plan.*`, in the order of docs/PROTOCOL.md.
  public nonisolated func routes() -> [Route] {
    [
      getRoute, setRoute, upgradeRoute, previewUpgradeRoute, manageRoute, restoreRoute, dismissRoute, historyRoute,
    ]
  }

  private nonisolated var getRoute: Route {
    .eventual(
      .query, self, "plan.get", "The plan and everything shown about it",
      result: { .object([Self.revision, .required("state", .any)]) }
    ) { (plugin, _, context) throws(RPCError) in
      try plugin.whenLoaded("get", context) { (plugin) throws(RPCError) in .now(try plugin.get()) }
    }
  }

  private nonisolated var setRoute: Route {
    .eventual(
      .change, self, "plan.set", "Hands over the plan as the host knows it",
      params: {
        [
          .optional("plan", .nullable(PlanUsage.schema), "null while nothing is known"),
          .optional("asOf", DateValue.schema, "when it was read: older than what is known, it is ignored"),
          .optional("refreshing", .boolean, "a newer plan is being read"),
        ]
      },
      result: { .object([Self.revision, .optional("ignored", .boolean, "it was older than what is known")]) }
    ) { (plugin, params, context) throws(RPCError) in try plugin.set(params, context) }
  }

  private nonisolated var upgradeRoute: Route {
    .eventual(
      .action, self, "plan.upgrade", "Goes up to the plan that is offered",
      params: {
        [.optional("idempotencyKey", Intent.keySchema, "the same key is the same intent")]
      },
      result: { .object([.required("outcome", .choice(["completed", "cancelled", "pending"])), Self.revision]) }
    ) { (plugin, params, context) throws(RPCError) in
      let key = params["idempotencyKey"]?.string
      return try plugin.whenLoaded("upgrade", context) { (plugin) throws(RPCError) in
        try plugin.begin(.upgrade, key: key, context)
      }
    }
  }

  private nonisolated var previewUpgradeRoute: Route {
    .eventual(
      .query, self, "plan.previewUpgrade", "What going up would cost", result: { UpgradePreviewText.schema }
    ) { (plugin, _, context) throws(RPCError) in
      try plugin.whenLoaded("upgrade", context) { (plugin) throws(RPCError) in
        .later(try plugin.previewUpgrade(context))
      }
    }
  }

  private nonisolated var manageRoute: Route {
    .eventual(
      .action, self, "plan.manage", "Opens the page where the subscription is managed",
      result: {
        .object([
          .required("outcome", .choice(["presented", "completed", "cancelled", "pending"])),
          .optional("url", .string, "the page, where the host is to open it"),
        ])
      }
    ) { (plugin, _, context) throws(RPCError) in
      try plugin.whenLoaded("manage", context) { (plugin) throws(RPCError) in try plugin.begin(.manage, context) }
    }
  }

  private nonisolated var restoreRoute: Route {
    .eventual(
      .action, self, "plan.restore", "Looks for purchases that were made before",
      result: {
        .object([
          .required("outcome", .choice(["completed", "cancelled", "pending"])),
          .optional("restored", .integer(0...(.max)), "how many, where the handler counts"),
        ])
      }
    ) { (plugin, _, context) throws(RPCError) in
      try plugin.whenLoaded("restore", context) { (plugin) throws(RPCError) in try plugin.begin(.restore, context) }
    }
  }

  private nonisolated var dismissRoute: Route {
    .eventual(
      .change, self, "plan.dismiss", "Clears the message of an attempt that failed or waits for approval",
      params: { [.required("action", .choice(["upgrade", "restore"]))] },
      result: { .object([Self.revision]) }
    ) { (plugin, params, context) throws(RPCError) in
      let action = PlanAction(rawValue: params["action"]!.string!)!
      return try plugin.whenLoaded("dismiss", context) { plugin in .now(plugin.dismiss(action, context)) }
    }
  }

  private nonisolated var historyRoute: Route {
    .eventual(
      .query, self, "plan.history", "What was done to the account, the newest first",
      params: { [.optional("limit", .integer(1...10_000), "entries at most; 100 by default")] },
      result: {
        .object([
          .required(
            "entries",
            .array(
              .object([
                .required("time", .string), .required("action", .string), .required("idempotencyKey", .string),
                .required(
                  "outcome", .choice(IntentOutcome.Name.allCases.map(\.rawValue) + ["interrupted", "running"])),
              ])))
        ])
      }
    ) { (plugin, params, context) throws(RPCError) in
      let limit = params["limit"]?.integer ?? 100
      return try plugin.whenLoaded("history", context) { (plugin) throws(RPCError) in
        try plugin.history(limit: limit)
      }
    }
  }

  private static var revision: Schema.Property { .required("revision", .integer(0...(.max))) }
}
