import Glibc

/// glibc's own, which the Glibc module leaves out: a child inherits nothing that it was not given.
@_silgen_name("posix_spawn_file_actions_addclosefrom_np")
private func addCloseFrom(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: Int32) -> Int32

/// A program to start, with the descriptors that it gets as its standard ones and nothing else of ours.
struct Spawn {
  var path: String
  var arguments: [String]
  /// For 0, 1 and 2; nil is closed.
  var standard: [Int32?]
  var environment: [String: String] = [:]

  init(_ path: String, _ arguments: [String], standard: [Int32?]) {
    self.path = path
    self.arguments = arguments
    self.standard = standard
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Variables that programs need to find their libraries and files.
  private static let passedOn = [
    "PATH", "HOME", "LD_LIBRARY_PATH", "TMPDIR", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS",
  ]

  /// Nobody's own configuration is read, and nobody's own account is kept, unless a test says where: no folder can be made
  /// in /proc.
  private static let isolation = ["XDG_CONFIG_HOME": "/nowhere", "XDG_STATE_HOME": "/proc/nowhere"]

  private var environmentStrings: [String] {
    let inherited = Self.passedOn.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
    let variables = Dictionary(inherited) { $1 }.merging(Self.isolation) { $1 }.merging(environment) { $1 }
    return variables.map { "\($0)=\($1)" }
  }

  /// - Returns: the process, which the caller must wait for.
  func start() throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (target, descriptor) in standard.enumerated() {
      if let descriptor {
        posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(target))
      } else {
        posix_spawn_file_actions_addclose(&actions, Int32(target))
      }
    }
    _ = addCloseFrom(&actions, 3)

    // Neither our blocked nor our ignored signals are the child's business.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGPIPE, SIGTERM, SIGINT] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let argv = ([path] + arguments).map { strdup($0) } + [nil]
    let envp = environmentStrings.map { strdup($0) } + [nil]
    defer { for text in argv + envp { free(text) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, path, &actions, &attributes, argv, envp)
    guard code == 0 else { throw Failure(description: "cannot start \(path): \(String(cString: strerror(code)))") }
    return id
  }
}
