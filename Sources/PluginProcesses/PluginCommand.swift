public import ChildProcesses

/// A plugin that runs in a process of its own: how it is started, and what it may take.
public struct PluginCommand: Sendable {
  /// The part before the dot of its methods.
  public var name: String
  /// What is started.
  public var command: ChildCommand
  /// How long it may take to answer `initialize`.
  public var startTimeout: Duration
  /// Bytes; longer messages of its are skipped.
  public var maxMessage: Int
  /// Bytes that may wait for it while it does not read.
  public var unreadLimit = 64 << 20
  /// The shell's own version, which it is told.
  public var shellVersion: String

  public init(
    name: String, command: ChildCommand, startTimeout: Duration = .seconds(10), maxMessage: Int = 64 << 20,
    shellVersion: String
  ) {
    self.name = name
    self.command = command
    self.startTimeout = startTimeout
    self.maxMessage = maxMessage
    self.shellVersion = shellVersion
  }
}
