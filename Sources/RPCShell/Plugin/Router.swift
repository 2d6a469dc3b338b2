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
  ///
  /// - Parameter others: names that are known beside those of the routes.
  func unknownMethod(_ name: String, others: [String]) -> String {
    let known = others + entries.map { $0.route.name }
    var hint = NearestName.hint(for: name, among: known)
    if hint.isEmpty {
      // The name without its plugin is a good guess, too.
      let plugin = known.first { $0.hasSuffix("." + name) }
      hint = plugin.map { "; did you mean '\($0)'?" } ?? "; rpc.discover lists what there is"
    }
    return "unknown method '\(name)'" + hint
  }
}
