/// Parameters of a call, parsed and checked.
struct CheckedParams {
  var view: JSONView
  /// The text of `workDoneToken`; 0 and "" are tokens like any other.
  var progressToken: JSONText?
}

extension Session {
  /// Members that every method accepts beside its own.
  static let universalMembers = ["workDoneToken", "partialResultToken", "_meta"]

  /// Reads the parameters of a call and checks them against what the method takes.
  func readParams(of route: Route, _ message: Message) throws(RPCError) -> CheckedParams {
    try readParams(
      message, properties: route.params(), positional: route.positional, unknown: .refused)
  }

  func readParams(
    _ message: Message, properties: [Schema.Property], positional: [String] = [], unknown: Schema.UnknownMembers
  ) throws(RPCError) -> CheckedParams {
    guard let text = message.params, !isEmptyParams(text) else {
      try check(Self.emptyParams, properties, unknown)
      return CheckedParams(view: Self.emptyParams, progressToken: nil)
    }
    switch text[0] {
    case UInt8(ascii: "{"):
      let view = try parse(text)
      try check(view, properties, unknown)
      return CheckedParams(view: view, progressToken: try progressToken(view))
    case UInt8(ascii: "[") where !positional.isEmpty:
      let view = try named(try parse(text), positional)
      try check(view, properties, unknown)
      return CheckedParams(view: view, progressToken: nil)
    case UInt8(ascii: "["):
      throw .byPosition
    default: throw .noObject
    }
  }

  private static var emptyParams: JSONView {
    guard let document = try? JSONDocument(parsing: .emptyObject) else { preconditionFailure("{} is JSON") }
    return document.view
  }

  private func check(
    _ view: JSONView, _ properties: [Schema.Property], _ unknown: Schema.UnknownMembers
  ) throws(RPCError) {
    do throws(SchemaViolation) {
      try Schema.object(properties).validate(view, unknown: unknown, universal: Self.universalMembers)
    } catch { throw .invalidParams(error.text, path: error.path) }
  }

  private func parse(_ text: UnsafeRawBufferPointer) throws(RPCError) -> JSONView {
    do throws(JSONParseFailure) { return try JSONDocument(parsing: text).view } catch {
      throw .invalidParams("params cannot be read: \(error.reason)")
    }
  }

  /// Gives parameters by position their names.
  private func named(_ array: JSONView, _ names: [String]) throws(RPCError) -> JSONView {
    guard array.count <= names.count else {
      throw .invalidParams("expected at most \(names.count) parameters, got \(array.count)")
    }
    let object = JSONText { writer in
      writer.object { members in
        for (name, value) in zip(names, array.elements) {
          members.key(name)
          members.text(value.text)
        }
      }
    }
    do throws(JSONParseFailure) { return try JSONDocument(parsing: object).view } catch {
      throw .invalidParams("params cannot be read: \(error.reason)")
    }
  }

  private func progressToken(_ view: JSONView) throws(RPCError) -> JSONText? {
    for member in ProgressToken.allCases {
      if let token = view.member(named: member.rawValue), !token.isNull { try member.check(token.text) }
    }
    return view["workDoneToken"].flatMap { $0.isNull ? nil : $0.text }
  }
}
