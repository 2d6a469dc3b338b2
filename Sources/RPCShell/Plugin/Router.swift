import Glibc

/// Finds the route that a method's name stands for, among those of all plugins.
struct Router {
  private struct Entry {
    let name: [UInt8]
    let route: Route
  }

  private let entries: [Entry]

  init(plugins: [any Plugin]) {
    entries = plugins.flatMap { $0.routes() }.map { Entry(name: Array($0.name.utf8), route: $0) }
  }

  func find(_ name: UnsafeRawBufferPointer) -> Route? {
    for entry in entries where entry.name.count == name.count {
      if entry.name.withUnsafeBytes({ memcmp($0.baseAddress!, name.baseAddress!, name.count) == 0 }) {
        return entry.route
      }
    }
    return nil
  }

  var routes: [Route] { entries.map { $0.route } }

  /// `unknown method 'plan.upgarde'; did you mean 'plan.upgrade'?`
  func unknownMethod(_ name: String) -> String {
    let known = ShellMethod.allCases.map { $0.rawValue } + entries.map { $0.route.name }
    return "unknown method '\(name)'" + NearestName.hint(for: name, among: known)
  }
}

/// The methods that the session answers itself.
enum ShellMethod: String, CaseIterable {
  case ping = "shell.ping"
  case initialize
  case initialized
  case shutdown
  case exit
  case cancel = "$/cancelRequest"
  case setTrace = "$/setTrace"
  case discover = "rpc.discover"

  /// - Parameter name: the bytes of a method's name.
  @inline(__always)
  init?(_ name: UnsafeRawBufferPointer) {
    let bytes = name.baseAddress!.assumingMemoryBound(to: UInt8.self)
    switch name.count {
    case 10 where equal(bytes, "shell.ping"): self = .ping
    case 10 where equal(bytes, "initialize"): self = .initialize
    case 10 where equal(bytes, "$/setTrace"): self = .setTrace
    case 11 where equal(bytes, "initialized"): self = .initialized
    case 8 where equal(bytes, "shutdown"): self = .shutdown
    case 4 where equal(bytes, "exit"): self = .exit
    case 15 where equal(bytes, "$/cancelRequest"): self = .cancel
    case 12 where equal(bytes, "rpc.discover"): self = .discover
    default: return nil
    }
  }
}
