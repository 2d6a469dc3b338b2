import Glibc

/// A small file in the state folder, written whole: whoever reads it finds the old or the new content, never a part.
package struct StateFile: Sendable {
  /// Absolute; made with mode 0700 when something is kept.
  package let folder: String
  package let name: String

  package init(folder: String, name: String) {
    self.folder = folder
    self.name = name
  }

  /// Longer files are not ours.
  private static let limit = 64 << 20

  package var path: String { folder + "/" + name }

  /// The content; nil where there is none.
  /// - Throws: why it cannot be read.
  package func read() throws(StateFileFailure) -> JSONDocument? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 && (errno == ENOENT || errno == ENOTDIR) { return nil }
    guard descriptor >= 0 else { throw failure("be read", errno) }
    defer { close(descriptor) }
    let buffer = ByteBuffer(capacity: 1 << 12)
    switch buffer.append(allOf: descriptor, upTo: Self.limit) {
    case .complete: break
    case .failed(let code): throw failure("be read", code)
    case .tooLong: throw StateFileFailure("\(path) is over \(Self.limit >> 20) MiB.")
    }
    do throws(JSONParseFailure) { return try JSONDocument(wholeText: buffer.bytes) } catch {
      throw StateFileFailure("\(path): \(error.text(in: buffer.bytes))")
    }
  }

  /// Replaces the content.
  /// - Throws: why it cannot be written; the old content is still there then.
  package func write(_ text: JSONText) throws(StateFileFailure) {
    guard makeFolders() else { throw failure("be written", errno) }
    var template = Array((path + "." + String(repeating: "X", count: 6)).utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw failure("be written", errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let isWritten = put(text.bytes + [UInt8(ascii: "\n")], descriptor) && fsync(descriptor) == 0
    let code = errno
    close(descriptor)
    guard isWritten, rename(template, path) == 0 else {
      let reason = isWritten ? errno : code
      unlink(template)
      throw failure("be written", reason)
    }
  }

  private func put(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno != EINTR { return false }
      rest = rest.dropFirst(max(0, count))
    }
    return true
  }

  /// Makes the folder and those that it is in.
  /// - Returns: false, with `errno`, where that is not possible.
  package func makeFolders() -> Bool {
    if mkdir(folder, 0o700) == 0 || errno == EEXIST { return true }
    guard errno == ENOENT else { return false }
    var at = folder.utf8.index(after: folder.utf8.startIndex)
    while let slash = folder.utf8[at...].firstIndex(of: UInt8(ascii: "/")) {
      guard mkdir(String(folder[..<slash]), 0o700) == 0 || errno == EEXIST else { return false }
      at = folder.utf8.index(after: slash)
    }
    return mkdir(folder, 0o700) == 0 || errno == EEXIST
  }

  private func failure(_ what: String, _ code: Int32) -> StateFileFailure {
    StateFileFailure("\(path) cannot \(what): \(String(cString: strerror(code)))")
  }
}

/// Why a file of state could not be read or written: one sentence that names it.
package struct StateFileFailure: Error, Equatable, Sendable {
  package let message: String

  package init(_ message: String) { self.message = message }
}
