import RPCShell

/// What comes of a request.
struct Answer {
  /// Of one statement.
  struct Result {
    /// `SELECT 1`, `COMMIT`
    var tag: String
    var rows: [[JSONText]]
  }

  var results: [Result] = []
  var failure: ServerFailure?

  func write(to writer: inout JSONWriter) {
    writer.key("results")
    writer.array { list in for result in results { Self.write(result, to: &list) } }
    if let failure { writer.member("error", failure.jsonText) }
  }

  private static func write(_ result: Result, to list: inout JSONWriter) {
    list.object { object in
      object.member("tag", result.tag)
      object.key("rows")
      object.array { rows in
        for row in result.rows { rows.array { columns in for column in row { columns.text(column) } } }
      }
    }
  }
}

/// What the server or the way to it refuses, without the password.
struct ServerFailure: Error {
  /// SQLSTATE, where the server gave one.
  var state: String?
  var message: String
  /// Whether there is no connection any more.
  var isLost: Bool

  var jsonText: JSONText {
    JSONText { writer in
      writer.object { failure in
        failure.member("state", state)
        failure.member("message", message)
        failure.member("isLost", isLost)
      }
    }
  }
}
