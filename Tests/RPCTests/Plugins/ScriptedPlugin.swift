import ChildProcesses
import PluginProcesses
import Testing

@testable import RPCShell

/// The plugin of Tests/Plugins/scripted.py, in a session over real pipes whose time moves by hand.
enum ScriptedPlugin {
  static let path = Binary.root + "/Tests/Plugins/scripted.py"

  static func command(_ arguments: [String] = [], name: String = "p") -> PluginCommand {
    PluginCommand(
      name: name, command: ChildCommand(["python3", "-u", path] + arguments + [name], inheriting: ["PATH"]),
      shellVersion: "0")
  }

  /// A session with the plugin `p`.
  static func host(
    _ arguments: [String] = [], command: PluginCommand? = nil, _ configure: (inout SessionOptions) -> Void = { _ in },
    more: (LoopExecutor) -> [any Plugin] = { _ in [] }
  ) -> TestHost {
    TestHost(configure) { executor in
      [PluginProcess(command ?? self.command(arguments), executor: executor)] + more(executor)
    }
  }
}

extension TestHost {
  /// Waits for somebody to sleep this long, then moves the clock so far.
  func pass(_ duration: Duration) async throws {
    while !clock.sleeping.contains(duration) {
      try Task.checkCancellation()
      await settle()
    }
    clock.advance(by: duration)
  }

  /// Waits for a frame, passing over others.
  func next(_ method: String) async throws -> Received {
    while true {
      let frame = try await next()
      if frame.method == method { return frame }
    }
  }

  /// Waits until a line is among those for the person at the terminal.
  func logged(_ isMeant: (String) -> Bool) async throws -> String {
    while let line = await log.next() { if isMeant(line) { return line } }
    throw Ended()
  }
}
