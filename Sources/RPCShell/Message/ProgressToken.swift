/// The members of params under which a caller wants reports (LSP 3.17): strings or integers of a bounded length.
package enum ProgressToken: String, CaseIterable {
  case workDone = "workDoneToken"
  case partialResult = "partialResultToken"

  /// - Parameter name: of a member, without its quotes.
  package init?(name: UnsafeRawBufferPointer) {
    guard let member = Self.allCases.first(where: { name.elementsEqual($0.rawValue.utf8) }) else { return nil }
    self = member
  }

  /// Refuses what is no token.
  /// - Parameter text: a JSON value that is not null.
  package func check(_ text: JSONText) throws(RPCError) {
    guard isStringOrInteger(text.bytes) else {
      throw .invalidParams("\(rawValue): expected a string or an integer", path: rawValue)
    }
    guard text.bytes.count <= Message.idLimit else {
      throw .invalidParams("\(rawValue): expected up to \(Message.idLimit) bytes", path: rawValue)
    }
  }

  private func isStringOrInteger(_ text: [UInt8]) -> Bool {
    guard let first = text.first else { return false }
    return first == UInt8(ascii: "\"") || text.allSatisfy { isDigit($0) || $0 == UInt8(ascii: "-") }
  }
}
