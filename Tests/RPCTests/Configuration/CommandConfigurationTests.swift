import RPCShell
import Testing

@testable import Configuration

/// What a configuration file may say about programs.
struct CommandConfigurationTests {
  private static let variables = ["HOME": "/home/me", "APP": "/opt/app"]

  private static func read(_ members: String) throws -> Configuration.Adapter? {
    let text = #"{"handlers":{"onUpgrade":{"adapter":"exec"\#(members)}}}"#
    let view = try JSONDocument(wholeText: Array(text.utf8)).view
    return try Configuration(checking: view, paths: ConfiguredPath(folder: "/app") { variables[$0] }) { _ in true }
      .handler(of: .onUpgrade)?.adapter
  }

  @Test(arguments: [
    ("buy", "buy"), ("./buy", "/app/./buy"), ("bin/buy", "/app/bin/buy"), ("/usr/bin/buy", "/usr/bin/buy"),
    ("~/bin/buy", "/home/me/bin/buy"), ("$APP/buy", "/opt/app/buy"), ("$APP", "$APP"), ("~", "~"),
  ])
  func `a program with a slash starts at the file, one without is looked for later`(text: String, path: String) throws {
    #expect(
      try Self.read(#","command":["\#(text)","~/x","$APP/y",""]"#) == .exec(.init([path, "~/x", "$APP/y", ""])))
  }

  @Test func `says which variables it has and where it starts`() throws {
    let command = #","command":["buy"],"env":["PATH","BILLING_TOKEN"],"cwd":"data""#
    #expect(
      try Self.read(command) == .exec(.init(["buy"], environment: ["PATH", "BILLING_TOKEN"], folder: "/app/data")))
    #expect(try Self.read(#","command":["buy"],"env":[],"cwd":"~""#) == .exec(.init(["buy"], folder: "/home/me")))
    #expect(try Self.read(#","command":["buy"],"env":null,"cwd":null"#) == .exec(.init(["buy"])))
  }

  @Test func `says which program knows the price, with the same variables and folder`() throws {
    let members = #","command":["buy"],"preview":["./price","x"],"env":["PATH"],"cwd":"data""#
    #expect(
      try Self.read(members)
        == .exec(
          .init(["buy"], environment: ["PATH"], folder: "/app/data"),
          preview: .init(["/app/./price", "x"], environment: ["PATH"], folder: "/app/data")))
    #expect(try Self.read(#","command":["buy"],"preview":null"#) == .exec(.init(["buy"])))
    let text = #"{"handlers":{"onRestore":{"adapter":"exec","command":["a"],"preview":["b"]}}}"#
    let view = try JSONDocument(wholeText: Array(text.utf8)).view
    let violation = #expect(throws: SchemaViolation.self) {
      try Configuration(checking: view, paths: ConfiguredPath(folder: "/")) { _ in true }
    }
    #expect(violation?.text == "handlers.onRestore.preview: unknown member")
  }

  @Test func `has the same time limit as others, and is not the built-in adapter`() throws {
    let view = try JSONDocument(
      wholeText: Array(#"{"handlers":{"onRemove":{"adapter":"exec","command":["rm"]}}}"#.utf8)
    ).view
    let handler = try Configuration(checking: view, paths: ConfiguredPath(folder: "/")) { _ in true }
      .handler(of: .onRemove)
    #expect(handler?.timeout == 60 && handler?.isCustom == true)
  }

  @Test(arguments: [
    ("", ".command: missing; expected a program and its arguments"),
    (#","command":null"#, ".command: expected an array, got null"),
    (#","command":"buy""#, ".command: expected an array, got a string"),
    (#","command":[]"#, ".command: expected a program and its arguments"),
    (#","command":["","x"]"#, ".command: expected a program and its arguments"),
    (#","command":["buy",1]"#, ".command[1]: expected a string, got an integer"),
    (#","command":["buy","a\u0000b"]"#, ".command[1]: expected text without NUL"),
    (#","command":["buy"],"preview":[]"#, ".preview: expected a program and its arguments"),
    (#","command":["buy"],"preview":["$NONE/p"]"#, ".preview[0]: the variable '$NONE' is not set"),
    (#","command":["$NONE/buy"]"#, ".command[0]: the variable '$NONE' is not set"),
    (#","command":["buy"],"env":"PATH""#, ".env: expected an array, got a string"),
    (#","command":["buy"],"env":[""]"#, ".env[0]: expected a string that is not empty"),
    (#","command":["buy"],"env":["A=1"]"#, ".env[0]: expected the name of a variable, without '=' and NUL"),
    (#","command":["buy"],"env":["A\u0000"]"#, ".env[0]: expected the name of a variable, without '=' and NUL"),
    (#","command":["buy"],"cwd":"""#, ".cwd: expected a string that is not empty"),
    (#","command":["buy"],"cwd":"$NONE""#, ".cwd: the variable '$NONE' is not set"),
    (#","commnad":["buy"]"#, ".commnad: unknown member; did you mean 'command'?"),
  ])
  func `names what is wrong and what was expected`(members: String, expected: String) throws {
    let violation = #expect(throws: SchemaViolation.self) { try Self.read(members) }
    #expect(violation?.text == "handlers.onUpgrade" + expected)
  }
}
