import ChildProcesses
import Glibc
import HostAdapters
import RPCShell
import Testing

/// An upgrade that a program does, with its lines byte for byte; the clock stands unless a test moves it.
@Suite(.timeLimit(.usualMinutes(2)))
struct ExecHandlerTests {
  private static let defaultText = "The upgrade didn't go through. Try again."

  private func rig(_ script: String, inheriting names: [String] = ["PATH"]) -> PlanRig {
    PlanRig(handler: ExecHandler(ChildCommand(["sh", "-c", script], inheriting: names)))
  }

  /// The lines after the first event, without logs.
  private func lines(_ script: String) throws -> [String] {
    let rig = rig(script)
    try rig.call("plan.upgrade")
    #expect(rig.take(1).first == PlanLines.working)
    rig.run(until: { rig.lines.contains { $0.contains(#""id":1,"#) } })
    return rig.take(0).filter { !$0.hasPrefix("log: ") }
  }

  private static func failed(_ text: String, _ data: String) -> [String] {
    let event = PlanLines.failed.replacing("Card declined.", with: text)
    let quoted = JSONText.string(text)
    return [
      event,
      #"{"jsonrpc":"2.0","id":1,"error":{"code":100,"message":\#(quoted),"data":{"action":"upgrade","handler":"exec"\#(data)}}}"#,
    ]
  }

  // MARK: How it ends

  @Test func `a new plan in the result shows`() throws {
    #expect(
      try lines(#"cat >/dev/null; echo '{"outcome":"completed","plan":\#(PlanLines.top)}'"#) == [
        PlanLines.done, PlanLines.completed,
      ])
  }

  @Test(arguments: ["exit 0", "true", "echo '{}'", "echo null", #"echo '{"outcome":"completed"}'"#, "exec >&-; exit 0"])
  func `nothing at all and the status 0 have completed it`(script: String) throws {
    #expect(try lines(script)[1] == PlanLines.completed)
  }

  @Test(arguments: [
    "exit 130", #"echo '{"outcome":"cancelled"}'"#, #"echo '{"outcome":"completed"}'; exit 130"#,
    #"echo '{"outcome":"failed","message":"m"}'; exit 130"#, "echo oops >&2; exit 130",
  ])
  func `the person backed out`(script: String) throws {
    #expect(try lines(script) == [PlanLines.resting, PlanLines.cancelled])
  }

  @Test(arguments: [
    (#"echo '{"outcome":"failed","message":"Card declined."}'; exit 1"#, "Card declined.", #","exitStatus":1"#),
    (#"echo '{"message":"Card declined."}'; exit 2"#, "Card declined.", #","exitStatus":2"#),
    (#"echo '{"outcome":"failed","message":"Card declined."}'"#, "Card declined.", #","exitStatus":0"#),
    ("exit 1", defaultText, #","exitStatus":1"#),
    (#"echo '{"message":" "}'; exit 1"#, defaultText, #","exitStatus":1"#),
    (
      "echo Card >&2; echo ' Card declined. ' >&2; echo >&2; exit 3", "Card declined.",
      #","exitStatus":3,"stderrTail":"Card\n Card declined. \n\n""#
    ),
    (
      #"echo oops >&2; echo '{"message":"Card declined."}'; exit 1"#, "Card declined.",
      #","exitStatus":1,"stderrTail":"oops\n""#
    ),
    (#"echo '{"outcome":"completed","plan":\#(PlanLines.top)}'; exit 1"#, defaultText, #","exitStatus":1"#),
    (#"echo '{"outcome":"cancelled"}'; exit 1"#, defaultText, #","exitStatus":1"#),
    ("kill -KILL $$", defaultText, ""), ("kill -INT $$", defaultText, ""),
    ("echo Card declined. >&2; kill -TERM $$", "Card declined.", #","stderrTail":"Card declined.\n""#),
  ])
  func `what failed says why`(script: String, text: String, data: String) throws {
    #expect(try lines(script) == Self.failed(text, data))
  }

  @Test(arguments: [
    (
      #"{"outcome":"canceled"}"#,
      "result.outcome: expected one of 'completed', 'presented', 'pending', 'cancelled', 'failed', got 'canceled'; did you mean 'cancelled'?"
    ),
    (#"{"outcome":"#, "result: expected JSON"),
    (#"{"message":1}"#, "result.message: expected a string, got an integer"),
  ])
  func `a result of a wrong shape fails it with the default text, and the detail goes to stderr`(
    result: String, detail: String
  ) throws {
    let rig = rig("echo '\(result)'")
    try rig.call("plan.upgrade")
    #expect(
      Array(rig.take(4).dropFirst()) == ["log: exec onUpgrade: \(detail)"]
        + Self.failed(Self.defaultText, #","exitStatus":0"#))
  }

  @Test func `members of its own and noise are named on stderr and ignored`() throws {
    let rig = rig(#"echo 'Connecting\033[1m'; echo '{"receipt":1,"plan":\#(PlanLines.top)}'"#)
    try rig.call("plan.upgrade")
    #expect(
      rig.take(5).dropFirst() == [
        "log: exec onUpgrade: ignored a line of its output that is neither a report nor the result: 'Connecting'",
        "log: exec onUpgrade: ignored result.receipt: unknown member", PlanLines.done, PlanLines.completed,
      ])
  }

  @Test func `a plan counts only with what is completed`() throws {
    let lines = try lines(#"echo '{"outcome":"pending","plan":\#(PlanLines.top)}'"#).map { Received(text: $0) }
    #expect(lines[0].at("params.state.plan") == nil && lines[0].at("params.state.upgrade.phase") == "\"pending\"")
    #expect(lines[1].at("result.outcome") == "\"pending\"")
  }

  @Test func `a signal that ended it is named on stderr`() throws {
    let rig = rig("kill -KILL $$")
    try rig.call("plan.upgrade")
    #expect(rig.take(4)[1] == "log: exec onUpgrade: killed by signal 9 (Killed)")
  }

  // MARK: What it gets

  @Test func `it gets the call on stdin, on a line, and then the end`() throws {
    let rig = rig(
      #"read -r line; rest=$(cat); printf '{"outcome":"failed","message":"%s"}' "$(echo "$line$rest" | tr '"' "'")""#)
    try rig.call("plan.upgrade", params: #"{"idempotencyKey":"k"}"#)
    let plan = PlanLines.plus.replacing("\"", with: "'")
    #expect(
      rig.received(3)[2].errorMessage
        == "{'action':'onUpgrade','idempotencyKey':'k','timeout':600,'locale':'en_US','timeZone':'UTC','plan':\(plan)}")
  }

  @Test func `it has the variables that were named and the action's`() throws {
    let rig = PlanRig(
      handler: ExecHandler(ChildCommand(["env"], inheriting: ["PATH", "NO_SUCH_VARIABLE"], folder: "/usr")))
    try rig.call("plan.upgrade")
    let path = ChildCommand.Variable(inherited: "PATH")!.value
    let log = rig.take(4)[1]
    #expect(log.contains("2 lines") && log.hasSuffix("the first: '\("PATH=\(path)".shortened)'"))
  }

  @Test func `what it says on stderr is shown line by line`() throws {
    let rig = rig("echo one >&2; echo '\u{1B}[1mtwo' >&2")
    try rig.call("plan.upgrade")
    #expect(rig.take(5)[1...2] == ["log: exec onUpgrade: one", "log: exec onUpgrade: two"])
  }

  @Test func `reports are shown and passed on`() throws {
    let rig = rig(#"echo '{"progress":0.4,"message":"Waiting for the bank"}'; cat >/dev/null"#)
    try rig.call("plan.upgrade", token: "\"t\"")
    let lines = rig.received(7)
    #expect(lines[2].at("params.state.upgrade.progress") == "0.4")
    #expect(lines[2].at("params.state.upgrade.message") == "\"Waiting for the bank\"")
    #expect(
      lines[3].text
        == PlanLines.progress("\"t\"", #"{"kind":"report","message":"Waiting for the bank","percentage":40}"#))
    #expect(lines[5].at("params.value.kind") == "\"end\"")
  }

  // MARK: Starting

  @Test(arguments: [
    ("no-such-program", "cannot start 'no-such-program': no folder of PATH has it"),
    ("/nowhere/buy", "cannot start '/nowhere/buy': No such file or directory"),
    ("/etc/passwd", "cannot start '/etc/passwd': Permission denied"),
  ])
  func `a program that cannot be started is an error that says so`(program: String, text: String) throws {
    let rig = PlanRig(handler: ExecHandler(ChildCommand([program])))
    try rig.call("plan.upgrade")
    #expect(rig.take(3).dropFirst() == Self.failed(text, "")[...])
    try rig.call("plan.get")
    #expect(rig.received(1)[0].at("result.state.upgrade.phase") == "\"failed\"")
  }

  @Test func `arguments that are too long are an error that says so`() throws {
    let long = String(repeating: "x", count: 1 << 20)
    let rig = PlanRig(handler: ExecHandler(ChildCommand(["true", long, long, long])))
    try rig.call("plan.upgrade")
    #expect(rig.received(3)[2].errorMessage == "cannot start 'true': Argument list too long")
  }

  // MARK: Stopping

  /// An upgrade whose program is at work, and the process that it waits for.
  private func working(_ script: String) throws -> (rig: PlanRig, call: PlanRig.Call, sleeper: ProcessWatch) {
    let rig = rig(script)
    let call = try rig.call("plan.upgrade")
    let message = rig.received(2)[1].at("params.state.upgrade.message") ?? ""
    let id = try #require(pid_t(message.filter(\.isNumber)))
    return (rig, call, try #require(ProcessWatch(id)))
  }

  private static let sleeping = #"sleep 999 & echo "{\"progress\":null,\"message\":\"$!\"}"; wait; :"#

  private func end(of rig: PlanRig) -> [Received] {
    rig.run(until: { rig.lines.contains { $0.contains(#""id":1,"#) } })
    return rig.received()
  }

  @Test func `a cancel ends the program and whom it started`() throws {
    let (rig, call, sleeper) = try working(Self.sleeping)
    call.stop(.cancelled)
    let lines = end(of: rig)
    #expect(lines.map(\.text).last == PlanLines.requestCancelled)
    #expect(lines[0].at("params.state.upgrade.phase") == "\"idle\"" && lines.count == 2)
    sleeper.waitForEnd()
  }

  @Test func `a program that is deaf to a cancel is killed after two seconds`() throws {
    let (rig, call, sleeper) = try working("trap '' TERM; \(Self.sleeping)")
    call.stop(.cancelled)
    rig.run(until: { rig.sleeping.contains(.seconds(2)) })
    #expect(rig.sleeping.contains(.seconds(5)) && rig.lines.isEmpty, "it has five seconds to end")
    rig.pass(.seconds(2))
    #expect(end(of: rig).last?.errorCode == -32800)
    sleeper.waitForEnd()
  }

  @Test func `a success that crosses the cancel is kept`() throws {
    let (rig, call, _) = try working(
      #"trap 'kill $!; echo "{\"outcome\":\"completed\"}"; exit 0' TERM; \#(Self.sleeping)"#)
    call.stop(.cancelled)
    #expect(end(of: rig).last?.at("result.outcome") == "\"completed\"")
  }

  @Test func `the time limit ends it`() throws {
    let (rig, _, sleeper) = try working(Self.sleeping)
    rig.pass(.seconds(600), isQuiet: true)
    let lines = end(of: rig)
    #expect(lines.last?.text == PlanLines.refusal(105, "timed out", #"{"action":"upgrade","seconds":600}"#))
    #expect(lines[0].at("params.state.upgrade.message") == "\"\(Self.defaultText)\"")
    sleeper.waitForEnd()
  }

  // MARK: Prices

  /// The answer to a preview, and the lines before it.
  private func preview(_ script: String) throws -> (log: [String], answer: Received) {
    let command = ChildCommand(["sh", "-c", script], inheriting: ["PATH"])
    let rig = PlanRig(handler: ExecHandler(ChildCommand(["false"]), preview: command))
    try rig.call("plan.previewUpgrade")
    rig.run(until: { rig.lines.contains { $0.contains(#""id":1,"#) } })
    let lines = rig.take(0)
    return (lines.filter { $0.hasPrefix("log: ") }, Received(text: lines.last ?? ""))
  }

  @Test func `another program says what an upgrade would cost, and is told that nothing is to be bought`() throws {
    let (log, answer) = try preview(
      #"read -r call; echo "$RPCSHELL_ACTION $call" >&2; echo '{"progress":0.5}'; echo '{"dueNow":{"amount":"5.00","currencyCode":"USD"}}'"#
    )
    #expect(answer.at("result.dueNowText") == "\"$5.00\"")
    #expect(log.count == 1)
    #expect(
      log.first?.hasPrefix(#"log: exec previewUpgrade: previewUpgrade {"action":"onUpgrade","timeout":60,"#) ?? false)
    #expect(log.first?.contains(#""preview":true,"plan":{"name":"Plus""#) ?? false)
  }

  @Test(arguments: [
    ("exit 0", "The price couldn't be looked up. Try again.", ["log: exec previewUpgrade: said no preview"]),
    ("echo 'No prices today.' >&2; exit 1", "No prices today.", ["log: exec previewUpgrade: No prices today."]),
    (#"echo '{"message":"Ask later."}'; exit 3"#, "Ask later.", []),
    (
      "echo '{'", "The price couldn't be looked up. Try again.",
      ["log: onUpgrade: preview: expected JSON"]
    ),
    ("exit 130", "The price couldn't be looked up. Try again.", []),
  ])
  func `a program that fails at it says why`(script: String, message: String, log: [String]) throws {
    let ending = try preview(script)
    #expect(ending.answer.errorMessage == message && ending.answer.errorCode == 100)
    #expect(ending.log == log)
  }

  @Test func `without a program for prices there are none, and none is run that buys`() throws {
    let rig = rig("touch /nowhere/bought")
    try rig.call("plan.previewUpgrade")
    #expect(rig.received(1)[0].errorMessage == "The handler of onUpgrade ('exec') offers no preview")
  }
}
