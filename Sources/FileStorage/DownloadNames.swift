import RPCShell

/// Gives downloads ids and titles: names of files are bytes, and what goes over the wire is text.
enum DownloadNames {
  /// An id that follows from the file alone: the same each time, whatever is beside it.
  ///
  /// - Parameters:
  ///   - root: the folder that it is in where there are several; nil where there is one.
  ///   - hasManifest: ids may come from there, too: those of files begin with `./` then, which none of those does.
  static func id(_ name: [UInt8], in root: String?, hasManifest: Bool) -> String {
    let path = (root.map { Array($0.utf8) + [UInt8(ascii: "/")] } ?? []) + name
    return (hasManifest ? "./" : "") + text(of: path)
  }

  /// Beginnings that only ids of files have.
  static let reserved = ["./", "base64:"]

  /// The name as it is where it can be sent, else its bytes in base64.
  private static func text(of path: [UInt8]) -> String {
    if let text = String(validating: path, as: UTF8.self), text.withoutControls.utf8.count == path.count,
      !text.hasPrefix("base64:")
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
