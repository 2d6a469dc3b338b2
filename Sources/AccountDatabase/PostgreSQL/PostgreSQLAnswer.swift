import RPCShell

/// What the helper answered.
struct PostgreSQLAnswer: Sendable {
  var version = 0
  var results: [PostgreSQLConnection.Result] = []
  var refusal: PostgreSQLRefusal?

  init(_ view: JSONView) {
    version = view["connected"]?["version"]?.integer ?? 0
    results = (view["results"]?.elements ?? []).map { result in
      PostgreSQLConnection.Result(
        tag: result["tag"]?.string ?? "",
        rows: (result["rows"]?.elements ?? []).map { $0.elements.map { SQLValue(postgreSQL: $0) } })
    }
    if let error = view["error"] {
      refusal = PostgreSQLRefusal(
        error["isLost"]?.bool == true ? .lost : .statement, error["message"]?.string ?? "",
        state: error["state"]?.string)
    }
  }
}

/// What a server, or the way to it, refuses.
struct PostgreSQLRefusal: Error, Equatable {
  enum Kind {
    /// There is no program to ask with.
    case noHelper
    /// That program cannot be started just now: there are too many processes or files open, or too little memory.
    case shortage
    /// There is no connection, or none any more.
    case lost
    /// It does not answer, and its connection was given up: the next would not either.
    case silent
    /// A statement cannot be carried out.
    case statement
  }

  var kind: Kind
  /// What it says, without secrets.
  var message: String
  /// SQLSTATE, where the server gave one.
  var state: String?

  init(_ kind: Kind, _ message: String, state: String? = nil) {
    self.kind = kind
    self.message = message
    self.state = state
  }

  /// Whether there is no connection any more.
  var isLost: Bool { kind == .lost || kind == .silent }

  /// Without what libpq says about a URL that may show a part of a password.
  var withoutURL: PostgreSQLRefusal {
    guard kind == .lost || kind == .statement else { return self }
    let message = "its URL can be read in several ways: in a password, @ is written %40, / is %2F, ? is %3F, & is %26"
    return PostgreSQLRefusal(kind, message, state: state)
  }
}

// MARK: Values

extension SQLValue {
  func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .integer(let number): writer.integer(number)
    case .real(let number): writer.string("\(number)")
    case .text(let text): writer.string(text.withoutNUL)
    }
  }

  init(postgreSQL view: JSONView) {
    switch view.kind {
    case .integer: self = .integer(view.integer ?? 0)
    case .real: self = .real(view.number ?? 0)
    case .null: self = .null
    default: self = .text((view.string ?? "").withNUL)
    }
  }
}

/// PostgreSQL keeps every letter but U+0000. It is kept as U+10FFFF and `0`, and that as itself and `1`.
extension String {
  fileprivate var withoutNUL: String {
    guard unicodeScalars.contains(where: { $0 == "\u{0}" || $0 == "\u{10FFFF}" }) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\u{0}": text += "\u{10FFFF}0"
      case "\u{10FFFF}": text += "\u{10FFFF}1"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  fileprivate var withNUL: String {
    guard unicodeScalars.contains("\u{10FFFF}") else { return self }
    var text = ""
    var isMark = false
    for scalar in unicodeScalars {
      switch scalar {
      case "\u{10FFFF}": isMark = true
      case "0" where isMark: (text, isMark) = (text + "\u{0}", false)
      case "1" where isMark: (text, isMark) = (text + "\u{10FFFF}", false)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
