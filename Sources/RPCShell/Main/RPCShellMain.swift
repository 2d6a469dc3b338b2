import Configuration
import Glibc
import HostAdapters
import RPCShell
import StoragePlugin

/// rpcshell: the command line, and what each command does.
@main
struct RPCShellMain {
  static func main() {
    do throws(UsageError) {
      exit(try run(Command.parse()).rawValue)
    } catch {
      StandardError.line("rpcshell: \(error.text)")
      if let topic = error.topic { StandardError.line("\(topic.command) --help lists what there is") }
      exit(ExitStatus.usage.rawValue)
    }
  }

  private static func run(_ command: Command) throws(UsageError) -> ExitStatus {
    switch command {
    case .serve(let options): try serve(Setup(options))
    case .call(let method, let params, let options):
      try CallCommand(method: method, params: params, options: options).run()
    case .schema: schema()
    case .checkConfiguration(let options): try show(ConfigurationReport(Setup(options)).text)
    case .exampleConfiguration: show(Configuration.example)
    case .store(let verb, let file, let options):
      try StoreCommand(verb: verb, file: file, setup: Setup(options)).run()
    case .help(let topic): show(topic.text)
    case .version: show("rpcshell \(Version.current)\n")
    }
  }

  private static func serve(_ setup: Setup) -> ExitStatus {
    ShellProcess.serve(setup.sessionOptions, trace: setup.options.trace, now: setup.now, plugins: setup.plugins)
  }

  /// What a session answers to `rpc.discover`, over several lines. Nothing of it depends on the configuration.
  private static func schema() -> ExitStatus {
    let output = StandardOutput.take()
    let options = SessionOptions(version: Version.current) { StandardError.line($0) }
    let end = SingleCall("rpc.discover").run(options) { executor in
      [
        Account.sample(executor: executor),
        StoragePlugin(
          version: Version.current, executor: executor, settings: StoragePlugin.Settings(), backend: nil,
          options: MemoryOptions()
        ) { nil },
      ]
    }
    guard case .result(let document) = end else { return .failure }
    return output.printed(document.indented + [UInt8(ascii: "\n")]) ?? .success
  }

  private static func show(_ text: String) -> ExitStatus {
    StandardOutput.take().printed(Array(text.utf8)) ?? .success
  }
}
