import Glibc
import RPCShell

/// rpcshell with the plugin that only tests need. Takes `--strict`, `--drain SECONDS` and `--max-message BYTES`.
@main
struct TestShellMain {
  static func main() {
    var options = SessionOptions(version: "test") { StandardError.line($0) }
    var arguments = CommandLine.arguments.dropFirst()
    while let argument = arguments.popFirst() {
      switch argument {
      case "--strict": options.isStrict = true
      case "--drain": options.drain = arguments.popFirst().flatMap(Double.init).map { .seconds($0) }
      case "--max-message": options.decoder.maxMessage = arguments.popFirst().flatMap(Int.init) ?? 0
      default: exit(2)
      }
    }
    exit(ShellProcess.serve(options) { [TestPlugin(executor: $0)] }.rawValue)
  }
}
