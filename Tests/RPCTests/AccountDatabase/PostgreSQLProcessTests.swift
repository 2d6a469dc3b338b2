import AccountModel
import Glibc
import RPCShell
import Testing

@testable import AccountDatabase
@testable import StoreTool

/// Stores on a server in processes of their own: that are killed, whose server is killed, has no room left.
@Suite(.timeLimit(.usualMinutes(5)), .enabled(if: TestServer.isThere, TestServer.isMissing))
struct PostgreSQLProcessTests {
  private static let needsRoot = Comment("only root may mount")

  private let rig: StoreRig
  private var database: TestDatabase { rig.database! }

  init() throws { rig = try StoreRig(.postgresql) }

  /// Runs a script that calls `"$tool"` on `"$base"`.
  private func run(_ script: String) async throws -> RunningShell.Ending {
    var setup = RunningShell.Setup("/bin/bash", ["-c", script])
    let tool = getenv("STORETOOL_BINARY").map { String(cString: $0) } ?? Binary.root + "/.build/debug/StoreTool"
    setup.environment = [
      "tool": tool, "base": database.url, "in": rig.folder.path,
      "servers": Binary.root + "/Tests/Servers/with-postgres",
    ]
    return try await RunningShell.run(setup, input: "")
  }

  @Test func `whenever it is killed, nothing that was answered is lost, and nothing is half done`() async throws {
    for step in 1... {
      try database.execute("DROP SCHEMA IF EXISTS rpcshell CASCADE")
      let ending = try await run(
        #"exec "$tool" "$base" --kill-at \#(step) keep Plus begin k onUpgrade end k completed Studio"#)
      let said = ending.texts
      // The server finds a moment later that its connection is gone.
      try database.wait(
        for:
          "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '\(database.name)' AND application_name = 'rpcshell'",
        is: 0)
      let session = rig.session()
      let record = try await session.load()
      let history = try await session.history()
      if said.contains("kept") { #expect(record.plan != nil) }
      if said.contains("begun") { #expect(history.count == 1) }
      if said.contains("ended") { #expect(history == ["k=completed"]) }
      switch history {
      case []: #expect(record.plan?.name != "Studio")
      case ["k=interrupted"]: #expect(record.plan?.name == "Plus" && record.interrupted.map(\.key) == ["k"])
      case ["k=completed"]: #expect(record.plan?.name == "Studio" && record.interrupted == [])
      default: Issue.record("step \(step): \(history)")
      }
      try await session.end()
      if ending.exit != .signal(SIGKILL) {
        #expect(ending.exit == .status(0) && said == ["kept", "begun", "ended"] && step > 30, "\(step) \(ending)")
        return
      }
    }
  }

  @Test func `processes exclude each other while they live`() async throws {
    let ending = try await run(
      #"""
      "$tool" "$base" begin one onUpgrade shell '"$tool" "$base" begin two onRestore begin one onUpgrade load' \
        end one pending
      "$tool" "$base" begin one onUpgrade begin two onRestore
      """#)
    #expect(
      ending.texts == [
        "begun", "busy onUpgrade", "busy onUpgrade", "plan none interrupted ", "ended", "ended pending", "begun",
      ], "\(ending)")
  }

  @Test func `a server that is killed under an action and started again loses nothing`() async throws {
    let ending = try await run(
      #"""
      "$servers" bash -c '"$tool" "$RPCSHELL_TEST_POSTGRES" keep Plus begin k onUpgrade \
        shell "$RPCSHELL_TEST_POSTGRES_SERVER kill" load end k completed Studio \
        shell "$RPCSHELL_TEST_POSTGRES_SERVER start" load history'
      """#)
    let said = ending.texts.map { $0.contains(" cannot be reached: connection to server on socket ") ? "away" : $0 }
    #expect(said == ["kept", "begun", "away", "away", "plan Studio interrupted ", "history k=completed"], "\(ending)")
  }

  @Test func `a commit that went with a crash is not taken for another that got its number`() async throws {
    // The helper waits for a file, so that the session looks only once the server has given the number again.
    let ending = try await run(
      #"""
      export tool in
      mkdir "$in/bin"; cp "$tool" "$in/bin/tool"; helper="${tool%/*}/rpcshell-postgres"
      printf '#!/bin/bash\nuntil [ -e "%s/go" ]; do read -rt 0.02 <> <(:) || :; done\nexec "%s"\n' "$in" "$helper" \
        >"$in/bin/rpcshell-postgres"
      chmod 755 "$in/bin/rpcshell-postgres"; touch "$in/go"
      cat >"$in/crash" <<'END'
      run() { psql -qAtX "$RPCSHELL_TEST_POSTGRES" -c "$1"; }
      run "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NULL; END'"
      run "CREATE CONSTRAINT TRIGGER hold AFTER UPDATE ON rpcshell.journal DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION hold()"
      rm "$in/go"
      {
        coproc psql -qAtX "$RPCSHELL_TEST_POSTGRES"
        echo "SELECT pg_advisory_lock(4711);" >&${COPROC[1]}; read -r _ <&${COPROC[0]}
        touch "$in/held"
        until [ "$(run "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%COMMIT%' AND wait_event = 'advisory'")" ]; do :; done
        "$RPCSHELL_TEST_POSTGRES_SERVER" kill; "$RPCSHELL_TEST_POSTGRES_SERVER" start
        for _ in 1 2 3 4 5 6 7 8; do run "SELECT pg_current_xact_id()"; done
        touch "$in/go"
      } >/dev/null 2>&1 &
      until [ -e "$in/held" ]; do :; done
      END
      POSTGRES_OPTIONS='-c wal_writer_delay=10s' "$servers" bash -c '"$in/bin/tool" "$RPCSHELL_TEST_POSTGRES" keep Plus \
        begin k onUpgrade shell "bash $in/crash" end k completed Studio load history; wait'
      """#)
    let said = ending.texts.map { $0.hasSuffix(" " + PostgreSQLFailure.undone) ? "undone" : $0 }
    #expect(said == ["kept", "begun", "undone", "plan Studio interrupted ", "history k=completed"], "\(ending)")
  }

  @Test func `a server that does not answer any more is given up after seconds, and found again`() async throws {
    let ending = try await run(
      #"""
      export tool in
      cat >"$in/send" <<'END'
      main=$(head -1 "${RPCSHELL_TEST_POSTGRES_SERVER%/*}/data/postmaster.pid")
      kill -$1 $main $(cat /proc/$main/task/$main/children)
      END
      "$servers" bash -c '"$tool" "$RPCSHELL_TEST_POSTGRES" keep Plus begin k onUpgrade \
        shell "date +%s; bash $in/send STOP" load shell "date +%s" end k completed Studio shell "date +%s" \
        shell "bash $in/send CONT" load history'
      """#)
    var said = ending.texts
    let times = said.compactMap { Int($0) }
    said.removeAll { Int($0) != nil }
    #expect(times.count == 3 && zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= 13 }, "\(ending)")
    #expect(said.count == 6 && said[2].hasSuffix(" " + PostgreSQLFailure.late), "\(ending)")
    #expect(said.count == 6 && said[3].contains(" cannot be reached: "), "\(ending)")
    #expect(said.suffix(2) == ["plan Studio interrupted ", "history k=completed"], "\(ending)")
  }

  @Test(.enabled(if: geteuid() == 0, needsRoot))
  func `a server without room refuses, and an end is written once there is some`() async throws {
    let ending = try await run(
      #"""
      export tool servers in
      exec unshare -m --propagation private "$servers" bash -c '
      mkdir "$in/small"; chmod 755 "$in"; mount -t tmpfs -o size=16m,mode=777 none "$in/small"
      mkdir -m 777 "$in/small/space"; chown postgres "$in/small/space"
      run() { psql -qX "$RPCSHELL_TEST_POSTGRES" -c "$1"; }
      run "CREATE TABLESPACE small LOCATION \$\$$in/small/space\$\$"
      run "CREATE DATABASE small TEMPLATE template0 TABLESPACE small"
      base=${RPCSHELL_TEST_POSTGRES/\/postgres?/\/small?}
      export fill="head -c 32M /dev/zero > $in/small/fill 2>/dev/null" base
      # A page has room for some lines.
      "$tool" "$base" keep Plus begin k onUpgrade shell "$fill" bench 200 end k completed Studio load \
        shell "rm $in/small/fill" load history | grep -v "^load"'
      """#)
    let said = ending.texts.map { $0.hasPrefix("history ") ? String($0.suffix(11)) : $0 }
    #expect(said.first == "kept" && said.last == "k=completed", "\(ending)")
    #expect(
      said.contains {
        $0.hasSuffix(" cannot be written: no space is left on the server's disk; make room there and try again")
      }, "\(ending)")
  }
}
