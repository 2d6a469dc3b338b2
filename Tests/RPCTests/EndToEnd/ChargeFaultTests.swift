import Glibc
import Testing

@testable import RPCShell

/// An upgrade that is cut off at any moment: what a backend behind it sees, and what is known afterwards.
///
/// The backend writes down every call's key before it does anything else, as one that charges somebody would.
@Suite(.serialized, .timeLimit(.usualMinutes(10)))
struct ChargeFaultTests {
  /// Fewer under a sanitizer, where each session takes a second.
  private static let moments = Binary.sanitizer == nil ? 200 : 40

  private let folder = try! TemporaryFolder(in: "/dev/shm")

  /// Charges, takes a moment, answers with the plan that was bought.
  private static let buy = #"""
    #!/bin/sh
    key=$(sed 's/.*"idempotencyKey":"\([^"]*\)".*/\1/')
    echo "$key" >> "$CHARGES"
    sleep 0.02
    echo '{"outcome":"completed","plan":{"name":"Studio","price":{"free":true},"status":{"noRenewal":true}}}'
    """#

  /// What answers the session with a record of its own: a state folder and the charges.
  private struct Account {
    let folder: TemporaryFolder
    let name: String

    var charges: [String] {
      TemporaryFile.read(folder.at("\(name)/charges")).split(separator: "\n").map(String.init)
    }

    func setup(_ more: [String] = []) throws -> RunningShell.Setup {
      var setup = try RunningShell.Setup(.rpcshell, ["--config", folder.at("app.json")] + more)
      setup.environment = [
        "XDG_STATE_HOME": folder.at(name), "CHARGES": folder.at("\(name)/charges"), "TZ": "UTC",
      ]
      return setup
    }
  }

  private func account(_ name: String) -> Account {
    folder.write("buy", Self.buy)
    chmod(folder.at("buy"), 0o755)
    folder.write(
      "app.json",
      #"{"handlers":{"onUpgrade":{"adapter":"exec","command":["./buy"],"env":["PATH","CHARGES"]}}}"#)
    folder.makeFolder(name)
    folder.write("\(name)/charges", "")
    return Account(folder: folder, name: name)
  }

  private static let upgrade = #"{"id":1,"method":"plan.upgrade"}"# + "\n"
  private static let look = #"{"id":2,"method":"plan.get"}"# + "\n" + #"{"id":3,"method":"plan.history"}"# + "\n"

  private static func name(in ending: RunningShell.Ending) -> String? {
    ending.frames.first { $0.id == "2" }?.at("result.state.plan.name")
  }

  /// Starts an upgrade and kills the shell after so many milliseconds.
  /// - Returns: whether it had answered that it is done.
  private func killed(_ account: Account, after milliseconds: Int) async throws -> Bool {
    var setup = try account.setup()
    let seconds = "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst())"
    setup.arguments = ["--foreground", "--signal=KILL", seconds, setup.path] + setup.arguments
    setup.path = "/usr/bin/timeout"
    let ending = try await RunningShell.run(setup, input: Self.upgrade)
    return ending.frames.contains { $0.id == "1" && $0.at("result.outcome") == #""completed""# }
  }

  /// How many milliseconds it takes here from the start of a session that nobody cuts off to the answer of an upgrade,
  /// and some more: the machine may be busier later. Measured beside the shell, since this process may have to wait for
  /// others.
  private func length() async throws -> Int {
    var lengths: [Int] = []
    for number in 1...5 {
      let account = account("whole-\(number)")
      var setup = try account.setup()
      let measure = """
        exec 3<&0; start=$(date +%s%N)
        grep -q '"id":1,' < <("$0" "$@" <&3)
        echo $((($(date +%s%N) - start) / 1000000)); wait $!
        """
      setup.arguments = ["-c", measure, setup.path] + setup.arguments
      setup.path = "/bin/bash"
      let ending = try await RunningShell.run(setup, input: Self.upgrade)
      #expect(account.charges.count == 1)
      lengths.append(try #require(Int(ending.texts.first ?? "")))
    }
    return lengths.sorted()[2] * 3 / 2 + 1
  }

  @Test func `a shell that is killed at any moment charges nobody twice, and forgets nothing that it answered`()
    async throws
  {
    let length = try await length()
    var answered = 0
    var interrupted = 0
    for moment in 0..<Self.moments {
      let account = account("account-\(moment)")
      let wasDone = try await killed(account, after: 1 + length * moment / Self.moments)
      let chargesBefore = account.charges
      #expect(chargesBefore.count <= 1, "moment \(moment)")
      let after = try await RunningShell.run(account.setup(), input: Self.look)
      if wasDone {
        answered += 1
        #expect(Self.name(in: after) == #""Studio""#, "moment \(moment): what was answered is forgotten")
      }
      // Looking repeats nothing.
      #expect(account.charges == chargesBefore, "moment \(moment)")
      if after.frames.first(where: { $0.id == "3" })?.at("result.entries.0.outcome") == #""interrupted""# {
        interrupted += 1
      }
      // The person tries again, until the plan is there.
      let retry = try await RunningShell.run(account.setup(), input: Self.upgrade + Self.look)
      #expect(Self.name(in: try await RunningShell.run(account.setup(), input: Self.look)) == #""Studio""#)
      #expect(Set(account.charges).count == 1, "moment \(moment): \(account.charges), \(retry.texts)")
      if wasDone { #expect(account.charges.count == 1, "moment \(moment)") }
    }
    // The moments cover what there is to cover.
    #expect(interrupted > 0, "no moment was in the midst of the upgrade")
    #expect(answered < Self.moments)
  }

  /// As ``buy``, but the first call dies when it has charged.
  private static let dying = #"""
    #!/bin/sh
    key=$(sed 's/.*"idempotencyKey":"\([^"]*\)".*/\1/')
    echo "$key" >> "$CHARGES"
    [ "$(wc -l < "$CHARGES")" -gt 1 ] || kill -KILL $$
    echo '{"outcome":"completed"}'
    """#

  private static let dyingPlugin = #"""
    #!/usr/bin/env -S python3 -u
    import json, os, signal, sys
    for line in sys.stdin:
        call = json.loads(line)
        if call.get("method") == "shop.onUpgrade":
            with open(os.environ["CHARGES"], "a") as charges: print(call["params"]["idempotencyKey"], file=charges)
            if len(open(os.environ["CHARGES"]).readlines()) == 1: os.kill(os.getpid(), signal.SIGKILL)
        if "id" in call: print(json.dumps({"id": call["id"], "result": {}}))
    """#

  @Test(arguments: [
    (dying, #"{"adapter":"exec","command":["./buy"],"env":["PATH","CHARGES"]}"#, 100),
    (dyingPlugin, #"{"adapter":"plugin","plugin":"shop"}"#, 106),
  ])
  func `who dies behind the shell after a charge is asked again under the same key`(
    program: String, handler: String, code: Int
  ) async throws {
    let account = account("handler-\(code)")
    folder.write("buy", program)
    let plugins = #"[{"name":"shop","command":["./buy"],"env":["PATH","CHARGES"]}]"#
    folder.write("app.json", #"{"handlers":{"onUpgrade":\#(handler)},"plugins":\#(plugins)}"#)
    let first = try await RunningShell.run(account.setup(), input: Self.upgrade)
    #expect(first.frames.contains { $0.id == "1" && $0.errorCode == code }, "\(first.texts)")
    let second = try await RunningShell.run(account.setup(), input: Self.upgrade)
    #expect(second.frames.contains { $0.id == "1" && $0.at("result.outcome") == #""completed""# }, "\(second.texts)")
    #expect(account.charges.count == 2 && Set(account.charges).count == 1, "\(account.charges)")
  }
}
