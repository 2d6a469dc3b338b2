import Glibc
import RPCShell

/// rpcshell with the plugin that only tests need. Takes `--strict`, `--drain SECONDS` and `--max-message BYTES`; with
/// `call METHOD PARAMS` at the end it makes one call.
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
      case "call": call(arguments.popFirst() ?? "", arguments.popFirst() ?? "{}", options)
      default: exit(2)
      }
    }
    exit(ShellProcess.serve(options) { [TestPlugin(executor: $0)] }.rawValue)
  }

  /// Prints how the call ended.
  private static func call(_ method: String, _ params: String, _ options: SessionOptions) -> Never {
    let output = StandardOutput.take()
    let call = SingleCall(method, try? JSONText(wholeText: Array(params.utf8)))
    let end = call.run(options) { [TestPlugin(executor: $0)] }
    let line =
      switch end {
      case .result(let result): "result \(result)"
      case .failure(let error): "failure \(error.code.rawValue) \(error.message)"
      case .interrupted: "interrupted"
      case .notMade(let status): "not made \(status.rawValue)"
      }
    exit(output.write(Array((line + "\n").utf8)) ?? 0)
  }
}
