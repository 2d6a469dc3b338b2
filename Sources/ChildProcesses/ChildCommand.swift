import Glibc

/// What a child process runs: never a shell, nothing inherited but what is named here.
public struct ChildCommand: Sendable, Equatable {
  /// The program and its arguments; not empty. A program without a slash is looked for in this process's PATH, a relative
  /// path starts at ``folder``.
  public var arguments: [String]
  /// All of its environment, in order.
  public var environment: [Variable]
  /// Where it starts; nil is where this process is.
  public var folder: String?

  /// A variable of the environment.
  public struct Variable: Sendable, Equatable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    /// This process's variable of that name; nil where it has none.
    public init?(inherited name: String) {
      guard let value = getenv(name) else { return nil }
      self.init(name, String(cString: value))
    }
  }

  /// A command with the variables of this process's environment that are named, where it has them.
  public init(_ arguments: [String], inheriting names: [String] = [], folder: String? = nil) {
    self.arguments = arguments
    environment = names.compactMap(Variable.init(inherited:))
    self.folder = folder
  }

  /// The path of the program (environ(7), PATH).
  /// - Returns: nil where no folder of PATH has it.
  func programPath() -> String? {
    let name = arguments[0]
    if name.contains("/") { return name }
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    for folder in path.split(separator: ":", omittingEmptySubsequences: false) {
      let candidate = (folder.isEmpty ? "." : folder) + "/" + name
      var status = stat()
      guard stat(String(candidate), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      if access(String(candidate), X_OK) == 0 { return String(candidate) }
    }
    return nil
  }
}

/// A child process that could not be started.
public struct SpawnFailure: Error, Sendable, Equatable {
  /// `cannot start 'buy': no folder of PATH has it`
  public var message: String
  /// The system's code; 0 where it was not asked.
  public var code: Int32

  /// Whether it is for want of processes, descriptors or memory, so that another time it may go well.
  public var isShortage: Bool { [EAGAIN, ENOMEM, EMFILE, ENFILE].contains(code) }
}

/// How a process ended (waitpid(2)).
public enum ChildExit: Sendable, Equatable {
  /// It exited with a status.
  case status(Int32)
  /// A signal ended it.
  case signal(Int32)

  init(waitStatus: Int32) {
    let signal = waitStatus & 0x7F
    self = signal == 0 ? .status(waitStatus >> 8 & 0xFF) : .signal(signal)
  }

  /// `exit status 3`, `killed by signal 9 (Killed)`
  public var text: String {
    switch self {
    case .status(let status): "exit status \(status)"
    case .signal(let signal): "killed by signal \(signal) (\(String(cString: strsignal(signal))))"
    }
  }
}
