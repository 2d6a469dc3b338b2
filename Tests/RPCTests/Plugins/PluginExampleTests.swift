import Glibc
import Testing

@testable import RPCShell

/// The examples of docs/PLUGINS.md, behind the release binary.
@Suite(.serialized, .timeLimit(.usualMinutes(2)))
struct PluginExampleTests {
  @Test func `notes in Python`() async throws {
    let config = Binary.root + "/Examples/plugins/notes/config.json"
    let ending = try await RunningShell.run(.init(.rpcshell, ["--config", config])) { shell in
      try await shell.send(#"{"id":1,"method":"notes.add","params":{"text":"Buy mílk"}}"# + "\n")
      #expect(try await shell.next().text == #"{"jsonrpc":"2.0","method":"notes.changed","params":{"count": 1}}"#)
      #expect(try await shell.next().text == #"{"jsonrpc":"2.0","id":1,"result":{"count": 1}}"#)
      try await shell.send(#"{"id":2,"method":"notes.list"}"# + "\n")
      #expect(try await shell.next().at("result.notes.0") == #""Buy mílk""#)
      try await shell.send(#"{"id":3,"method":"notes.search","params":{"text":"MÍLK","workDoneToken":"t"}}"# + "\n")
      let report = try await shell.next()
      #expect(report.at("params.token") == #""t""#)
      #expect(report.at("params.value.percentage") == "0")
      #expect(try await shell.next().at("result.notes.0") == #""Buy mílk""#)
      try await shell.send(#"{"id":4,"method":"notes.add","params":{}}"# + "\n")
      #expect(try await shell.next().errorMessage == "text: expected a string")
      try await shell.send(#"{"id":5,"method":"initialize"}"# + "\n")
      #expect(try await shell.next().at("result.plugins.2.version") == #""1.0.0""#)
      let notes = (1...50).map { #"{"method":"notes.add","params":{"text":"\#($0)"}}"# + "\n" }.joined()
      try await shell.send(notes + #"{"id":6,"method":"notes.search","params":{"text":"x"}}"# + "\n")
      try await shell.send(#"{"method":"$/cancelRequest","params":{"id":6}}"# + "\n")
      while true {
        let frame = try await shell.next()
        if frame.id == "6" {
          #expect(frame.errorCode == -32800)
          break
        }
      }
    }
    #expect(ending.exit == .status(1), "an error was answered")
    #expect(ending.errors == [])
  }

  @Test func `a counter in Swift`() async throws {
    guard let path = getenv("COUNTER_BINARY").map({ String(cString: $0) }) ?? Self.built else {
      Issue.record("the counter is not there: run `make examples` first")
      return
    }
    let config = try TemporaryFile(#"{"plugins":[{"name":"counter","command":["\#(path)"]}]}"#)
    let ending = try await RunningShell.run(.init(.rpcshell, ["--config", config.path])) { shell in
      try await shell.send(#"{"id":1,"method":"counter.add","params":{"by":2}}"# + "\n")
      #expect(
        try await shell.next().text
          == #"{"jsonrpc":"2.0","method":"counter.state","params":{"revision":1,"cause":"add","requestId":1,"state":{"counter":{"value":2,"text":"2"}},"motion":[{"target":"counter/value","from":0,"to":2,"curve":"smooth"}]}}"#
      )
      #expect(try await shell.next().text == #"{"jsonrpc":"2.0","id":1,"result":2}"#)
      try await shell.send(#"{"id":2,"method":"counter.run","params":{"to":4,"workDoneToken":"t"}}"# + "\n")
      var kinds: [String?] = []
      while true {
        let frame = try await shell.next()
        if frame.method == "$/progress" { kinds.append(frame.at("params.value.kind")) }
        guard frame.id == "2" else { continue }
        #expect(frame.at("result") == "4")
        break
      }
      #expect(kinds == [#""begin""#, #""report""#, #""report""#, #""end""#])
      try await shell.send(#"{"id":3,"method":"rpc.discover"}"# + "\n")
      let methods = try await shell.next().json["result"]?["methods"]?.elements ?? []
      #expect(methods.suffix(3).map { $0["name"]?.string } == ["counter.get", "counter.add", "counter.run"])
      try await shell.send(#"{"id":4,"method":"counter.add","params":{"bye":1}}"# + "\n")
      #expect(try await shell.next().errorMessage == "bye: unknown member; did you mean 'by'?")
      try await shell.send(#"{"id":5,"method":"counter.run","params":{"to":1000}}"# + "\n")
      try await shell.send(#"{"method":"$/cancelRequest","params":{"id":5}}"# + "\n")
      while true {
        let frame = try await shell.next()
        guard frame.id == "5" else { continue }
        #expect(frame.errorCode == -32800)
        break
      }
    }
    #expect(ending.exit == .status(1), "an error was answered")
    #expect(ending.errors == [])
  }

  private static var built: String? {
    let path = Binary.root + "/.build/release/CounterPlugin"
    return access(path, X_OK) == 0 ? path : nil
  }
}
