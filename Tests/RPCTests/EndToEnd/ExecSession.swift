import Glibc

@testable import RPCShell

/// The program with a configuration in which programs do actions.
struct ExecSession {
  let folder: TemporaryFolder
  var setup: RunningShell.Setup

  /// - Parameters:
  ///   - scripts: what `sh` runs for an action.
  ///   - more: further members of the configuration.
  init(_ scripts: [HostAction: String], timeout: Double = 60, more: String = "", arguments: [String] = []) throws {
    folder = try TemporaryFolder()
    let handlers = scripts.map { action, script in
      let command = #"["sh","-c",\#(JSONText.string(script))]"#
      return #""\#(action)":{"adapter":"exec","command":\#(command),"timeout":\#(timeout),"cwd":"."}"#
    }
    folder.write("app.json", #"{"handlers":{\#(handlers.joined(separator: ","))}\#(more)}"#)
    setup = try RunningShell.Setup(.rpcshell, ["--config", folder.at("app.json")] + arguments)
    setup.environment = ["XDG_STATE_HOME": folder.at("state"), "TZ": "UTC"]
  }

  static func request(_ id: Int, _ method: String, _ params: String = "{}") -> String {
    #"{"id":\#(id),"method":"\#(method)","params":\#(params)}"# + "\n"
  }
}

extension RunningShell {
  /// Makes a call and takes what comes up to its reply.
  func call(_ id: Int, _ method: String, _ params: String = "{}") async throws -> Received {
    try await send(ExecSession.request(id, method, params))
    return try await reply(id)
  }

  func reply(_ id: Int) async throws -> Received {
    while true {
      let frame = try await next()
      if frame.id == "\(id)" { return frame }
    }
  }

  /// Waits for an event that says something of the upgrade.
  func message() async throws -> String {
    while true {
      let message = try await next().at("params.state.upgrade.message") ?? "null"
      if message != "null" { return String(message.dropFirst().dropLast()) }
    }
  }

  /// Its descriptors that are open.
  var descriptors: [String] {
    guard let folder = opendir("/proc/\(id)/fd") else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if Int(name) != nil { names.append(name) }
    }
    return names.sorted()
  }

  /// Its children, those that nobody waited for included.
  var children: String {
    let descriptor = open("/proc/\(id)/task/\(id)/children", O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    return String(decoding: readAll(descriptor), as: UTF8.self)
  }

  /// The memory that it has now, in KiB.
  var memory: Int {
    let descriptor = open("/proc/\(id)/statm", O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    let fields = String(decoding: readAll(descriptor), as: UTF8.self).split(separator: " ")
    return fields.count > 1 ? Int(fields[1]).map { $0 * getpagesizeInKiB } ?? .max : .max
  }

  private var getpagesizeInKiB: Int { sysconf(Int32(_SC_PAGESIZE)) / 1024 }
}

/// A FIFO that a script holds open: its end is that of everybody who has it.
struct Lifeline {
  let path: String

  init(in folder: TemporaryFolder) {
    path = folder.at("lifeline")
    mkfifo(path, 0o600)
  }

  /// Waits until it is nobody's any more.
  func waitForEnd() async throws {
    let path = path
    _ = try await onThread {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      defer { close(descriptor) }
      return readAll(descriptor).count
    }
  }
}
