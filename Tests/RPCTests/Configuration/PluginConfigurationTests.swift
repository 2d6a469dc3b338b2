import RPCShell
import Testing

@testable import Configuration

/// What a configuration file may say of plugins of others.
struct PluginConfigurationTests {
  private static func read(_ text: String) throws -> Configuration {
    let view = try JSONDocument(wholeText: Array(text.utf8)).view
    let paths = ConfiguredPath(folder: "/app") { ["HOME": "/home/me", "TOOLS": "/opt/tools"][$0] }
    return try Configuration(checking: view, paths: paths) { _ in true }
  }

  @Test func `says what to start and how`() throws {
    let plugins = try Self.read(
      #"""
      {"plugins":[
        {"name":"notes","command":["./notes.py","./a"],"env":["HOME","LANG"],"cwd":"~","startTimeout":2.5},
        {"name":"a-B_1","command":["python3"],"// why":1},
        {"name":"t","command":["$TOOLS/t","~"],"env":null,"cwd":"data","startTimeout":null},
        {"name":"u","command":["~/u"]}]}
      """#
    ).plugins
    #expect(plugins.map(\.name) == ["notes", "a-B_1", "t", "u"])
    #expect(
      plugins.map(\.command) == [
        .init(["/app/./notes.py", "./a"], environment: ["HOME", "LANG"], folder: "/home/me"), .init(["python3"]),
        .init(["/opt/tools/t", "~"], folder: "/app/data"), .init(["/home/me/u"]),
      ])
    #expect(plugins.map(\.startTimeout) == [2.5, nil, nil, nil])
  }

  @Test func `a handler names one of them`() throws {
    let configuration = try Self.read(
      #"""
      {"handlers":{"onRemove":{"adapter":"plugin","plugin":"media","timeout":5},"onUpgrade":{"adapter":"plugin","plugin":"media"}},
       "plugins":[{"name":"media","command":["x"]}]}
      """#)
    #expect(configuration.handler(of: .onRemove) == .init(adapter: .plugin("media"), timeout: 5))
    #expect(configuration.handler(of: .onUpgrade)?.timeout == 600)
    #expect(configuration.handler(of: .onUpgrade)?.isCustom == true)
  }

  @Test(arguments: [
    (#"{"plugins":{}}"#, "plugins: expected an array, got an object"),
    (#"{"plugins":[{"command":["x"]}]}"#, "plugins[0].name: missing"),
    (#"{"plugins":[{"name":"x"}]}"#, "plugins[0].command: missing"),
    (#"{"plugins":[{"name":"x","command":[]}]}"#, "plugins[0].command: expected a program and its arguments"),
    (#"{"plugins":[{"name":"x","command":[""]}]}"#, "plugins[0].command: expected a program and its arguments"),
    (#"{"plugins":[{"name":"x","command":"x"}]}"#, "plugins[0].command: expected an array, got a string"),
    (#"{"plugins":[{"name":"x","command":["x",1]}]}"#, "plugins[0].command[1]: expected a string, got an integer"),
    (#"{"plugins":[{"name":"x","command":["x","\u0000"]}]}"#, "plugins[0].command[1]: expected text without NUL"),
    (#"{"plugins":[{"name":"x","command":["$NOPE/x"]}]}"#, "plugins[0].command[0]: the variable '$NOPE' is not set"),
    (#"{"plugins":[{"name":"x","comand":["x"]}]}"#, "plugins[0].comand: unknown member; did you mean 'command'?"),
    (
      #"{"plugins":[{"name":"x","command":["x"],"env":["A=B"]}]}"#, "plugins[0].env[0]: expected the name of a variable"
    ),
    (
      #"{"plugins":[{"name":"x","command":["x"],"cwd":"~you"}]}"#,
      "plugins[0].cwd: expected '~' alone or '~/…', got '~you'"
    ),
    (
      #"{"plugins":[{"name":"x","command":["x"],"startTimeout":0}]}"#,
      "plugins[0].startTimeout: expected seconds, more than 0 and at most 3600"
    ),
    (#"{"plugins":[{"name":"plan","command":["x"]}]}"#, "plugins[0].name: 'plan' is rpcshell's own"),
    (#"{"plugins":[{"name":"storage","command":["x"]}]}"#, "plugins[0].name: 'storage' is rpcshell's own"),
    (#"{"plugins":[{"name":"shell","command":["x"]}]}"#, "plugins[0].name: 'shell' is rpcshell's own"),
    (#"{"plugins":[{"name":"rpc","command":["x"]}]}"#, "plugins[0].name: 'rpc' is rpcshell's own"),
    (#"{"plugins":[{"name":"host","command":["x"]}]}"#, "plugins[0].name: 'host' is rpcshell's own"),
    (#"{"plugins":[{"name":"$x","command":["x"]}]}"#, "plugins[0].name: expected a letter"),
    (#"{"plugins":[{"name":"a.b","command":["x"]}]}"#, "plugins[0].name: expected a letter"),
    (#"{"plugins":[{"name":"é","command":["x"]}]}"#, "plugins[0].name: expected a letter"),
    (
      #"{"plugins":[{"name":"x","command":["x"]},{"name":"x","command":["y"]}]}"#,
      "plugins[1].name: expected a name that no other plugin has, got 'x' again"
    ),
    (#"{"handlers":{"onManage":{"adapter":"plugin"}}}"#, "handlers.onManage.plugin: missing"),
    (
      #"{"handlers":{"onManage":{"adapter":"plugin","plugin":"x"}}}"#,
      "handlers.onManage.plugin: expected the name of one of 'plugins', got 'x'"
    ),
    (
      #"{"handlers":{"onManage":{"adapter":"plugin","plugin":"medai"}},"plugins":[{"name":"media","command":["x"]}]}"#,
      "handlers.onManage.plugin: expected one of 'media', got 'medai'; did you mean 'media'?"
    ),
  ])
  func `says what is wrong`(text: String, message: String) {
    let violation = #expect(throws: SchemaViolation.self) { try Self.read(text) }
    #expect(violation?.text.hasPrefix(message) ?? false, "\(violation?.text ?? "")")
  }
}
