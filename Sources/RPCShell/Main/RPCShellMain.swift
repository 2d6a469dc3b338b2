import AccountModel
import Glibc
import HostAdapters
import PlanPlugin
import RPCShell

/// rpcshell: options, plugins with their handlers, one session, its exit status.
@main
struct RPCShellMain {
  static func main() {
    do throws(UsageError) {
      switch try Command.parse() {
      case .help: show(HelpText.serve)
      case .version: show("rpcshell \(Version.current)\n")
      case .serve(let options): exit(try serve(options).rawValue)
      }
    } catch {
      StandardError.line("rpcshell: \(error.text)")
      StandardError.line("rpcshell --help lists what there is")
      exit(ExitStatus.usage.rawValue)
    }
  }

  private static func serve(_ options: ServeOptions) throws(UsageError) -> ExitStatus {
    let now = try frozenTime(isDemo: options.isDemo) ?? ShellProcess.systemTime
    return ShellProcess.serve(try sessionOptions(options), trace: options.trace, now: now) { executor in
      [SampleAccount.plugin(executor: executor, madeAt: now())]
    }
  }

  private static func sessionOptions(_ options: ServeOptions) throws(UsageError) -> SessionOptions {
    var session = SessionOptions(version: Version.current) { StandardError.line($0) }
    session.decoder.framing = options.framing
    if let maxMessage = options.maxMessage { session.decoder.maxMessage = maxMessage }
    session.isStrict = options.isStrict
    session.drain = options.drain
    session.hostHandler = HostHandler()
    session.isKnownTimeZone = SystemTimeZone.isKnown
    if let timeZone = options.timeZone, !SystemTimeZone.isKnown(timeZone) {
      throw UsageError(text: "--time-zone: unknown time zone '\(timeZone)'; expected one like 'Europe/Berlin'")
    }
    session.environment = { [log = session.log] in
      Environment(
        locale: options.locale ?? "en_US", timeZone: options.timeZone ?? SystemTimeZone.current(log: log))
    }
    return session
  }

  /// `RPCSHELL_NOW` stops the clock of a demo, for output that can be compared byte for byte.
  private static func frozenTime(isDemo: Bool) throws(UsageError) -> (@Sendable () -> Double)? {
    guard isDemo, let text = getenv("RPCSHELL_NOW").map({ String(cString: $0) }) else { return nil }
    guard case .instant(let seconds, _) = DateValue(text)?.moment else {
      throw UsageError(text: "RPCSHELL_NOW: expected an RFC 3339 instant like '2026-10-19T00:00:00Z', got '\(text)'")
    }
    return { Double(seconds) }
  }

  /// Prints to stdout, which no session has moved yet.
  private static func show(_ text: String) -> Never {
    let bytes = Array(text.utf8)
    let isWritten = write(1, bytes, bytes.count) == bytes.count
    exit((isWritten ? ExitStatus.success : .outputFailed).rawValue)
  }
}
