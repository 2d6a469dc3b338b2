import AccountModel
public import RPCShell

extension Configuration {
  /// What a file must look like, but for what ``init(checking:paths:isKnownTimeZone:)`` checks beside it.
  static var schema: Schema {
    .object([
      .optional("locale", .string), .optional("timeZone", .string),
      .optional("store", .string), .optional("accountId", accountIDSchema),
      .optional(
        "handlers",
        .object([
          // What is in them depends on the adapter: ``readHandlers(_:_:)``.
          .optional("onUpgrade", .any), .optional("onManage", .any), .optional("onRestore", .any),
          .optional("onClearCache", .any), .optional("onRemove", .any),
        ])),
      .optional(
        "account",
        .object([
          .optional("plan", PlanUsage.schema),
          .optional("catalogue", .checked(.array(PlanUsage.schema), expected: "at least one plan") { $0.count > 0 }),
          .optional("manageURL", url),
        ])),
      .optional("storage", storageSchema), .optional("plugins", pluginsSchema),
      .optional(
        "holds", .object([.optional("upgrade", hold), .optional("restore", hold), .optional("clearCache", hold)])),
    ])
  }

  private static var hold: Schema { .number(0...3600) }

  private static var url: Schema {
    .checked(.string, expected: "a URL like 'https://billing.example/me'") { isURL($0.string!) }
  }

  /// Whether a text begins with a scheme and has no blanks or controls (RFC 3986, section 3).
  private static func isURL(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, let first = parts[0].first, isLetter(first) else { return false }
    return parts[0].allSatisfy { isLetter($0) || "0123456789+-.".utf8.contains($0) }
      && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }

  // MARK: Reading

  /// Reads a configuration; members whose name starts with `//` are comments.
  ///
  /// - Parameters:
  ///   - paths: how paths are read.
  ///   - isKnownTimeZone: asked where a time zone is given.
  /// - Throws: the first thing that is wrong: `handlers.onUpgarde: unknown member; did you mean 'onUpgrade'?`
  public init(
    checking view: JSONView, paths: ConfiguredPath, isKnownTimeZone: (String) -> Bool
  ) throws(SchemaViolation) {
    try Self.schema.validate(view, unknown: .refusedButComments)
    self.init()
    locale = view["locale"]?.string
    if let locale, !LocaleIdentifier.isWellFormed(locale) {
      throw SchemaViolation(path: "locale", reason: LocaleIdentifier.refusal(of: locale))
    }
    timeZone = view["timeZone"]?.string
    if let timeZone, !isKnownTimeZone(timeZone) {
      throw SchemaViolation(path: "timeZone", reason: TimeZoneIdentifier.refusal(of: timeZone))
    }
    if let store = view["store"]?.string { self.store = try Store(store, paths) }
    accountID = view["accountId"]?.string
    try readPlugins(view["plugins"], paths)
    try readHandlers(view["handlers"], paths)
    if let account = view["account"], !account.isNull { self.account = try Account(validated: account) }
    if let storage = view["storage"], !storage.isNull { self.storage = try Storage(validated: storage, paths) }
    holds.upgrade = view["holds"]?["upgrade"]?.number
    holds.restore = view["holds"]?["restore"]?.number
    holds.clearCache = view["holds"]?["clearCache"]?.number
  }
}

extension Configuration.Account {
  fileprivate init(validated view: JSONView) throws(SchemaViolation) {
    if let plan = view["plan"], !plan.isNull { self.plan = try PlanUsage(validated: plan, path: "account.plan") }
    if let catalogue = view["catalogue"], !catalogue.isNull { self.catalogue = try Self.catalogue(catalogue) }
    manageURL = view["manageURL"]?.string
  }

  /// A plan is looked up by its name, so no two may have the same.
  private static func catalogue(_ view: JSONView) throws(SchemaViolation) -> [PlanUsage] {
    var plans: [PlanUsage] = []
    var names: Set<ExactText> = []
    for (index, element) in view.elements.enumerated() {
      let path = "account.catalogue[\(index)]"
      let plan = try PlanUsage(validated: element, path: path)
      guard names.insert(ExactText(plan.name)).inserted else {
        throw SchemaViolation(
          path: path + ".name", reason: "expected a name that no other plan has, got '\(plan.name.shortened)' again")
      }
      plans.append(plan)
    }
    return plans
  }
}
