import CSpawn
import Glibc

extension ChildCommand {
  /// Starts it. It ends with the thread that calls this.
  /// - Parameters:
  ///   - program: the path of its program.
  ///   - input: what becomes its stdin; all three are above 2.
  /// - Returns: its id; where it cannot be started, `errno` is set, too.
  func spawn(_ program: String, input: Int32, output: Int32, error: Int32) -> Result<pid_t, SpawnFailure> {
    let arguments = CStrings(arguments)
    let environment = CStrings(environment.map { "\($0.name)=\($0.value)" })
    var step = cspawn_fork
    let id = program.withCString { program in
      func start(in folder: UnsafePointer<CChar>?) -> pid_t {
        var request = cspawn_request(
          program: program, arguments: arguments.pointer, environment: environment.pointer, folder: folder,
          input: input, output: output, error: error)
        return cspawn(&request, &step)
      }
      return folder?.withCString(start) ?? start(in: nil)
    }
    if id > 0 { return .success(id) }
    return .failure(.cannotStart(self, errno, in: step == cspawn_folder ? folder : nil))
  }
}

/// Texts as C has them, for as long as this lives.
private final class CStrings {
  let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ texts: [String]) {
    count = texts.count
    pointer = .allocate(capacity: count + 1)
    for (at, text) in texts.enumerated() { pointer[at] = strdup(text) }
    pointer[count] = nil
  }

  deinit {
    for at in 0..<count { free(pointer[at]) }
    pointer.deallocate()
  }
}

extension SpawnFailure {
  /// `cannot start 'buy': Permission denied`
  static func cannotStart(_ command: ChildCommand, _ code: Int32, in folder: String? = nil) -> SpawnFailure {
    let place = folder.map { " in '\($0)'" } ?? ""
    return SpawnFailure(
      message: "cannot start '\(command.arguments[0])'\(place): \(String(cString: strerror(code)))", code: code)
  }

  static func notFound(_ command: ChildCommand) -> SpawnFailure {
    SpawnFailure(message: "cannot start '\(command.arguments[0])': no folder of PATH has it", code: ENOENT)
  }
}
