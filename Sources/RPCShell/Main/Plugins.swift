import ChildProcesses
import Configuration
import PluginProcesses
import RPCShell

/// The plugins of others that are configured, each of which will run in a process of its own.
enum Plugins {
  static func all(_ setup: Setup, executor: LoopExecutor) -> [any Plugin] {
    (setup.configuration?.plugins ?? []).map { plugin in
      let seconds = plugin.startTimeout ?? Configuration.Plugin.defaultStartTimeout
      return PluginProcess(
        PluginCommand(
          name: plugin.name,
          command: ChildCommand(plugin.command),
          startTimeout: .seconds(seconds),
          maxMessage: setup.sessionOptions.decoder.maxMessage, shellVersion: Version.current),
        executor: executor)
    }
  }
}
