import Glibc
import Testing

@testable import RPCShell

/// Storage on real folders, with the real program.
@Suite(.serialized, .timeLimit(.usualMinutes(1)))
struct StorageSessionTests {
  private let folder = try! TemporaryFolder(in: "/dev/shm")

  /// A configuration over folders of a test.
  /// - Parameter more: further members of `storage`.
  private func configure(_ more: String = "") -> [String] {
    for kind in ["downloads", "cache", "other"] { folder.makeFolder(kind) }
    folder.write(
      "config/app.json",
      #"{"storage":{"roots":{"downloads":["../downloads"],"cache":["../cache"],"other":["../other"]}\#(more)}}"#)
    return ["--config", folder.at("config/app.json")]
  }

  private func setup(_ arguments: [String]) throws -> RunningShell.Setup {
    var setup = try RunningShell.Setup(.rpcshell, arguments)
    setup.environment = ["XDG_STATE_HOME": folder.at("state"), "TZ": "UTC"]
    return setup
  }

  private func call(_ arguments: [String]) async throws -> RunningShell.Ending {
    try await RunningShell.run(setup(arguments))
  }

  // MARK: Calls

  @Test func `what is measured, cleared and removed is what is on disk`() async throws {
    let config = configure()
    folder.write("downloads/film/a", bytes: 10_000)
    folder.write("downloads/song", bytes: 5_000)
    folder.write("cache/x/y", bytes: 100_000)
    let state = try await call(config + ["call", "storage.get"]).received("state.usage")
    #expect(state?.at("downloadBytes") == "20480" && state?.at("cache") == "102400")
    #expect(
      try await call(config + ["call", "storage.remove", #"{"id":"film"}"#]).texts == [#"{"outcome":"completed"}"#])
    #expect(folder.list("downloads") == ["song"])
    let question = try await call(config + ["call", "storage.clearCache"])
    #expect(question.exit == .status(1) && folder.list("cache") == ["x"])
    let cleared = try await call(config + ["call", "storage.clearCache", #"{"confirmed":true}"#])
    #expect(cleared.texts == [#"{"outcome":"completed","clearedBytes":102400}"#] && cleared.exit == .status(0))
    #expect(folder.list("cache") == [] && folder.list() == ["cache", "config", "downloads", "other"])
    let empty = try await call(config + ["call", "storage.clearCache", #"{"confirmed":true}"#])
    #expect(empty.errors == ["rpcshell: The cache is empty"] && empty.exit == .status(1))
  }

  @Test func `the page of a call has each download's id and says what to do`() async throws {
    let config = configure()
    folder.write("downloads/song", bytes: 5_000)
    folder.write("cache/x", bytes: 100_000)
    let lines = try await call(config + ["call", "storage.get", "--output", "text"]).texts
    #expect(lines.first?.hasPrefix("Used by this app  111 kB · ") == true)
    #expect(lines.contains("song  song  8 kB") && lines.contains("Cache             102 kB"))
    let question = try await call(config + ["call", "storage.clearCache", "--output", "text"]).texts
    #expect(
      question == [
        "Clear 102 kB of cache?", #"to go on, call it with '{"confirmed":true}'"#,
      ])
    let preview = try await call(config + ["call", "storage.clearCache", #"{"dryRun":true}"#, "--output", "text"]).texts
    #expect(preview == ["102400  \(folder.at("cache/x"))", "bytes that would be free: 102400"])
  }

  @Test func `options outlive the session, and each configuration has its own`() async throws {
    let config = configure()
    let changed = #"{"cellular":true,"quality":"standard","autoRemove":"week"}"#
    let options = #"{"cellular":true,"autoRemove":"week"}"#
    #expect(try await call(config + ["call", "storage.setOptions", options]).texts == [changed])
    #expect(try await call(config + ["call", "storage.setOptions", "{}"]).texts == [changed])
    folder.write("config/other.json", TemporaryFile.read(folder.at("config/app.json")))
    let others = try await call(["--config", folder.at("config/other.json"), "call", "storage.setOptions", "{}"])
    #expect(others.texts == [#"{"cellular":false,"quality":"standard","autoRemove":"never"}"#])
    #expect(try await call(["--demo", "call", "storage.setOptions", "{}"]).texts == others.texts)
  }

  @Test func `a folder that is missing is an error and never nothing`() async throws {
    let config = configure()
    rmdir(folder.at("cache"))
    let ending = try await call(config + ["call", "storage.get"])
    #expect(ending.errors == ["rpcshell: \(folder.at("config"))/../cache: No such file or directory"])
    #expect(ending.exit == .status(1))
  }

  @Test(arguments: [
    ("/", "'/' is the whole file system; expected a folder of the app's own"),
    ("~", "'/dev/shm' is a folder that many share; expected a folder of the app's own"),
  ])
  func `a dangerous folder is refused before anything is read`(path: String, reason: String) async throws {
    folder.write("config/app.json", #"{"storage":{"roots":{"cache":["\#(path)"]}}}"#)
    var setup = try setup(["--config", folder.at("config/app.json")])
    setup.environment["HOME"] = "/dev/shm"
    let ending = try await RunningShell.run(setup, input: #"{"id":1,"method":"shell.ping"}"# + "\n")
    #expect(ending.texts == [] && ending.exit == .status(2))
    let first = ending.errors.first ?? ""
    #expect(first.hasPrefix("rpcshell: \(folder.at("config/app.json")): storage.roots.cache[0]: "))
    #expect(first.hasSuffix(path == "/" ? reason : "'/dev/shm' is the home folder; expected a folder of the app's own"))
  }

  @Test func `rpcshell's own folders are empty while they are missing`() async throws {
    var setup = try setup(["call", "storage.get"])
    setup.environment.merge(["HOME": folder.path]) { $1 }
    setup.environment["XDG_STATE_HOME"] = nil
    let ending = try await RunningShell.run(setup)
    #expect(ending.received("state.usage")?.at("total") == "0" && ending.exit == .status(0))
    #expect(folder.list() == [])
  }

  // MARK: Sessions

  @Test func `a session that watches sees a download grow, and then nothing`() async throws {
    let config = configure(#","watch":true"#)
    folder.write("downloads/song", bytes: 1)
    let ending = try await RunningShell.run(setup(config)) { shell in
      try await shell.send(#"{"id":1,"method":"storage.get"}"# + "\n")
      #expect(try await shell.next().at("result.state.usage.downloadBytes") == "4096")
      folder.write("downloads/song", bytes: 50_000)
      let event = try await shell.next()
      #expect(event.at("params.cause") == #""watch""#)
      // What was being written when it was first looked at comes with the next look.
      var bytes = event.at("params.state.usage.downloadBytes")
      while bytes != "53248" { bytes = try await shell.next().at("params.state.usage.downloadBytes") }
    }
    #expect(ending.errors == [] && ending.exit == .status(0))
  }

  @Test func `clearing streams as events, and the figures are in the one that ends it`() async throws {
    let config = configure()
    folder.write("cache/x", bytes: 100_000)
    let ending = try await RunningShell.run(
      setup(config),
      input: #"{"id":1,"method":"storage.get"}"# + "\n"
        + #"{"id":2,"method":"storage.clearCache","params":{"confirmed":true}}"#
        + "\n")
    let events = ending.frames.filter { $0.method == "storage.state" }
    #expect(events.map { $0.at("params.state.clear.phase") } == [#""working""#, #""done""#, #""idle""#])
    #expect(events[1].at("params.state.usage.cache") == "0")
    #expect(events[1].at("params.announcement.text") == #""Cleared 102 kB.""#)
    #expect(ending.exit == .status(0))
  }

  @Test func `old downloads go by themselves where that is configured`() async throws {
    let config = configure(#","applyAutoRemove":true,"manifest":"../other/index.json""#)
    folder.write("downloads/old", bytes: 1)
    folder.write("downloads/new", bytes: 1)
    folder.write("other/index.json", #"[{"file":"old","completedAt":"2020-01-01T00:00:00Z"}]"#)
    _ = try await call(config + ["call", "storage.setOptions", #"{"autoRemove":"day"}"#])
    #expect(folder.list("downloads") == ["new", "old"])
    _ = try await RunningShell.run(setup(config)) { shell in
      let begun = try await shell.next()
      #expect(begun.at("params.cause") == #""autoRemove""#)
      #expect(try await shell.next().at("params.announcement.text") == #""Removed old""#)
    }
    #expect(folder.list("downloads") == ["new"])
  }

  @Test func `a host that took onClearCache over is asked, with the size`() async throws {
    let config = configure()
    folder.write("cache/x", bytes: 100_000)
    _ = try await RunningShell.run(setup(config)) { shell in
      try await shell.send(#"{"id":1,"method":"initialize","params":{"handlers":["onClearCache"]}}"# + "\n")
      _ = try await shell.next()
      try await shell.send(#"{"id":2,"method":"storage.clearCache","params":{"confirmed":true}}"# + "\n")
      var line = try await shell.next()
      while line.method != "host.onClearCache" { line = try await shell.next() }
      #expect(line.at("params.bytes") == "102400")
      unlink(folder.at("cache/x"))
      try await shell.send(#"{"id":1000001,"result":{}}"# + "\n")
      while line.at("id") != "2" { line = try await shell.next() }
      #expect(line.at("result") == #"{"outcome":"completed","clearedBytes":102400}"#)
    }
  }
}

extension RunningShell.Ending {
  /// A part of the one line that a call printed.
  fileprivate func received(_ path: String) -> Received? {
    texts.first.flatMap { Received(text: $0).at(path) }.map { Received(text: $0) }
  }
}
