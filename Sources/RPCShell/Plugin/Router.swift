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
    var hint = NearestName.hint(for: name, among: known)
    if hint.isEmpty {
      // The name without its plugin is a good guess, too.
      let plugin = known.first { $0.hasSuffix("." + name) }
      hint = plugin.map { "; did you mean '\($0)'?" } ?? "; rpc.discover lists what there is"
    }
    return "unknown method '\(name)'" + hint
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
    if name.spells("shell.ping") {
      self = .ping
    } else if let method = Self(unhurried: name) {
      self = method
    } else {
      return nil
    }
  }

  /// All but the one that is counted in nanoseconds.
  @inline(never)
  private init?(unhurried name: UnsafeRawBufferPointer) {
    self.init(rawValue: String(decoding: name.prefix(32), as: UTF8.self))
  }
}

extension UnsafeRawBufferPointer {
  /// Whether these are exactly the bytes of `word`.
  @inline(__always)
  fileprivate func spells(_ word: StaticString) -> Bool {
    count == word.utf8CodeUnitCount && equal(baseAddress!.assumingMemoryBound(to: UInt8.self), word)
  }
}
