import AccountModel
import Configuration
import Glibc
import HostAdapters
import RPCShell

/// What a session is made of: what the options say, else the configuration, else the defaults.
///
/// A class, so that what it hands out refers to the configuration and copies nothing.
final class Setup: Sendable {
  let options: Options
  /// The file that was read, or that is looked for in vain; nil where none is looked for.
  let file: ConfigurationFile?
  /// What the file says; nil where there is none.
  let configuration: Configuration?
  /// The time of day in seconds since 1970-01-01T00:00:00Z.
  let now: @Sendable () -> Double

  /// Reads the configuration.
  /// - Throws: what is wrong with it, or with the options.
  init(_ options: Options) throws(UsageError) {
    self.options = options
    now = try Self.frozenTime(isDemo: options.isDemo) ?? ShellProcess.systemTime
    if let timeZone = options.timeZone, !SystemTimeZone.isKnown(timeZone) {
      throw UsageError("--time-zone: " + TimeZoneIdentifier.refusal(of: timeZone))
    }
    file = ConfigurationFile.find(option: options.config, isDemo: options.isDemo)
    do throws(ConfigurationError) {
      configuration = try file?.read(isKnownTimeZone: SystemTimeZone.isKnown)
    } catch { throw UsageError(error.text, see: nil) }
    try checkRoots()
  }

  /// `RPCSHELL_NOW` stops the clock of a demo, for output that can be compared byte for byte.
  private static func frozenTime(isDemo: Bool) throws(UsageError) -> (@Sendable () -> Double)? {
    guard isDemo, let text = ConfigurationFile.environmentVariable("RPCSHELL_NOW") else { return nil }
    guard case .instant(let seconds, _) = DateValue(text)?.moment else {
      throw UsageError("RPCSHELL_NOW: expected an RFC 3339 instant like '2026-10-19T00:00:00Z', got '\(text)'")
    }
    return { Double(seconds) }
  }

  /// How the session behaves.
  var sessionOptions: SessionOptions {
    var session = SessionOptions(version: Version.current) { StandardError.line($0) }
    session.decoder.framing = options.framing
    if let maxMessage = options.maxMessage { session.decoder.maxMessage = maxMessage }
    session.isStrict = options.isStrict
    session.drain = options.drain
    session.startsPlugins = configuration?.storage.applyAutoRemove ?? false
    session.hostHandler = { HostHandler() }
    session.isKnownTimeZone = SystemTimeZone.isKnown
    session.environment = { [self, log = session.log] in
      Environment(
        locale: options.locale ?? configuration?.locale ?? Self.defaultLocale,
        timeZone: options.timeZone ?? configuration?.timeZone ?? SystemTimeZone.current(log: log))
    }
    return session
  }

  static let defaultLocale = "en_US"

  /// Makes the plugins.
  var plugins: @Sendable (LoopExecutor) -> [any Plugin] {
    { [self] executor in
      [
        Account.plugin(self, executor: executor),
        Storage.plugin(self, executor: executor),
      ] + Plugins.all(self, executor: executor)
    }
  }
}
