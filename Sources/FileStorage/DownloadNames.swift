import RPCShell

/// Gives downloads ids and titles: names of files are bytes, and what goes over the wire is text.
struct DownloadNames {
  private var taken: Set<ExactText> = []

  /// An id that no other download of this measure has, and that the same file gets the next time.
  ///
  /// - Parameters:
  ///   - given: what the manifest says.
  ///   - root: the folder that it is in where there are several; nil where there is one.
  mutating func id(_ given: String?, _ name: [UInt8], in root: String?) -> String {
    if let given, taken.insert(ExactText(given)).inserted { return given }
    let path = (root.map { Array($0.utf8) + [UInt8(ascii: "/")] } ?? []) + name
    // A name has no slash, so that "./name" is the id of no other file; a manifest may still have given it.
    var id = Self.text(of: path)
    while !taken.insert(ExactText(id)).inserted { id = "./" + id }
    return id
  }

  /// The name as it is where it can be sent, else its bytes in base64.
  private static func text(of path: [UInt8]) -> String {
    if let text = String(validating: path, as: UTF8.self), !text.isEmpty, text.withoutControls.utf8.count == path.count
    {
      return text
    }
    return "base64:" + Base64.text(of: path)
  }

  /// For people: on one line, and with U+FFFD for bytes that are no UTF-8.
  static func title(of name: [UInt8]) -> String {
    let line = String(decoding: name, as: UTF8.self).plainLine
    return line.isEmpty ? "?" : line
  }
}
