/// The plugins of a session and the router to their methods, made when the first of those methods is called: a session
/// that only pings pays for neither.
struct PluginRegistry {
  let plugins: [any Plugin]
  let router: Router

  init(_ plugins: [any Plugin]) {
    self.plugins = plugins
    router = Router(plugins: plugins)
  }
}
