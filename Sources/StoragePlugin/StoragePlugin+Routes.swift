import AccountModel
public import RPCShell

extension StoragePlugin {
  /// The methods `storage.*`, in the order of docs/PROTOCOL.md.
  public nonisolated func routes() -> [Route] {
    [
      getRoute, setRoute, measureRoute, clearCacheRoute, removeRoute, setOptionsRoute, setEditingRoute, dismissRoute,
    ]
  }

  private nonisolated var getRoute: Route {
    .eventual(
      .query, self, "storage.get", "What takes room, and everything shown about it",
      result: { .object([Self.revision, .required("state", .any)]) }
    ) { (plugin, _, context) throws(RPCError) in plugin.get(context) }
  }

  private nonisolated var setRoute: Route {
    .immediate(
      .change, self, "storage.set", "Hands over what takes room as the host knows it",
      params: {
        [
          .optional("usage", .nullable(StorageUsage.schema), "null while nothing is known"),
          .optional("refreshing", .boolean, "newer figures are being read"),
        ]
      },
      result: { .object([Self.revision]) }
    ) { (plugin, params, context) throws(RPCError) in try plugin.set(params, context) }
  }

  private nonisolated var measureRoute: Route {
    .action(
      self, "storage.measure", "Measures the configured folders", result: { .object([Self.revision]) }
    ) { (plugin, _, context) throws(RPCError) in try plugin.measureNow(context) }
  }

  private nonisolated var clearCacheRoute: Route {
    .eventual(
      .action, self, "storage.clearCache", "Clears the cache; unless that is confirmed, says what would go",
      params: {
        [
          .optional("confirmed", .checked(.boolean, expected: "true") { $0.bool == true }, "whatever its size"),
          .optional("token", .nonEmptyString, "of the confirmation"),
          .optional("dryRun", .boolean, "lists what would go, and touches nothing"),
        ]
      },
      result: {
        .object(
          [
            .required(
              "outcome", .choice(["needsConfirmation", "dryRun", "completed", "presented", "cancelled", "pending"])),
            .optional("clearedBytes", .integer(0...(.max))),
            .optional(
              "confirmation",
              .object([
                .required("title", .string), .required("destructive", .string), .required("cancel", .string),
                .required("bytes", .integer(0...(.max))), .required("token", .string),
              ])),
          ] + Self.preview)
      }
    ) { (plugin, params, context) throws(RPCError) in try plugin.clearCache(params, context) }
  }

  private nonisolated var removeRoute: Route {
    .action(
      self, "storage.remove", "Removes a download",
      params: {
        [
          .required("id", .nonEmptyString),
          .optional("dryRun", .boolean, "lists what would go, and touches nothing"),
        ]
      },
      result: {
        .object(
          [.required("outcome", .choice(["dryRun", "completed", "presented", "cancelled", "pending"]))] + Self.preview)
      }
    ) { (plugin, params, context) throws(RPCError) in try plugin.remove(params, context) }
  }

  private nonisolated var setOptionsRoute: Route {
    .immediate(
      .change, self, "storage.setOptions", "Changes what a person decided about downloads",
      params: { StorageOptions.properties },
      result: {
        .object(StorageOptions.properties.map { .required($0.name, $0.schema) })
      }
    ) { (plugin, params, context) throws(RPCError) in plugin.setOptions(params, context) }
  }

  private nonisolated var setEditingRoute: Route {
    .immediate(
      .change, self, "storage.setEditing", "Puts a remove control in front of each download, or takes it away",
      params: { [.required("editing", .boolean)] }, result: { .object([Self.revision]) }
    ) { (plugin, params, context) throws(RPCError) in plugin.setEditing(params["editing"]!.bool!, context) }
  }

  private nonisolated var dismissRoute: Route {
    .immediate(
      .change, self, "storage.dismiss", "Clears the message of an attempt that failed",
      params: {
        [
          .required("action", .choice(["clearCache", "remove"])),
          .optional("id", .nonEmptyString, "the download's; without it all"),
        ]
      },
      result: { .object([Self.revision]) }
    ) { (plugin, params, context) throws(RPCError) in
      plugin.dismiss(StorageAction(rawValue: params["action"]!.string!)!, params["id"]?.string, context)
    }
  }

  private static var revision: Schema.Property { .required("revision", .integer(0...(.max))) }

  /// What `dryRun` adds to a result.
  private static var preview: [Schema.Property] {
    let bytes = Schema.Property.required("bytes", .integer(0...(.max)))
    return [
      .optional("bytes", .integer(0...(.max)), "that would be free"),
      .optional(
        "entries",
        .array(.object([.required("path", .string), .optional("pathBase64", .string), bytes]))),
      .optional(
        "kept", .array(.object([.required("path", .string), .required("message", .string)])), "what would stay"),
    ]
  }
}
