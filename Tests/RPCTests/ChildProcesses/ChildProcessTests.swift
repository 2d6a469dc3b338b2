import Glibc
import Testing

@testable import ChildProcesses
@testable import RPCShell

struct ChildProcessTests {
  @Test func `what is written comes back through cat, and its end is seen`() throws {
    let rig = ChildRig()
    let child = try rig.start("cat")
    child.assumeIsolated { child in
      child.write(Array("größe\n".utf8))
      child.closeInput()
    }
    #expect(rig.runToEnd() == .status(0))
    #expect(rig.output == "größe\n")
  }

  @Test func `a child that reads late gets everything in order`() throws {
    let rig = ChildRig()
    let child = try rig.start("cat")
    let sent = (0..<4 << 20).map { UInt8(truncatingIfNeeded: $0 / 7) }
    child.assumeIsolated { child in
      child.write(sent)
      #expect(child.unwritten > 0)
      child.closeInput()
    }
    rig.runToEnd()
    #expect(rig.outputCount == sent.count)
  }

  @Test(arguments: [
    ("exit 0", ChildExit.status(0)), ("exit 3", .status(3)), ("exit 130", .status(130)), ("kill -KILL $$", .signal(9)),
  ])
  func `the exit says how it ended`(script: String, end: ChildExit) throws {
    let rig = ChildRig()
    _ = try rig.start("sh", "-c", script)
    #expect(rig.runToEnd() == end)
  }

  @Test func `outputs are told apart, and come before the end`() throws {
    let rig = ChildRig()
    _ = try rig.start("sh", "-c", "echo out; echo err >&2")
    rig.runToEnd()
    #expect(rig.output == "out\n")
    #expect(rig.errorOutput == "err\n")
    #expect(rig.afterEnd == 0)
  }

  @Test(arguments: [("<&-", ChildProcess.Stream.input), (">&-", .output)])
  func `one that closes a stream and runs on is noticed`(redirection: String, stream: ChildProcess.Stream) throws {
    let rig = ChildRig()
    let child = try rig.start("sh", "-c", "exec sleep 1000 \(redirection)")
    child.assumeIsolated { $0.write(Array("x".utf8)) }
    rig.run { !rig.closed.isEmpty }
    #expect(rig.closed == [stream])
    #expect(rig.end == nil)
    child.assumeIsolated { $0.killGroup() }
    #expect(rig.runToEnd() == .signal(9))
  }

  @Test func `an input that was ended here is not said to be closed`() throws {
    let rig = ChildRig()
    let child = try rig.start("cat")
    child.assumeIsolated { child in
      child.write(Array("x".utf8))
      child.closeInput()
    }
    #expect(rig.runToEnd() == .status(0))
    #expect(!rig.closed.contains(.input))
  }

  @Test func `a megabyte of messages does not hold up a child`() throws {
    let rig = ChildRig()
    _ = try rig.start("sh", "-c", "head -c 1048576 /dev/zero >&2; echo done")
    #expect(rig.runToEnd() == .status(0))
    #expect(rig.errorOutput.utf8.count == 1 << 20)
    #expect(rig.output == "done\n")
  }

  @Test func `a child that does not read is no reason to fail`() throws {
    let rig = ChildRig()
    let child = try rig.start("true")
    child.assumeIsolated { child in
      child.write([UInt8](repeating: 0, count: 1 << 20))
      child.closeInput()
    }
    #expect(rig.runToEnd() == .status(0))
    child.assumeIsolated { $0.write([1]) }
  }

  // MARK: What it gets

  @Test func `it has no variable that was not named`() throws {
    let rig = ChildRig()
    var command = ChildCommand(["env"], inheriting: ["NO_SUCH_VARIABLE"])
    command.environment.append(ChildCommand.Variable("RPCSHELL_ACTION", "onUpgrade"))
    _ = try rig.start(command)
    rig.runToEnd()
    #expect(rig.output == "RPCSHELL_ACTION=onUpgrade\n")
  }

  @Test func `it has three descriptors, whatever else is open here`() throws {
    let rig = ChildRig()
    let unlisted = open("/dev/null", O_RDONLY)  // inherited by whoever does not close it
    defer { close(unlisted) }
    _ = try rig.start("ls", "/proc/self/fd")
    rig.runToEnd()
    // The fourth is that of the listing itself.
    #expect(rig.output == "0\n1\n2\n3\n")
  }

  @Test func `it leads a process group of its own`() throws {
    let rig = ChildRig()
    let child = try rig.start("cat")
    #expect(getpgid(child.id) == child.id)
    child.assumeIsolated { $0.closeInput() }
    rig.runToEnd()
  }

  @Test func `signals are as they are by default`() throws {
    let rig = ChildRig()
    _ = try rig.start("grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status")
    rig.runToEnd()
    let masks = rig.output.split(separator: "\n").compactMap { $0.split(separator: "\t").last }
    // 32 and above are the C library's own, which nobody may set.
    #expect(masks.map { UInt64($0, radix: 16).map { $0 & 0x7FFF_FFFF } } == [0, 0])
  }

  @Test func `it starts where it is told to`() throws {
    let rig = ChildRig()
    _ = try rig.start("pwd", folder: "/usr/share")
    rig.runToEnd()
    #expect(rig.output == "/usr/share\n")
  }

  @Test(
    arguments: [
      (["no-such-program"], nil, "cannot start 'no-such-program': no folder of PATH has it"),
      (["/nowhere/buy"], nil, "cannot start '/nowhere/buy': No such file or directory"),
      (["/etc/passwd"], nil, "cannot start '/etc/passwd': Permission denied"),
      (["true"], "/nowhere", "cannot start 'true' in '/nowhere': No such file or directory"),
    ] as [([String], String?, String)])
  func `what cannot start says why`(arguments: [String], folder: String?, message: String) throws {
    let rig = ChildRig()
    let failure = #expect(throws: SpawnFailure.self) { try rig.start(ChildCommand(arguments, folder: folder)) }
    #expect(failure?.message == message)
  }

  // MARK: Its end

  @Test func `its end is seen though somebody else holds its pipes`() throws {
    let rig = ChildRig()
    _ = try rig.start("sh", "-c", "sleep 999 & echo $!; exit 0")
    #expect(rig.runToEnd() == .status(0))
    let sleeper = try #require(pid_t(rig.output.dropLast()))
    #expect(kill(sleeper, SIGKILL) == 0, "what the child leaves behind on purpose lives on")
  }

  @Test func `ending it ends those that it started`() throws {
    let rig = ChildRig()
    let child = try rig.start("sh", "-c", "sleep 999 & echo $!; wait; :")
    rig.run { rig.output.hasSuffix("\n") }
    let sleeper = try #require(pid_t(rig.output.dropLast()))
    let watch = try #require(ProcessWatch(sleeper))
    child.assumeIsolated { $0.terminate() }
    #expect(rig.runToEnd() == .signal(SIGTERM))
    watch.waitForEnd()
  }

  @Test func `what does not heed the first signal is killed after two seconds`() throws {
    let rig = ChildRig()
    let child = try rig.start("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 999; done")
    rig.run { rig.output == "ready\n" }
    child.assumeIsolated { $0.terminate() }
    rig.run { rig.clock.sleeping == [.seconds(2)] }
    rig.clock.advance(by: .seconds(2))
    #expect(rig.runToEnd() == .signal(SIGKILL))
  }

  @Test func `who survives the child's own end is killed with it`() throws {
    let rig = ChildRig()
    let child = try rig.start("sh", "-c", "(trap '' TERM; echo ready; sleep 999) & echo $!; wait; :")
    rig.run { rig.output.split(separator: "\n").count == 2 }
    let survivor = try #require(rig.output.split(separator: "\n").compactMap { pid_t($0) }.first)
    let watch = try #require(ProcessWatch(survivor))
    child.assumeIsolated { $0.terminate() }
    rig.runToEnd()
    watch.waitForEnd()
  }

  @Test func `the end of the session kills the group`() throws {
    let rig = ChildRig()
    _ = try rig.start("sh", "-c", "trap '' TERM; sleep 999 & echo $!; wait; sleep 999")
    rig.run { rig.output.hasSuffix("\n") }
    let watch = try #require(ProcessWatch(pid_t(rig.output.dropLast())!))
    rig.executor.watches.endAll()
    watch.waitForEnd()
  }

  @Test func `five hundred children leave no zombie`() throws {
    for _ in 0..<500 {
      let rig = ChildRig()
      let child = try rig.start("true")
      rig.runToEnd()
      #expect(kill(child.id, 0) == -1 && errno == ESRCH, "\(child.id) is still there")
    }
  }
}
