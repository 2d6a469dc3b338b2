import Glibc

/// A folder that is there, with what is in it, as long as this value.
final class TemporaryFolder: Sendable {
  let path: String

  /// - Parameter parent: where it is made; `/dev/shm` is in memory.
  init(in parent: String = "/tmp") throws {
    var template = Array((parent + "/rpctests-" + String(repeating: "X", count: 6)).utf8CString)
    guard mkdtemp(&template) != nil else { throw Spawn.Failure(description: "no temporary folder: \(errno)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  /// The path of something in it.
  func at(_ name: String) -> String { path + "/" + name }

  /// Makes a folder, and those that it is in.
  @discardableResult
  func makeFolder(_ name: String) -> String {
    var made = path
    for part in name.split(separator: "/") {
      made += "/" + part
      mkdir(made, 0o755)
    }
    return at(name)
  }

  /// Writes a file of so many bytes, in a folder that is made where it is missing.
  @discardableResult
  func write(_ name: String, bytes: Int) -> String {
    write(name, Array(repeating: UInt8(ascii: "x"), count: bytes))
  }

  @discardableResult
  func write(_ name: String, _ content: String) -> String { write(name, Array(content.utf8)) }

  @discardableResult
  func write(_ name: String, _ content: [UInt8]) -> String {
    if let slash = name.lastIndex(of: "/") { makeFolder(String(name[..<slash])) }
    let descriptor = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    writeAll(content, to: descriptor)
    close(descriptor)
    return at(name)
  }

  /// What is in a folder of it, sorted.
  func list(_ name: String = "") -> [String] {
    var names: [String] = []
    guard let folder = opendir(at(name)) else { return [] }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let text = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if text != "." && text != ".." { names.append(text) }
    }
    return names.sorted()
  }

  /// Whether something is there, links not followed.
  func has(_ name: String) -> Bool {
    var status = stat()
    return lstat(at(name), &status) == 0
  }

  private static func remove(_ path: String) {
    _ = try? Spawn("/bin/rm", ["-rf", "--", path], standard: [nil, nil, nil]).run()
  }
}

extension Spawn {
  /// Runs the program to its end.
  /// - Returns: its status as wait(2) gives it.
  @discardableResult
  func run() throws -> Int32 {
    let process = try start()
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status
  }
}
