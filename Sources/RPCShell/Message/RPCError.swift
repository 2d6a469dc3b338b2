/// The error object of an answer (JSON-RPC 2.0, section 5.1): code, text for the person at the host, data for the host.
public struct RPCError: Error, Equatable, Sendable {
  /// JSON-RPC's and LSP's codes, and those of actions: docs/PROTOCOL.md, "Requests and notifications".
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// As it stands in `code`.
    public let rawValue: Int

    /// A code that is none of those below: a handler's own.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// What came is not JSON (JSON-RPC 2.0, section 5.1, as the next four).
    public static let parseError = Code(rawValue: -32700)
    /// JSON, but no request, or one that cannot be served now.
    public static let invalidRequest = Code(rawValue: -32600)
    /// No such method; the message names the nearest one.
    public static let methodNotFound = Code(rawValue: -32601)
    /// `data.path` names the member that is wrong.
    public static let invalidParams = Code(rawValue: -32602)
    /// A fault of the shell.
    public static let internalError = Code(rawValue: -32603)
    /// Stopped by `$/cancelRequest` (LSP 3.17, ErrorCodes).
    public static let requestCancelled = Code(rawValue: -32800)

    /// An action failed; the message is for the person.
    public static let actionFailed = Code(rawValue: 100)
    /// The same action, or one that excludes it, is running (`data.running`).
    public static let busy = Code(rawValue: 101)
    /// Nothing is known yet.
    public static let notReady = Code(rawValue: 102)
    /// There is nothing to do, or nobody who could do it.
    public static let notAvailable = Code(rawValue: 103)
    /// What the parameters name is not there.
    public static let notFound = Code(rawValue: 104)
    /// The time limit, or the end of the session, stopped it.
    public static let timedOut = Code(rawValue: 105)
    /// Who was to do it went away.
    public static let handlerGone = Code(rawValue: 106)
    /// An idempotency key came back with other parameters.
    public static let conflict = Code(rawValue: 107)
    /// Too much is unfinished; nothing was started.
    public static let overloaded = Code(rawValue: 108)
    /// The store could not be read or written.
    public static let store = Code(rawValue: 109)
  }

  /// What kind of error.
  public var code: Code
  /// One sentence for a person.
  public var message: String
  /// Members of the `data` object in their order; none leaves `data` out.
  public var data: [Member]
  /// The whole error object where somebody else wrote it: passed on byte for byte.
  private var verbatim: JSONText?

  /// One member of `data`.
  public struct Member: Equatable, Sendable {
    /// The member's name.
    public var name: String
    /// Its value.
    public var value: JSONText

    public init(_ name: String, _ value: JSONText) {
      self.name = name
      self.value = value
    }
  }

  public init(_ code: Code, _ message: String, data: [Member] = []) {
    self.code = code
    self.message = message
    self.data = data
  }

  /// An error object that somebody else wrote; one that has no code of JSON-RPC's kind is an internal error.
  package init(verbatim text: JSONText) {
    let view = try? JSONDocument(parsing: text).view
    let code = view?["code"].flatMap { $0.integer ?? $0.number.flatMap { Int(exactly: $0) } }
    self.init(code.map { Code(rawValue: $0) } ?? .internalError, view?["message"]?.string ?? "")
    verbatim = text
  }

  /// Too much is unfinished; nothing was started.
  package static func overloaded(_ why: String) -> RPCError { RPCError(.overloaded, why + "; nothing was started") }

  /// Parameters in an array, where they go by name.
  static let byPosition = invalidParams("params must be an object: parameters go by name, not by position")

  /// Parameters that are neither in an object nor in an array.
  static let noObject = invalidParams("params must be an object")

  /// Bad parameters, with the path of the member that is wrong.
  public static func invalidParams(_ message: String, path: String? = nil) -> RPCError {
    RPCError(.invalidParams, message, data: path.map { [Member("path", .string($0))] } ?? [])
  }
}

extension RPCError {
  /// The error object as it goes out.
  public func write(to writer: inout JSONWriter) {
    if let verbatim { return writer.text(verbatim) }
    writer.object { error in
      error.member("code", code.rawValue)
      error.member("message", message)
      guard !data.isEmpty else { return }
      error.key("data")
      error.object { members in
        for member in data {
          members.key(member.name)
          members.text(member.value)
        }
      }
    }
  }
}
