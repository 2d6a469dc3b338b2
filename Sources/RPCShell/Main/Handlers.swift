import ChildProcesses
import Configuration
import HostAdapters
import RPCShell

extension Configuration {
  /// Who does an action, and how long that may take.
  ///
  /// - Parameter local: the built-in adapter; nil where there is none.
  /// - Returns: nil where the action is not available.
  func binding(of action: HostAction, local: (any ActionHandler)?) -> ActionBinding? {
    guard let handler = handler(of: action) else { return nil }
    let adapter: (any ActionHandler)? =
      switch handler.adapter {
      case .local: local
      case .host: HostHandler()
      case .exec(let command, let preview):
        ExecHandler(ChildCommand(command), preview: preview.map { ChildCommand($0) })
      case .plugin(let name): PluginHandler(name)
      case .http(let endpoint, let preview): HTTPHandler(endpoint, preview: preview)
      }
    return adapter.map { ActionBinding($0, timeout: handler.timeout, isCustom: handler.isCustom) }
  }
}

extension ChildCommand {
  /// A program that the configuration names, with the variables that it may have.
  init(_ command: Configuration.Command) {
    self.init(command.arguments, inheriting: command.environment, folder: command.folder)
  }
}
