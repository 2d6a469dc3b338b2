import Glibc
import Testing

/// The release binaries that end-to-end tests run.
enum Binary: String, CaseIterable, Sendable {
  case rpcshell
  case testShell

  private var variable: String { self == .rpcshell ? "RPCSHELL_BINARY" : "TESTSHELL_BINARY" }
  private var name: String { self == .rpcshell ? "rpcshell" : "TestShell" }

  /// Where it is: what the environment says, else where `make build` puts it.
  var path: String {
    get throws {
      let path = getenv(variable).map { String(cString: $0) } ?? Self.root + "/.build/release/" + name
      guard access(path, X_OK) == 0 else { throw Missing(description: "\(path) is not there: run `make build` first") }
      return path
    }
  }

  /// The helper that makes calls over HTTP: the shell looks for it beside itself.
  static var httpHelper: String {
    get throws {
      let path = try rpcshell.path.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/rpcshell-http"
      guard access(path, X_OK) == 0 else { throw Missing(description: "\(path) is not there: run `make build` first") }
      return path
    }
  }

  /// The sanitizer that the binaries were built with, if any.
  static var sanitizer: String? { getenv("RPCSHELL_SANITIZED").map { String(cString: $0) } }

  struct Missing: Error, CustomStringConvertible {
    var description: String
  }

  /// The package's folder: four levels above this file.
  static var root: String { #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() }
}

extension TimeLimitTrait.Duration {
  /// So many minutes, after which a test hangs; with a sanitizer, which makes all slower, five times as many.
  static func usualMinutes(_ minutes: Int) -> Self { .minutes(Binary.sanitizer == nil ? minutes : 5 * minutes) }
}
