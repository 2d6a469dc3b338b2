import Glibc

/// Finds the route that a method's name stands for, among those of all plugins.
struct Router {
  private struct Entry {
    let name: [UInt8]
    let route: Route
  }

  private struct Prefix {
    let name: [UInt8]
    let plugin: any RemotePlugin
  }

  private let entries: [Entry]
  private let prefixes: [Prefix]

  init(plugins: [any Plugin]) {
    prefixes = plugins.compactMap { plugin in
      plugin.remote.map { Prefix(name: Array("\(plugin.name).".utf8), plugin: $0) }
    }
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

  /// The plugin that all methods of this name's prefix are forwarded to.
  func remote(for name: UnsafeRawBufferPointer) -> (any RemotePlugin)? {
    for prefix in prefixes where prefix.name.count < name.count {
      if prefix.name.withUnsafeBytes({ memcmp($0.baseAddress!, name.baseAddress!, $0.count) == 0 }) {
        return prefix.plugin
      }
    }
    return nil
  }

  /// The plugins that are somewhere else.
  var remotes: [any RemotePlugin] { prefixes.map(\.plugin) }

  var routes: [Route] { entries.map { $0.route } }

  /// `unknown method 'plan.upgarde'; did you mean 'plan.upgrade'?`
  ///
  /// - Parameter others: names that are known beside those of the routes.
  func unknownMethod(_ name: String, others: [String]) -> String {
    // A plugin's name alone, or with a slip in it, leads to the plugin.
    let known = others + entries.map { $0.route.name } + nearRemotes(name)
    var hint = NearestName.hint(for: name, among: known)
    if hint.isEmpty {
      // The name without its plugin is a good guess, too.
      let plugin = known.first { $0.hasSuffix("." + name) }
      hint = plugin.map { "; did you mean '\($0)'?" } ?? "; rpc.discover lists what there is"
    }
    return "unknown method '\(name)'" + hint
  }

  /// The name with the nearest plugin's in front of its dot, since that plugin's methods are not known here.
  private func nearRemotes(_ name: String) -> [String] {
    let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty,
      let nearest = NearestName.nearest(to: String(parts[0]), among: remotes.map(\.name))
    else {
      return []
    }
    return [nearest + "." + parts[1]]
  }
}
