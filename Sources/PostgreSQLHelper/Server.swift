import CPostgres
import Glibc
import RPCShell

/// A connection to a server. No pointer of libpq leaves this file.
final class Server {
  private let connection: OpaquePointer
  /// How often each statement was asked for; those that come again are prepared, under the name of their number.
  private var uses: [String: (count: Int, number: Int)] = [:]

  private init(_ connection: OpaquePointer) {
    self.connection = connection
    cp_ignore_notices(connection)
  }

  // MARK: Connection

  /// What counts where neither the URL nor the environment says so.
  private static let defaults = [
    ("connect_timeout", "5"), ("tcp_user_timeout", "10000"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
    ("keepalives_count", "3"),
  ]
  private static let fixed = [("client_encoding", "UTF8"), ("fallback_application_name", "rpcshell")]

  static func connect(_ url: String) -> Result<Server, ServerFailure> {
    guard let password = password(in: url) else {
      return .failure(ServerFailure(state: nil, message: "the URL cannot be read", isLost: false))
    }
    let options = defaults + [("dbname", url)] + fixed
    let began = MonotonicTime.now
    let connection = withCStrings(options.map(\.0)) { names in
      withCStrings(options.map(\.1)) { PQconnectdbParams(names, $0, 1) }
    }
    guard let connection else { return .failure(ServerFailure(state: nil, message: "out of memory", isLost: true)) }
    let server = Server(connection)
    guard PQstatus(connection) != CONNECTION_OK else { return .success(server) }
    let message = server.message.replacing(secret: password)
    // libpq says what kind of failure it is only where it is asked before, and only a server has kinds.
    let answered = MonotonicTime.now < began.advanced(by: .seconds(2))
    let state = answered ? server.stateOfRefusal() : nil
    PQfinish(connection)
    return .failure(ServerFailure(state: state, message: message, isLost: true))
  }

  /// - Returns: nil where the URL is none, about which libpq's words would show it.
  private static func password(in url: String) -> String? {
    guard let options = PQconninfoParse(url, nil) else { return nil }
    defer { PQconninfoFree(options) }
    var option = options
    while let name = option.pointee.keyword {
      if strcmp(name, "password") == 0 { return option.pointee.val.map { String(cString: $0) } ?? "" }
      option += 1
    }
    return ""
  }

  /// `FATAL:  28P01: password authentication failed …`
  private func stateOfRefusal() -> String? {
    PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    PQreset(connection)
    let text = Array(message.utf8)
    for at in text.indices where text[at...].starts(with: ":  ".utf8) && text.count > at + 8 {
      let state = text[(at + 3)..<(at + 8)]
      let isState = state.allSatisfy { 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 }
      if isState && text[at + 8] == UInt8(ascii: ":") { return String(decoding: state, as: UTF8.self) }
    }
    return nil
  }

  /// Lets go of everything before it returns, so that whoever looks next finds it free.
  func close() {
    if PQtransactionStatus(connection) == PQTRANS_IDLE {
      PQclear(PQexec(connection, "SELECT pg_advisory_unlock_all()"))
    }
    PQfinish(connection)
  }

  var version: Int { Int(PQserverVersion(connection)) }
  var socket: Int32 { PQsocket(connection) }
  var isLost: Bool { PQstatus(connection) != CONNECTION_OK }

  /// What went wrong last, on one line.
  var message: String { String(cString: PQerrorMessage(connection)).onOneLine }

  // MARK: Statements

  /// A value that is sent, as text; nil is NULL.
  struct Parameter {
    let text: String?

    init(_ view: JSONView) {
      text = view.string ?? (view.isNull ? nil : view.text.description)
    }
  }

  /// Carries out one statement with parameters, or several without.
  func answer(_ statement: String, _ parameters: [Parameter]?) -> Answer {
    let isSent: Bool
    if let parameters {
      if let failure = prepare(statement) { return Answer(failure: failure) }
      isSent = withCStrings(parameters.map(\.text)) { values in
        let use = uses[statement]!
        let count = Int32(parameters.count)
        return use.count == 1
          ? PQsendQueryParams(connection, statement, count, nil, values, nil, nil, 0) == 1
          : PQsendQueryPrepared(connection, "s\(use.number)", count, values, nil, nil, 0) == 1
      }
    } else {
      isSent = PQsendQuery(connection, statement) == 1
    }
    guard isSent else { return Answer(failure: ServerFailure(state: nil, message: message, isLost: isLost)) }
    return results()
  }

  /// Counts a use of a statement. Preparing takes a way to the server and back, so that it is for those that come again.
  private func prepare(_ statement: String) -> ServerFailure? {
    var use = uses[statement] ?? (0, uses.count)
    if use.count == 1 {
      let result = PQprepare(connection, "s\(use.number)", statement, 0, nil)
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_COMMAND_OK else { return failure(result) }
    }
    use.count += 1
    uses[statement] = use
    return nil
  }

  private func results() -> Answer {
    var answer = Answer()
    while let result = PQgetResult(connection) {
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: answer.results.append(Self.read(result))
      default: answer.failure = answer.failure ?? failure(result)
      }
    }
    // A server says why before it goes.
    answer.failure?.isLost = isLost
    return answer
  }

  private func failure(_ result: OpaquePointer?) -> ServerFailure {
    ServerFailure(
      state: cp_state(result).map { String(cString: $0) },
      message: cp_message(result).map { String(cString: $0).onOneLine } ?? message, isLost: isLost)
  }

  private static func read(_ result: OpaquePointer) -> Answer.Result {
    let columns = PQnfields(result)
    let rows = (0..<PQntuples(result)).map { row in
      (0..<columns).map { column -> JSONText in
        guard PQgetisnull(result, row, column) == 0 else { return .null }
        let text = String(cString: PQgetvalue(result, row, column))
        return value(text, type: PQftype(result, column))
      }
    }
    return Answer.Result(tag: String(cString: PQcmdStatus(result)), rows: rows)
  }

  /// Numbers as such, all else as text.
  /// - Parameter type: int8, int2, int4; float4, float8.
  private static func value(_ text: String, type: Oid) -> JSONText {
    switch type {
    case 20, 21, 23: Int(text).map { JSONText(integer: $0) } ?? .string(text)
    // A fraction or an exponent tells it from an integer.
    case 700, 701: Double(text).flatMap { $0.isFinite ? JSONText(trusted: Array("\($0)".utf8)) : nil } ?? .string(text)
    default: .string(text)
    }
  }

  // MARK: Others

  /// What somebody else said.
  struct Notification {
    var channel: String
    var payload: String
  }

  /// What has come, of others than this connection.
  func notifications() -> [Notification] {
    PQconsumeInput(connection)
    var found: [Notification] = []
    while let notification = PQnotifies(connection) {
      defer { PQfreemem(notification) }
      guard notification.pointee.be_pid != PQbackendPID(connection) else { continue }
      found.append(
        Notification(
          channel: String(cString: notification.pointee.relname), payload: String(cString: notification.pointee.extra)))
    }
    return found
  }
}

/// Has texts as C has them, with NULL behind the last.
private func withCStrings<Result>(
  _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
  let copies = texts.map { $0.map { strdup($0)! } }
  defer { for copy in copies { free(copy) } }
  return body(copies.map { UnsafePointer($0) } + [nil])
}

extension String {
  /// Without libpq's questions back.
  fileprivate var onOneLine: String {
    split { $0.isNewline }.map { $0.drop { $0 == "\t" || $0 == " " } }
      .filter { !$0.hasPrefix("Is the server running") }.joined(separator: "; ")
  }

  fileprivate func replacing(secret: String) -> String {
    guard !secret.isEmpty else { return self }
    // By bytes: the text is not the person's, whose letters may be written in more than one way.
    var text = Array(utf8)
    let hidden = Array(secret.utf8)
    var at = 0
    while at + hidden.count <= text.count {
      if text[at...].starts(with: hidden) { text.replaceSubrange(at..<(at + hidden.count), with: "…".utf8) }
      at += 1
    }
    return String(decoding: text, as: UTF8.self)
  }
}
