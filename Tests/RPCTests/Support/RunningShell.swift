import RPCShell
import Glibc

/// A real process with pipes to its standard streams. It lives inside ``run(_:_:_:)`` and is always waited for.
final class RunningShell: Sendable {
  /// What a standard stream of the process is.
  enum Stream {
    case pipe
    /// A pipe that was made non-blocking by whoever started the process.
    case nonBlockingPipe
    /// stdin and stdout are one socket, as inetd and socat have it.
    case socket
    /// A pipe that stays open and is never read.
    case unread
    case file(String, Int32)
    case closed
  }

  /// How a process ended.
  enum Exit: Equatable, Sendable {
    case status(Int32)
    case signal(Int32)
  }

  struct Setup {
    var path: String
    var arguments: [String]
    var input = Stream.pipe
    var output = Stream.pipe
    var errors = Stream.pipe
    var environment: [String: String] = [:]

    init(_ path: String, _ arguments: [String] = []) {
      self.path = path
      self.arguments = arguments
    }

    init(_ binary: Binary, _ arguments: [String] = []) throws {
      self.init(try binary.path, arguments)
    }

    /// A script; `$TESTSHELL` is the shell with the test plugin.
    init(script: String) throws {
      self.init("/bin/bash", ["-c", script])
      environment = ["TESTSHELL": try Binary.testShell.path]
    }
  }

  let id: pid_t
  let output: FrameReader
  let errors: FrameReader
  private let input: Int32
  private let closesInput: Bool
  private let isInputOpen = Locked(true)
  private let ended = Later<Exit>()

  private init(_ setup: Setup) throws {
    let input = Ends(setup.input, isInput: true)
    let output =
      if case .socket = setup.output { Ends(child: input.child, own: dup(input.own)) } else {
        Ends(setup.output, isInput: false)
      }
    let errors = Ends(setup.errors, isInput: false)
    var spawn = Spawn(setup.path, setup.arguments, standard: [input.child, output.child, errors.child])
    spawn.environment = setup.environment
    defer { for descriptor in Set([input.child, output.child, errors.child].compactMap { $0 }) { close(descriptor) } }
    id = try spawn.start()
    self.input = input.own
    closesInput = if case .socket = setup.input { false } else { true }
    self.output = FrameReader(descriptor: output.own)
    self.errors = FrameReader(descriptor: errors.own)
    if case .unread = setup.errors {} else { self.errors.start() }
    let (id, ended) = (id, ended)
    startThread {
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0 && errno == EINTR {}
      ended.set(status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F))
    }
  }

  // MARK: Running

  /// Runs a process for as long as `body` takes, then closes its input and waits for its end. When `body` throws, it is
  /// killed.
  static func run(_ setup: Setup, _ body: (RunningShell) async throws -> Void = { _ in }) async throws -> Ending {
    let shell = try RunningShell(setup)
    do {
      try await body(shell)
      shell.end()
      let exit = try await shell.exit
      shell.output.start()
      var ending = Ending(exit: exit, leftover: try await shell.output.leftover.value)
      ending.frames = shell.output.frames.all
      if case .unread = setup.errors {
        shell.errors.abandon()
      } else {
        ending.unfinishedLine = try await shell.errors.leftover.value
        ending.errors = shell.errors.frames.all.map(\.text)
      }
      return ending
    } catch {
      shell.end()
      kill(shell.id, SIGKILL)
      throw error
    }
  }

  /// Gives a process all of its input, then waits for its end.
  static func run(_ setup: Setup, input: String) async throws -> Ending {
    try await run(setup) { shell in
      shell.output.start()
      try await shell.send(input)
    }
  }

  // MARK: In and out

  func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) async throws {
    let input = input
    _ = try await onThread { writeAll(bytes, to: input) }
  }

  /// Closes the input.
  func end() {
    let wasOpen = isInputOpen.withLock { open in
      defer { open = false }
      return open
    }
    guard wasOpen, input >= 0 else { return }
    _ = closesInput ? close(input) : shutdown(input, Int32(SHUT_WR))
  }

  /// The next frame on stdout.
  func next() async throws -> Received {
    output.start()
    guard let frame = await output.frames.next() else { throw TestHost.Ended() }
    return frame
  }

  /// The next line on stderr.
  func nextError() async throws -> String {
    guard let line = await errors.frames.next() else { throw TestHost.Ended() }
    return line.text
  }

  func signal(_ number: Int32) { kill(id, number) }

  var exit: Exit {
    get async throws { try await ended.value }
  }

  /// The most memory that the process has had so far, in MiB.
  var peakMemory: Int {
    let status = open("/proc/\(id)/status", O_RDONLY | O_CLOEXEC)
    defer { close(status) }
    let lines = String(decoding: readAll(status), as: UTF8.self).split(separator: "\n")
    let line = lines.first { $0.hasPrefix("VmHWM:") } ?? ""
    return (Int(line.filter(\.isNumber)) ?? .max) / 1024
  }

  /// All that a process said.
  struct Ending: Sendable {
    var exit: Exit
    var frames: [Received] = []
    /// What came behind the last whole frame of stdout.
    var leftover: String
    /// The lines on stderr.
    var errors: [String] = []
    var unfinishedLine = ""

    init(exit: Exit, leftover: String) {
      self.exit = exit
      self.leftover = leftover
    }

    var texts: [String] { frames.map(\.text) }
  }
}

/// The two ends of one standard stream.
private struct Ends {
  let child: Int32?
  let own: Int32

  init(child: Int32?, own: Int32) {
    self.child = child
    self.own = own
  }

  init(_ stream: RunningShell.Stream, isInput: Bool) {
    switch stream {
    case .pipe, .unread, .nonBlockingPipe:
      let pipe = Pipe()
      child = isInput ? pipe.reader : pipe.writer
      own = isInput ? pipe.writer : pipe.reader
      if case .nonBlockingPipe = stream { _ = fcntl(child!, F_SETFL, O_NONBLOCK) }
    case .socket:
      var ends: [Int32] = [-1, -1]
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0, "no socket: \(errno)")
      (child, own) = (ends[0], ends[1])
    case .file(let path, let flags):
      child = open(path, flags | O_CLOEXEC, 0o600)
      own = -1
    case .closed: (child, own) = (nil, -1)
    }
  }
}
