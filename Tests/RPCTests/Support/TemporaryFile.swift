import Glibc

/// A file that is there as long as this value.
struct TemporaryFile: ~Copyable {
  let path: String

  init(_ content: String = "") throws {
    var template = Array(("/tmp/rpctests-" + String(repeating: "X", count: 6)).utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw Spawn.Failure(description: "no temporary file: \(errno)") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    writeAll(Array(content.utf8), to: descriptor)
    close(descriptor)
  }

  var content: String { Self.read(path) }

  static func read(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    return String(decoding: readAll(descriptor), as: UTF8.self)
  }

  deinit { unlink(path) }
}
