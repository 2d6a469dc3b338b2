import ChildProcesses
import RPCShell

/// A connection to a server, in a helper process that has libpq (Sources/PostgreSQLHelper says how they speak).
///
/// Used on one thread at a time, which waits for each answer.
final class PostgreSQLConnection {
  /// Seconds for an answer. The server gives statements up before.
  static let answerLimit = 10.0
  /// Seconds until there is a connection, to the last of several hosts.
  static let connectLimit = 60.0

  /// The server's version: 150018.
  private(set) var version = 0
  private var process: LineProcess?
  private let inbox: Inbox

  /// What one statement brought.
  struct Result: Sendable {
    /// `SELECT 1`, `COMMIT`
    var tag: String
    var rows: [[SQLValue]]
  }

  // MARK: Start and end

  /// - Parameter noticed: told, on the thread that reads, that others did something or that the connection is lost.
  init(
    _ url: String, helper: String, noticed: @escaping @Sendable () -> Void
  ) throws(PostgreSQLRefusal) {
    let inbox = Inbox(noticed)
    self.inbox = inbox
    do throws(SpawnFailure) {
      process = try LineProcess.start(Self.command(helper)) { inbox.take($0) }
    } catch { throw PostgreSQLRefusal(error.isShortage ? .shortage : .noHelper, error.message) }
    let answer = try exchange(JSONText { $0.object { $0.member("connect", url) } }, seconds: Self.connectLimit)
    if let refusal = answer.refusal { throw refusal }
    version = answer.version
  }

  /// Returns once the server has let go of what this session held.
  deinit {
    guard process != nil else { return }
    process = nil
    inbox.waitForEnd(until: MonotonicTime.now.advanced(by: .seconds(5)))
  }

  /// Whether it cannot be used any more.
  var isLost: Bool { inbox.isLost }

  private static func command(_ helper: String) -> ChildCommand {
    var command = ChildCommand([helper], inheriting: inherited)
    // What libpq itself says is shown to people whose language nobody knows: it is in the texts' own.
    command.environment.append(ChildCommand.Variable("LC_ALL", "C.UTF-8"))
    return command
  }

  /// Where libpq looks for servers, passwords and certificates, and what its libraries need. Not what would change how a
  /// session behaves (PGOPTIONS, PGDATESTYLE, PGTZ, PGCLIENTENCODING).
  private static let inherited =
    [
      "APPNAME", "CHANNELBINDING", "CONNECT_TIMEOUT", "DATABASE", "GSSENCMODE", "GSSLIB", "HOST", "HOSTADDR",
      "KRBSRVNAME", "PASSFILE", "PASSWORD", "PORT", "REQUIREPEER", "SERVICE", "SERVICEFILE", "SSLCERT", "SSLCRL",
      "SSLCRLDIR", "SSLKEY", "SSLMAXPROTOCOLVERSION", "SSLMINPROTOCOLVERSION", "SSLMODE", "SSLROOTCERT", "SSLSNI",
      "SYSCONFDIR", "TARGETSESSIONATTRS", "USER",
    ].map { "PG" + $0 } + [
      "HOME", "USER", "LD_LIBRARY_PATH", "KRB5CCNAME", "KRB5_CONFIG", "KRB5_KTNAME", "OPENSSL_CONF", "SSL_CERT_DIR",
      "SSL_CERT_FILE",
    ]

  // MARK: Statements

  /// Carries out one statement.
  func run(_ statement: String, _ parameters: [SQLValue]) throws(PostgreSQLRefusal) -> [[SQLValue]] {
    let answer = try exchange(
      JSONText { writer in
        writer.object { request in
          request.member("sql", statement)
          request.key("parameters")
          request.array { list in for value in parameters { value.write(to: &list) } }
        }
      })
    if let refusal = answer.refusal { throw refusal }
    return answer.results.last?.rows ?? []
  }

  /// Carries out statements one after the other, on one way to the server and back.
  /// - Returns: what those brought that succeeded, and why the next did not.
  func runAll(_ statements: [String]) throws(PostgreSQLRefusal) -> (results: [Result], refusal: PostgreSQLRefusal?) {
    let script = statements.joined(separator: "; ")
    let answer = try exchange(JSONText { $0.object { $0.member("sql", script) } })
    return (answer.results, answer.refusal)
  }

  private func exchange(
    _ request: JSONText, seconds: Double = answerLimit
  ) throws(PostgreSQLRefusal) -> PostgreSQLAnswer {
    let deadline = MonotonicTime.now.advanced(by: .seconds(seconds))
    guard let process, process.write(request.bytes, until: deadline) else {
      // Why it ended, where it did so by itself, is known a moment later.
      process?.kill()
      inbox.waitForEnd(until: MonotonicTime.now.advanced(by: .seconds(5)))
      let refusal = PostgreSQLRefusal(.lost, "rpcshell-postgres takes no more")
      inbox.lose(refusal)
      throw inbox.lost ?? refusal
    }
    if let answer = inbox.answer(until: deadline) { return answer }
    if let lost = inbox.lost { throw lost }
    // An answer that came later would be taken for that to the next.
    let refusal = PostgreSQLRefusal(.silent, "no answer within \(Int(seconds)) s")
    inbox.lose(refusal)
    process.kill()
    throw refusal
  }
}

/// What has come from the helper.
private final class Inbox: Sendable {
  private struct State {
    var answer: PostgreSQLAnswer?
    var lost: PostgreSQLRefusal?
  }

  private let state = Locked(State())
  private let arrived = ThreadSignal()
  private let ended = ThreadSignal()
  private let noticed: @Sendable () -> Void

  init(_ noticed: @escaping @Sendable () -> Void) { self.noticed = noticed }

  func take(_ event: LineProcess.Event) {
    switch event {
    case .line(let line): take(line)
    case .ended(let exit):
      let isNews = lose(
        PostgreSQLRefusal(exit.isUnstarted ? .noHelper : .lost, "rpcshell-postgres ended: \(exit.text)"))
      ended.set()
      if isNews { noticed() }
    }
  }

  private func take(_ line: [UInt8]) {
    guard let view = try? JSONDocument(parsing: JSONText(trusted: line)).view else { return }
    if view["notification"] != nil { return noticed() }
    if let message = view["lost"]?.string {
      if lose(PostgreSQLRefusal(.lost, message)) { noticed() }
      return
    }
    let answer = PostgreSQLAnswer(view)
    state.withLock { state in
      state.answer = answer
      if let refusal = answer.refusal, refusal.isLost { state.lost = refusal }
    }
    arrived.set()
  }

  /// - Returns: whether that was not known.
  @discardableResult
  func lose(_ refusal: PostgreSQLRefusal) -> Bool {
    let isNews = state.withLock { state in
      defer { state.lost = state.lost ?? refusal }
      return state.lost == nil
    }
    arrived.set()
    return isNews
  }

  var lost: PostgreSQLRefusal? { state.withLock { $0.lost } }
  var isLost: Bool { lost != nil }

  /// The answer, waited for; nil where none comes.
  func answer(until deadline: MonotonicTime) -> PostgreSQLAnswer? {
    while true {
      let (answer, isLost) = state.withLock { state in
        defer { state.answer = nil }
        return (state.answer, state.lost != nil)
      }
      if answer != nil || isLost { return answer }
      guard arrived.wait(until: deadline) else { return nil }
    }
  }

  func waitForEnd(until deadline: MonotonicTime) {
    // For whoever waits next.
    if ended.wait(until: deadline) { ended.set() }
  }
}

extension ChildExit {
  /// Whether a program could not be loaded, as without its libraries (ld.so(8)).
  fileprivate var isUnstarted: Bool { self == .status(127) }
}
