import Glibc

/// A folder that is there, with what is in it, as long as this value.
final class TemporaryFolder: Sendable {
  let path: String
  /// Of the folder itself.
  let descriptor: Int32

  /// Where many files are made and removed faster than on a disk, if there is such a place.
  static let memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

  /// - Parameter parent: where it is made.
  init(in parent: String = "/tmp") throws {
    var template = Array((parent + "/rpctests-" + String(repeating: "X", count: 6)).utf8CString)
    guard mkdtemp(&template) != nil else { throw Spawn.Failure(description: "no temporary folder: \(errno)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Also others than the one who made it are to read it.
    guard descriptor >= 0, fchmod(descriptor, 0o755) == 0 else {
      throw Spawn.Failure(description: "no temporary folder: \(errno)")
    }
  }

  deinit {
    close(descriptor)
    _ = try? Spawn("/bin/rm", ["-rf", "--", path], standard: [nil, nil, nil]).run()
  }

  // MARK: Making

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

  /// Makes folders for paths that end with `/`, files of 5,000 bytes for the others; what is missing on the way is made.
  func make(_ paths: String...) {
    for path in paths { if path.hasSuffix("/") { makeFolder(path) } else { write(path) } }
  }

  /// Writes a file of so many bytes, in a folder that is made where it is missing.
  @discardableResult
  func write(_ name: String, bytes: Int = 5_000) -> String {
    write(name, Array(repeating: UInt8(ascii: "x"), count: bytes))
  }

  @discardableResult
  func write(_ name: String, _ content: String) -> String { write(name, Array(content.utf8)) }

  @discardableResult
  func write(_ name: String, _ content: [UInt8]) -> String {
    if let slash = name.lastIndex(of: "/") { makeFolder(String(name[..<slash])) }
    write(Array(name.utf8), content)
    return at(name)
  }

  /// - Parameter name: need not be UTF-8.
  func write(_ name: [UInt8], _ content: [UInt8]) {
    let file = openat(
      descriptor, name.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    check(file, String(decoding: name, as: UTF8.self))
    writeAll(content, to: file)
    close(file)
  }

  /// A file that is as long as that and takes no room.
  func sparseFile(_ name: String, size: Int) {
    write(name, bytes: 0)
    check(truncate(at(name), size), name)
  }

  func link(_ name: String, to target: String) { check(symlinkat(target, descriptor, name), name) }

  func hardLink(_ name: String, to target: String) { check(linkat(descriptor, target, descriptor, name, 0), name) }

  func fifo(_ name: String) { check(mkfifoat(descriptor, name, 0o644), name) }

  func permissions(_ name: String, _ mode: mode_t) { check(fchmodat(descriptor, name, mode, 0), name) }

  /// What cannot be made ends the test run.
  private func check(_ result: Int32, _ name: String) {
    precondition(result >= 0, "cannot make \(name): \(String(cString: strerror(errno)))")
  }

  // MARK: Looking

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
