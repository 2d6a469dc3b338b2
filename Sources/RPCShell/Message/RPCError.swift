/// The error object of an answer (JSON-RPC 2.0, section 5.1): code, text for the person at the host, data for the host.
public struct RPCError: Error, Equatable, Sendable {
  /// JSON-RPC's and LSP's codes, and those of actions: docs/PROTOCOL.md, "Requests and notifications".
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let parseError = Code(rawValue: -32700)
    public static let invalidRequest = Code(rawValue: -32600)
    public static let methodNotFound = Code(rawValue: -32601)
    public static let invalidParams = Code(rawValue: -32602)
    public static let internalError = Code(rawValue: -32603)
    public static let requestCancelled = Code(rawValue: -32800)

    public static let actionFailed = Code(rawValue: 100)
    public static let busy = Code(rawValue: 101)
    public static let notReady = Code(rawValue: 102)
    public static let notAvailable = Code(rawValue: 103)
    public static let notFound = Code(rawValue: 104)
    public static let timedOut = Code(rawValue: 105)
    public static let handlerGone = Code(rawValue: 106)
    public static let conflict = Code(rawValue: 107)
    public static let overloaded = Code(rawValue: 108)
    public static let store = Code(rawValue: 109)
  }

  public var code: Code
  public var message: String
  /// Members of the `data` object in their order; none leaves `data` out.
  public var data: [Member]

  /// One member of `data`.
  public struct Member: Equatable, Sendable {
    public var name: String
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

  /// Too much is unfinished; nothing was started.
  static func overloaded(_ why: String) -> RPCError { RPCError(.overloaded, why + "; nothing was started") }

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
